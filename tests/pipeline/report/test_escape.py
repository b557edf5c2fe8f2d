import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.report.escape import escape


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("plain text, 100 %", "plain text, 100 %"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;new title\x07text", "text"),
        ("\x1b]8;;http://example.invalid\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2J\x1b[Hgone", "gone"),
        ("a\x1bPdevice\x1b\\b", "ab"),
        ("unfinished \x1b[31", r"unfinished \x1b[31"),
        ("two\nlines\tand\rmore", "two lines and more"),
        ("bell\x07 null\x00", r"bell\x07 null\x00"),
        ("user\u202egnp.exe", r"user\u202egnp.exe"),
        ("zero\u200bwidth", r"zero\u200bwidth"),
        ("tag\U000e0041", r"tag\U000e0041"),
        ("half \ud800 pair", r"half \ud800 pair"),
        ("[bold red]markup[/]", "[bold red]markup[/]"),
        ("שלום مرحبا", "שלום مرحبا"),
        (None, ""),
    ],
)
def test_nothing_reaches_the_terminal_but_text(hostile, harmless):
    """Sequences go, invisible characters are spelled out, and what people read stays."""
    assert escape(hostile) == harmless


def test_huge_text_costs_no_more_than_a_screen():
    """Of 100 KB at most 2,000 characters are looked at."""
    assert escape("x" * 100_000) == "x" * 2000


@given(st.text(alphabet=st.characters(codec=None), max_size=200))
def test_whatever_comes_in_is_visible_and_on_one_line(text):
    """No control, format or surrogate character survives, and what is escaped stays as it is."""
    shown = escape(text)

    assert not {unicodedata.category(char) for char in shown} & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert escape(shown) == shown
