"""One look for every figure: the palettes, the marks, and a chart that carries its own text alternative."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D

from pipeline.plots.text import safe

WIDTH = 8.0
"""Inches; every chart is as wide as a notebook's cell."""
_HEADER = 0.66
_FOOTER = 0.3
_LEGEND = 0.26
_MARGIN = 0.12


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours by what they say; hues of Okabe and Ito 2008. No colour stands without a mark or a label."""

    paper: str
    ink: str
    muted: str
    """Text of the second rank; contrast with the paper above 4.5."""
    grid: str
    good: str
    """It worked: recovered, closed, succeeded."""
    bad: str
    """It failed, or what was declared is contradicted."""
    fix: str
    """A fix, and what is recommended."""
    wait: str
    """A wait, and what is declared."""
    aside: str
    """What cannot be told."""


LIGHT = Palette("#ffffff", "#1a1f24", "#59636e", "#dde2e7", "#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7")
DARK = Palette("#14181d", "#e9edf1", "#a2adb8", "#333c45", "#56b4e9", "#d55e00", "#009e73", "#e69f00", "#cc79a7")

_FONT = 9.0
_LOOK = {
    "font.family": "DejaVu Sans",
    "font.size": _FONT,
    "axes.titlesize": _FONT,
    "axes.labelsize": _FONT,
    "xtick.labelsize": _FONT - 0.5,
    "ytick.labelsize": _FONT - 0.5,
    "legend.fontsize": _FONT - 0.5,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.linewidth": 0.8,
    "hatch.linewidth": 0.8,
    "lines.solid_capstyle": "butt",
}


class Chart(Figure):
    """A matplotlib figure with a title, a line below it, a note, a text alternative and a look in notebooks.

    Args:
        title: What is shown, in a few words.
        subtitle: How to read it: one line.
        height: Inches of the part below the header.
        palette: `LIGHT` or `DARK`.
        note: What was left out; "" for nothing.
        marks: What marks mean, as artists with labels: a line of its own below the subtitle.
    """

    def __init__(
        self,
        title: str,
        subtitle: str,
        *,
        height: float,
        palette: Palette,
        note: str = "",
        marks: Sequence[Line2D] = (),
    ) -> None:
        footer = _FOOTER if note else 0.0
        header = _HEADER + (_LEGEND if marks else 0.0)
        total = header + height + footer
        super().__init__(
            figsize=(WIDTH, total),
            facecolor=palette.paper,
            edgecolor="none",
            layout=ConstrainedLayoutEngine(
                rect=(_MARGIN / WIDTH, footer / total, 1 - 2 * _MARGIN / WIDTH, (height - 0.04) / total),
                h_pad=0.06,
                w_pad=0.06,
            ),
        )
        self.title, self.description = title, subtitle
        left = _MARGIN / WIDTH
        self.text(left, 1 - 0.17 / total, title, size=12, weight="bold", color=palette.ink, va="top")
        self.text(left, 1 - 0.43 / total, subtitle, size=_FONT, color=palette.muted, va="top")
        if marks:
            self.legend(
                handles=marks,
                loc="upper left",
                bbox_to_anchor=(left, 1 - 0.66 / total),
                ncols=len(marks),
                borderpad=0,
                borderaxespad=0,
                handletextpad=0.3,
                columnspacing=1.3,
            )
        if note:
            self.text(left, 0.1 / total, note, size=_FONT - 1, color=palette.muted, va="bottom")

    def _repr_svg_(self) -> str:
        from pipeline.plots.svg import to_svg

        return to_svg(self, title=self.title, description=self.description)


@contextmanager
def look(palette: Palette) -> Iterator[None]:
    """Hold the style while a chart is drawn, whatever the reader's own settings are."""
    colours = {
        "text.color": palette.ink,
        "axes.edgecolor": palette.muted,
        "axes.labelcolor": palette.ink,
        "axes.facecolor": palette.paper,
        "xtick.color": palette.muted,
        "ytick.color": palette.muted,
        "xtick.labelcolor": palette.ink,
        "ytick.labelcolor": palette.ink,
        "grid.color": palette.grid,
        "grid.linewidth": 0.8,
        "hatch.color": palette.ink,
    }
    with matplotlib.style.context(["default", _LOOK | colours]):
        yield


def finished(chart: Chart, description: str) -> Chart:
    """Fix everything that would be drawn late, and give the chart its text alternative."""
    chart.description = description
    # the layout settles with the second drawing; left alone it would move a little with every other
    chart.draw_without_rendering()
    chart.draw_without_rendering()
    chart.set_layout_engine("none")
    return chart


def empty(title: str, reason: str, palette: Palette) -> Chart:
    """Return a chart that says why there is nothing to draw."""
    with look(palette):
        chart = Chart(title, "Nothing to show yet.", height=1.3, palette=palette)
        axes = chart.add_subplot()
        axes.set_axis_off()
        axes.text(0.5, 0.5, reason, ha="center", va="center", color=palette.muted, transform=axes.transAxes)
        return finished(chart, reason)


def bare(axes: Axes) -> None:
    """Take spines and tick marks from axes whose rows speak for themselves."""
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)


def stylesheet() -> str:
    """Return CSS that sets `--recoup-<role>` for light and dark, for SVG made with `css_variables`."""
    light, dark = (
        " ".join(f"--recoup-{role.name}: {getattr(palette, role.name)};" for role in fields(Palette))
        for palette in (LIGHT, DARK)
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"


def shortened(total: int, shown: int, what: str) -> str:
    """Return the note on rows that found no room; "" where all are shown."""
    return f"{shown} of {total} {what} shown." if shown < total else ""


def row_label(axes: Axes, position: int, name: str, below: str, palette: Palette) -> None:
    """Write the label of a row left of the axes: a name, and a smaller line below it where there is one.

    Args:
        axes: Axes whose y counts rows.
        position: The row.
        name: Raw text of a log, as is `below`.
        below: "" for none.
        palette: `LIGHT` or `DARK`.
    """
    for text, size, colour, offset, align in (
        (label(name), 8.5, palette.ink, 0.5 if below else 0, "bottom" if below else "center"),
        (safe(below, limit=34), 7.0, palette.muted, -1, "top"),
    ):
        axes.annotate(
            text,
            (0, position),
            xycoords=axes.get_yaxis_transform(),
            xytext=(-8, offset),
            textcoords="offset points",
            ha="right",
            va=align,
            size=size,
            color=colour,
            weight="bold" if size > 8 else "normal",
        )


def label(name: str, *, limit: int = 28) -> str:
    """Return a name from a log, short enough to leave room for what it names."""
    return safe(name, limit=limit)
