from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from pipeline.report.layout import ASCII, UNICODE, Column, bar, table, wrapped

CONSOLE = Console(file=StringIO(), width=80)


@pytest.mark.parametrize(
    ("bounds", "drawn"),
    [
        ((0.0, 0.0, 0.14), "●━········"),
        ((0.5, 0.8, 0.95), "·····━━━●━"),
        ((1.0, 1.0, 1.0), "·········●"),
        ((0.0, 0.5, 1.0), "━━━━━●━━━━"),
    ],
)
def test_an_interval_is_drawn_from_none_to_all(bounds, drawn):
    """The bar spans the interval and marks the rate."""
    assert bar(*bounds, UNICODE) == drawn


@given(st.tuples(*[st.floats(min_value=0, max_value=1)] * 3).map(sorted))
def test_a_bar_is_always_ten_cells(bounds):
    """Whatever the rate, the bar has ten cells and one point."""
    drawn = bar(*bounds, ASCII)

    assert len(drawn) == 10
    assert drawn.count("o") == 1


@given(
    st.lists(st.text(alphabet="abc%5—宽", min_size=1, max_size=30), min_size=1, max_size=30).map(" ".join),
    st.integers(min_value=60, max_value=200),
    st.integers(min_value=0, max_value=9),
)
def test_wrapping_loses_no_word(text, width, indent):
    """No line is wider than asked, and the words are all there in order."""
    lines = wrapped(CONSOLE, Text(text), width, indent=indent)

    assert all(line.cell_len <= width for line in lines)
    assert "".join(line.plain for line in lines).replace(" ", "") == text.replace(" ", "")


def test_a_number_and_its_unit_stay_together():
    """No line ends between a figure and its percent sign."""
    lines = wrapped(CONSOLE, Text("x" * 76 + " 95 % of it"), 80)

    assert [line.plain for line in lines] == ["x" * 76, "95 % of it"]


def _columns(name="a-rather-long-name-of-a-code-that-goes-on"):
    return [
        Column("code", [Text(name)], is_name=True),
        Column("seen", [Text("12,345")], is_number=True),
        Column("class", [Text("correctable")], gives_way=1),
        Column("tool", [Text("t" * 40)], gives_way=2, is_name=True),
    ]


def test_columns_give_way_before_numbers_are_cut():
    """The column that gives way most goes first, names shrink, numbers stay whole."""
    wide, nothing = table(_columns(), 120, UNICODE)
    narrow, dropped = table(_columns(), 50, UNICODE)
    tiny, both = table(_columns(), 20, UNICODE)

    assert (nothing, dropped, both) == ([], ["tool"], ["class", "tool"])
    assert wide[1].plain == f"{_columns()[0].cells[0]}  12,345  correctable  {'t' * 40}"
    assert narrow[1].plain == "a-rather-long-name-of-a-code…  12,345  correctable"
    assert tiny[1].plain == "a-rather-lo…  12,345"
    assert [line.cell_len for line in (*narrow, *tiny)] <= [50, 50, 20, 20]


def test_a_wide_letter_takes_two_cells():
    """Columns line up under letters of double width."""
    lines, _ = table([Column("code", [Text("宽宽宽"), Text("ab")]), Column("n", [Text("1"), Text("2")])], 40, UNICODE)

    assert [line.plain for line in lines] == ["code    n", "宽宽宽  1", "ab      2"]
