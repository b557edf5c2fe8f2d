"""Closed-loop matrix: what became of the failures whose declared fix was run, code and fix by verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from pipeline.plots.names import Record
from pipeline.plots.style import LIGHT, Chart, Palette, bare, empty, finished, look, row_label, shortened
from pipeline.plots.text import interval, plain

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Closed loops"
_ROW = 0.4
_COUNTED = ("closed", "advanced", "failed")
"""The verdicts that decide; the others leave open what the fix does."""
_VERDICTS = (*_COUNTED, "indeterminate", "open", "stale", "fix_failed", "fix_unrunnable", "self_referential")
_BAD = ("failed", "fix_failed", "fix_unrunnable", "self_referential")
_GAP = 0.4
_SMALL, _LARGE = 13.0, 21.0


@dataclass(frozen=True, slots=True)
class _Row:
    code: str
    fix: str
    counts: Mapping[str, int]  # by verdict, without zeros
    failed: int
    trials: int
    lower: float
    upper: float

    def rate(self) -> str:
        if not self.trials:
            return "none decided"
        return f"{self.failed}/{self.trials}  {interval(self.failed / self.trials, self.lower, self.upper)}"

    def told(self) -> str:
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts.items())
        return f"{plain(self.code)} with {plain(self.fix)}: {verdicts}; failed {self.rate()}"


def closed_loop_matrix(fixes: "pd.DataFrame", *, limit: int = 20, palette: Palette = LIGHT) -> Chart:
    """Draw the number of trials of each fix and verdict, and the failed-loop rate with its interval.

    Args:
        fixes: Columns tool, error_code, fix_command, a `..._count` for each verdict, trial_count, rate_lower and
            rate_upper, as `marts.failed_closed_loops`.
        limit: Rows at most: those with the most failed loops, then the most trials.
        palette: `LIGHT` or `DARK`.
    """
    if not len(fixes):
        return empty(TITLE, "No declared fix was run.", palette)
    every = [_row(record) for record in fixes.to_dict("records")]
    rows = sorted(every, key=lambda row: (-row.failed, -row.trials, -sum(row.counts.values()), row.code, row.fix))[
        :limit
    ]
    # a verdict nobody met needs no column, except the three that decide
    verdicts = [one for one in _VERDICTS if one in _COUNTED or any(one in row.counts for row in rows)]
    undecided = " Right of the line: undecided." if len(verdicts) > len(_COUNTED) else ""
    with look(palette):
        chart = Chart(
            TITLE,
            f"Failures whose declared fix was run, and what the same call said next.{undecided}",
            height=_ROW * len(rows) + 1.1,
            palette=palette,
            note=shortened(len(every), len(rows), "fixes"),
        )
        axes = chart.add_subplot()
        places = {verdict: at + (0 if verdict in _COUNTED else _GAP) for at, verdict in enumerate(verdicts)}
        largest = max(max(row.counts.values(), default=1) for row in rows)
        for position, row in enumerate(rows):
            _draw(axes, position, row, places, largest, palette)
        _scale(axes, places, len(rows), palette)
        return finished(chart, "Closed-loop trials by fix and verdict. " + "; ".join(row.told() for row in rows) + ".")


def _row(record: Record) -> _Row:
    counts = {verdict: int(record[f"{verdict}_count"]) for verdict in _VERDICTS}
    return _Row(
        record["error_code"],
        record["fix_command"],
        {verdict: count for verdict, count in counts.items() if count},
        counts["failed"],
        int(record["trial_count"]),
        record["rate_lower"],
        record["rate_upper"],
    )


def _draw(axes: Axes, position: int, row: _Row, places: Mapping[str, float], largest: int, palette: Palette) -> None:
    end = max(places.values())
    axes.plot([-0.5, end + 0.4], [position, position], color=palette.grid, linewidth=0.8, zorder=0)
    row_label(axes, position, row.code, row.fix, palette)
    for verdict, count in row.counts.items():
        is_counted, is_bad = verdict in _COUNTED, verdict in _BAD
        colour = palette.bad if is_bad else palette.good if is_counted else palette.muted
        axes.plot(
            places[verdict],
            position,
            marker="s" if is_bad else "o",
            markersize=_SMALL + (_LARGE - _SMALL) * (count / largest) ** 0.5,
            color=colour if is_counted else palette.paper,
            markeredgecolor=colour,
            markeredgewidth=1.6,
        )
        axes.text(
            places[verdict],
            position,
            str(count),
            ha="center",
            va="center_baseline",
            size=8.5,
            weight="bold",
            color=palette.paper if is_counted else palette.ink,
        )
    axes.text(
        end + 0.65,
        position,
        row.rate(),
        va="center",
        size=8.5,
        weight="bold" if row.failed else "normal",
        color=palette.ink if row.trials else palette.muted,
    )


def _scale(axes: Axes, places: Mapping[str, float], row_count: int, palette: Palette) -> None:
    bare(axes)
    end = max(places.values())
    axes.set(xlim=(-0.6, end + 1 + 0.22 * len(places)), ylim=(row_count - 0.4, -0.6), yticks=[])
    if len(places) > len(_COUNTED):
        axes.axvline(len(_COUNTED) - 0.5 + _GAP / 2, color=palette.muted, linewidth=1)
    axes.xaxis.set_ticks_position("top")
    axes.tick_params(length=0)
    heads = [verdict.replace("_", " ") for verdict in places]
    axes.set_xticks([*places.values()], heads, rotation=28, ha="left", rotation_mode="anchor")
    axes.text(end + 0.65, -0.62, "failed loops", size=8.5, va="bottom", color=palette.ink)
