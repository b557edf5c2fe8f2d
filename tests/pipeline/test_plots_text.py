"""Text from logs as it is drawn, and numbers as they are said."""

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import cbook

from pipeline.plots.text import interval, percent, plain, safe, seconds


@given(st.text(max_size=300) | st.text(alphabet="$\\x{}^_ \x1b[m", max_size=80))
def test_safe_text_is_one_plain_line(text):
    """Whatever a log holds becomes one printable line of limited length that is no mathematics."""
    line = safe(text, limit=40)
    assert not cbook.is_math_text(line)
    assert len(line.replace(r"\$", "$")) <= 40
    assert line.isprintable()
    assert len(plain(text, limit=40)) <= 40


@given(st.text(alphabet=string.ascii_letters + string.digits + "_-./=", min_size=1, max_size=40))
def test_safe_leaves_ordinary_text_alone(text):
    """A code or a command without anything special is shown as it is."""
    assert safe(text, limit=40) == text


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.05, "50 ms"), (0.9999, "1000 ms"), (1, "1 s"), (81.7, "81.7 s"), (90, "1.5 min"), (7200, "2 h")],
)
def test_seconds(value, told):
    """A span is told in the unit people would use."""
    assert seconds(value) == told


def test_rates_never_round_to_certainty():
    """299 of 300 is not 100 %, and 1 of 300 is not 0 %."""
    assert [percent(rate) for rate in (0, 1 / 300, 0.5, 299 / 300, 1)] == ["0 %", "<1 %", "50 %", ">99 %", "100 %"]
    assert interval(None, 0.0, 1.0) == "[0, 100]"
