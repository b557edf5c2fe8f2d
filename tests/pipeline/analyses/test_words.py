import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyses.words import between, counted, cut, duration, identity, percent


@pytest.mark.parametrize(
    ("share", "figure"), [(0, "0"), (0.0001, "<1"), (0.138, "14"), (0.995, "100"), (0.9999, ">99"), (1, "100")]
)
def test_only_none_and_all_read_so(share, figure):
    """0 and 100 are kept for exactly none and all, as far as whole percents allow."""
    assert percent(share) == (figure if share in (0, 1) or figure != "100" else ">99")


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [(0, "0 ms"), (850, "850 ms"), (2500, "2.5 s"), (42_000, "42 s"), (90_000, "1.5 min"), (7_200_000, "2.0 h")],
)
def test_a_duration_has_the_unit_of_a_reader(milliseconds, text):
    """Durations are told in the largest unit they fill."""
    assert duration(milliseconds) == text


def test_without_bounds_there_is_no_interval():
    """A missing bound is said, not invented."""
    assert between(None, 0.5) == "no interval"


def test_one_is_singular():
    """One session is a session."""
    assert [counted(1, "session"), counted(1200, "session")] == ["1 session", "1,200 sessions"]


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_cut_text_is_never_longer(text, length):
    """`cut` keeps short texts whole and long ones within the length."""
    assert len(cut(text, length)) <= length
    assert cut(text, length) == text or len(text) > length


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_an_id_is_safe_on_a_command_line(parts):
    """Ids hold only letters, digits and `.`, `_`, `-`, `:`, and never grow long."""
    made = identity(*parts)

    assert re.fullmatch(r"[A-Za-z0-9_.:-]+", made)
    assert len(made) <= 70 * len(parts)


@given(st.text(max_size=50), st.text(max_size=50))
def test_different_parts_have_different_ids(one, other):
    """What the alphabet of ids cannot tell apart, a hash does."""
    assert (identity(one) == identity(other)) == (one == other)
