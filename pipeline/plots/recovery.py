"""The recovery curve: which share of episodes has recovered after so many further calls, or so many seconds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from pipeline.plots.style import LIGHT, Chart, Palette, empty, finished, label, look, shortened
from pipeline.plots.text import interval, plain
from pipeline.statistics.survival import Ending, Recovered, cumulative_incidence, recovered_by

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Recovery curve"
_COLUMNS = 3
_PANEL = 1.75


@dataclass(frozen=True, slots=True)
class Clock:
    """What time means for an episode."""

    column: str
    scale: float
    """Units of the column in one unit of the axis."""
    unit: str


CALLS = Clock("attempt_count", 1, "further calls")
"""Attempts of the operation behind the first failure."""
SECONDS = Clock("observed_ms", 1000, "seconds")
"""End of the first failure to the recovery, or to the last that was seen of the episode."""


@dataclass(frozen=True, slots=True)
class _Group:
    code: str
    tool: str  # "" where the code alone says it
    times: list[float]
    endings: list[Ending]

    @property
    def name(self) -> str:
        return f"{self.code} {self.tool}".rstrip()

    def by(self, horizon: float) -> Recovered:
        return recovered_by(self.times, self.endings, horizon)


def recovery_curve(
    episodes: "pd.DataFrame",
    *,
    clock: Clock = CALLS,
    codes: Sequence[str] | None = None,
    horizon: float | None = None,
    limit: int = 6,
    palette: Palette = LIGHT,
) -> Chart:
    """Draw the cumulative incidence of recovery (Aalen-Johansen), one panel a code, over that of all episodes.

    The band holds what censoring could hide: its lower edge takes every censored episode as lost, its upper edge as
    recovered.

    Args:
        episodes: Columns tool, origin_code, outcome and the clock's, as `core.episodes`. For `SECONDS` a column
            `observed_ms`: `time_to_recovery_ms`, or the time to the last failure where nothing recovered.
        clock: `CALLS` or `SECONDS`.
        codes: The codes to show, in this order; None for the `limit` codes with the most episodes.
        horizon: Right end of the axis, in the clock's unit; None for the longest episode shown.
        limit: Panels at most where `codes` is None.
        palette: `LIGHT` or `DARK`.
    """
    timed = episodes[episodes[clock.column].notna()]
    everyone = _group("all codes", timed, clock)
    every = [
        _group(code, rows, clock, tool if timed[timed["origin_code"] == code]["tool"].nunique() > 1 else "")
        for (tool, code), rows in timed.groupby(["tool", "origin_code"])
    ]
    groups = sorted(every, key=lambda group: (-len(group.times), group.code, group.tool))[:limit]
    if codes is not None:
        groups = sorted((one for one in every if one.code in codes), key=lambda group: list(codes).index(group.code))
    if not groups:
        return empty(TITLE, "No episode with an error code was seen.", palette)
    rows = -(-len(groups) // _COLUMNS)
    with look(palette):
        chart = Chart(
            f"{TITLE}, in {clock.unit}",
            "Share recovered by then. Band: what logs that stop too early could hide. Thin line: all codes.",
            height=rows * _PANEL + 0.3,
            palette=palette,
            note=shortened(len(every), len(groups), "codes"),
        )
        grid = chart.subplots(rows, _COLUMNS, sharex=True, sharey=True, squeeze=False).ravel()
        end = horizon or 1.08 * max(max(group.times) for group in groups) or 1.0
        for axes, group in zip(grid, groups, strict=False):
            _draw(axes, group, everyone, end, palette)
        for position, axes in enumerate(grid):
            axes.set_visible(position < len(groups))
            if position % _COLUMNS == 0:
                axes.set_ylabel("recovered")
            if position >= len(groups) - _COLUMNS:
                axes.set_xlabel(f"{clock.unit} after the first failure")
                axes.xaxis.set_tick_params(labelbottom=True)
        return finished(chart, _told(groups, clock, end))


def _group(code: str, episodes: "pd.DataFrame", clock: Clock, tool: str = "") -> _Group:
    """Return times and endings; in calls the first failure itself is no further call."""
    start = 1 if clock is CALLS else 0
    times = [(float(time) - start) / clock.scale for time in episodes[clock.column]]
    return _Group(code, tool, times, [_ending(outcome) for outcome in episodes["outcome"]])


def _ending(outcome: str) -> Ending:
    if outcome.startswith("recovered"):
        return Ending.RECOVERED
    return Ending.CENSORED if outcome == "censored" else Ending.LOST


def _curve(group: _Group, horizon: float) -> tuple[list[float], list[float]]:
    steps = cumulative_incidence(group.times, group.endings)
    times = [0.0, *(step.time for step in steps if step.time <= horizon)]
    values = [0.0, *(step.incidence for step in steps if step.time <= horizon)]
    return [*times, horizon], [*values, values[-1]]


def _draw(axes: Axes, group: _Group, everyone: _Group, horizon: float, palette: Palette) -> None:
    axes.grid(axis="y")
    axes.step(*_curve(everyone, horizon), where="post", color=palette.muted, linewidth=0.9, linestyle=(0, (3, 2)))
    edges = sorted({0.0, *(time for time in group.times if time < horizon)})
    # an episode that is cut off at an edge is out of sight right behind it
    seen = [group.by(math.nextafter(edge, math.inf)) for edge in edges]
    last = group.by(horizon)
    least, most = [one.least for one in seen], [one.most for one in seen]
    axes.fill_between(
        [*edges, horizon],
        [*least, least[-1]],
        [*most, most[-1]],
        step="post",
        color=palette.good,
        alpha=0.22,
        linewidth=0,
    )
    axes.step(*_curve(group, horizon), where="post", color=palette.good, linewidth=2.2)
    axes.plot([horizon], [last.rate or 0.0], marker="o", color=palette.good, clip_on=False, markersize=5, zorder=4)
    axes.set(xlim=(0, horizon), ylim=(-0.04, 1.04), yticks=[0, 0.5, 1], yticklabels=["0 %", "50 %", "100 %"])
    axes.xaxis.set_major_locator(MaxNLocator(nbins=5, integer=True))
    axes.set_title(label(group.name, limit=26), loc="left", weight="bold", pad=16)
    axes.text(0, 1.06, _rate(last), transform=axes.transAxes, size=8, color=palette.muted)
    if last.censored:
        low = (last.rate or 0.0) > 0.5
        axes.text(
            0.97,
            0.07 if low else 0.93,
            f"{last.censored} cut off",
            transform=axes.transAxes,
            size=8,
            ha="right",
            va="bottom" if low else "top",
            color=palette.ink,
        )


def _rate(last: Recovered) -> str:
    return f"{last.recovered}/{last.n} recovered  {interval(last.rate, last.lower, last.upper)}"


def _told(groups: Sequence[_Group], clock: Clock, horizon: float) -> str:
    lines = []
    for group in groups:
        last = group.by(horizon)
        censored = f", {last.censored} cut off" if last.censored else ""
        lines.append(f"{plain(group.name)}: {_rate(last)}{censored}")
    return (
        f"Cumulative incidence of recovery {horizon:g} {clock.unit} after the first failure, with 95 % interval. "
        + "; ".join(lines)
        + "."
    )
