"""Lines and tables of a given width: text wraps, numbers are never cut, columns give way in a stated order."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

GAP = "  "
ROOMY, CRAMPED = 26, 12
FIRM = "\ue000"
"""A space at which no line is broken; `escape` lets none through from logs."""


class Glyphs(NamedTuple):
    """The few characters beyond letters that the report draws with."""

    dash: str
    arrow: str
    outside: str
    inside: str
    point: str
    ellipsis: str


UNICODE = Glyphs(dash="\u2013", arrow="→", outside="·", inside="━", point="●", ellipsis="…")
ASCII = Glyphs(dash="-", arrow=">", outside=".", inside="=", point="o", ellipsis="~")


class Column(NamedTuple):
    """One column of a table."""

    title: str
    cells: Sequence[Text]
    is_number: bool = False
    """Aligned to the right, and never cut."""
    gives_way: int = 0
    """0 stays; where the width is short, of the others the highest goes first."""
    is_name: bool = False
    """May be cut: to `ROOMY` cells before another column gives way, to `CRAMPED` when none is left to."""

    def width(self, name_cells: int) -> int:
        """Return the cells that the widest of title and cells takes, of names at most `name_cells`."""
        widest = max(len(self.title), *(cell.cell_len for cell in self.cells))
        return min(widest, name_cells) if self.is_name else widest


def wrapped(console: "Console", text: Text, width: int, indent: int = 0) -> list[Text]:
    """Return the text as lines of at most `width` cells, those after the first indented; `5 %` stays together."""
    whole = text.copy()
    whole.plain = whole.plain.replace(" %", f"{FIRM}%")
    first, *others = _divided(whole, console, width)
    lines = [first]
    if others:
        start = len(first.plain)
        start += len(whole.plain[start:]) - len(whole.plain[start:].lstrip())
        lines += [Text(" " * indent) + line for line in _divided(whole[start:], console, width - indent)]
    for line in lines:
        line.rstrip()
        line.plain = line.plain.replace(FIRM, " ")
    return lines


def _divided(text: Text, console: "Console", width: int) -> list[Text]:
    return list(text.wrap(console, max(width, 20)))


def bar(lower: float, value: float, upper: float, glyphs: Glyphs, cells: int = 10) -> str:
    """Return an interval on a scale of 0..1 as a row of characters, its point marked."""
    first, last = (min(int(share * cells), cells - 1) for share in (lower, upper))
    row = [glyphs.inside if first <= cell <= last else glyphs.outside for cell in range(cells)]
    row[min(int(value * cells), cells - 1)] = glyphs.point
    return "".join(row)


def table(columns: Sequence[Column], width: int, glyphs: Glyphs) -> tuple[list[Text], list[str]]:
    """Return a table's lines, its title first, and the titles of the columns that did not fit."""
    kept = _fitting(columns, width)
    dropped = [column.title for column in columns if column not in kept]
    widths = _widths(kept, width)
    head = Text(style="dim")
    lines = [_row([Text(column.title) for column in kept], kept, widths, glyphs, head)]
    lines += [_row(list(cells), kept, widths, glyphs, Text()) for cells in zip(*(c.cells for c in kept), strict=True)]
    return lines, dropped


def _fitting(columns: Sequence[Column], width: int) -> list[Column]:
    """Return the columns that fit: those that give way go, the first to go last; a narrow one may still find room."""
    kept = [column for column in columns if not column.gives_way]
    for candidate in sorted((c for c in columns if c.gives_way), key=lambda column: column.gives_way):
        wider = [column for column in columns if column in (*kept, candidate)]
        if _needed(wider, ROOMY) <= width:
            kept = wider
    return kept


def _needed(columns: Sequence[Column], name_cells: int) -> int:
    return sum(column.width(name_cells) for column in columns) + len(GAP) * (len(columns) - 1)


def _widths(columns: Sequence[Column], width: int) -> list[int]:
    """Return each column's width: names share, from left to right, what the others leave."""
    spare = width - _needed(columns, CRAMPED)
    widths = []
    for column in columns:
        least = column.width(CRAMPED)
        grown = max(min(column.width(width) - least, spare), 0)
        spare -= grown
        widths.append(least + grown)
    return widths


def _row(cells: list[Text], columns: Sequence[Column], widths: Sequence[int], glyphs: Glyphs, line: Text) -> Text:
    for position, (cell, column, width) in enumerate(zip(cells, columns, widths, strict=True)):
        fitted = cell.copy()
        if fitted.cell_len > width:
            fitted.truncate(width - 1)
            fitted.append(glyphs.ellipsis)
        padding = " " * (width - fitted.cell_len)
        line.append(GAP if position else "")
        line.append_text(Text(padding) + fitted if column.is_number else fitted + Text(padding))
    line.rstrip()
    return line
