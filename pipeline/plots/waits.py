"""Wait calibration: how often a reissue succeeds after so long a wait, beside the declared and the recommended one."""

import math
from bisect import bisect_right
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from matplotlib.axes import Axes

from pipeline.plots.style import LIGHT, Chart, Palette, empty, finished, label, look
from pipeline.plots.text import TIMES, interval, plain, seconds
from pipeline.statistics.intervals import Interval, wilson
from pipeline.statistics.waits import TARGET, Wait, recommended_wait

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Wait calibration"
_EDGES = (0.5, 1.0, 1.5, 3.0)
"""Between the groups, in declared waits; `core.wait_looks` holds one reissue of each session in each."""
_SHORTEST = 1 / 64
_MOST_TICKS = 9


@dataclass(frozen=True, slots=True)
class _Looks:
    """Reissues by the time waited, in declared waits: each is one look at whether the cause had cleared."""

    ratios: list[float]
    successes: list[bool]
    declared: tuple[float, float]  # seconds, smallest and largest

    @property
    def is_uniform(self) -> bool:
        return self.declared[0] == self.declared[1]

    def span(self, ratio: float) -> str:
        """Return so many declared waits in words: seconds where all waits are the same."""
        return seconds(ratio * self.declared[0]) if self.is_uniform else f"{ratio:.2g}{TIMES}"

    def groups(self) -> list[tuple[float, Interval]]:
        """Return the middle and the success of the looks between the edges."""
        held: dict[int, list[tuple[float, bool]]] = {}
        for ratio, success in zip(self.ratios, self.successes, strict=True):
            held.setdefault(bisect_right(_EDGES, ratio), []).append((ratio, success))
        return [
            (median(ratio for ratio, _ in group), wilson(sum(success for _, success in group), len(group)))
            for _, group in sorted(held.items())
        ]


def wait_calibration(
    looks: "pd.DataFrame", error_code: str, *, tool: str | None = None, palette: Palette = LIGHT
) -> Chart:
    """Draw the success of unchanged reissues over the time waited: shares with k/n, the isotonic fit and both waits.

    The recommended wait is the shortest observed one after which 90 % succeed, backed by 10 reissues.

    Args:
        looks: Columns tool, error_code, declared_ms, delay_ms and is_success, as `core.wait_looks`.
        error_code: The code to show.
        tool: The tool whose code it is; None where only one emits it.
        palette: `LIGHT` or `DARK`.

    Raises:
        ValueError: several tools emit the code and `tool` names none: their codes are not one.
    """
    seen = _looks(looks, error_code, tool)
    name = label(f"{tool} {error_code}" if tool else error_code, limit=50)
    if not seen.ratios:
        return empty(f"{TITLE}: {name}", "No unchanged reissue of this code followed a declared wait.", palette)
    wait = recommended_wait(seen.ratios, seen.successes)
    with look(palette):
        chart = Chart(
            f"{TITLE}: {name}",
            "Success of unchanged reissues by the time waited. Squares: k/n with 95 % interval. Line: isotonic fit.",
            height=3.1,
            palette=palette,
            note=f"●, {TIMES}: one reissue of one session each, succeeded or failed." + _note(wait),
        )
        axes = chart.add_subplot()
        _draw_looks(axes, seen, palette)
        axes.step(
            [*(point.delay for point in wait.points), max(seen.ratios) * 1.2],
            [*(point.fitted for point in wait.points), wait.points[-1].fitted],
            where="post",
            color=palette.muted,
            linewidth=1.4,
        )
        _draw_groups(axes, seen, palette)
        _draw_waits(axes, seen, wait, palette)
        _scale(axes, seen)
        return finished(chart, _told(seen, wait, plain(error_code)))


def _looks(looks: "pd.DataFrame", error_code: str, tool: str | None) -> _Looks:
    chosen = looks[looks["error_code"] == error_code]
    if tool is not None:
        chosen = chosen[chosen["tool"] == tool]
    elif chosen["tool"].nunique() > 1:
        raise ValueError(f"several tools emit {error_code!r}: name one of {sorted(chosen['tool'].unique())}")
    ratios = (chosen["delay_ms"] / chosen["declared_ms"]).clip(lower=_SHORTEST)
    waits = chosen["declared_ms"] / 1000
    declared = (float(waits.min()), float(waits.max())) if len(chosen) else (0.0, 0.0)
    return _Looks([float(one) for one in ratios], [bool(one) for one in chosen["is_success"]], declared)


def _draw_looks(axes: Axes, looks: _Looks, palette: Palette) -> None:
    for success, level, marker, colour in ((True, 1.1, "o", palette.good), (False, -0.1, "x", palette.bad)):
        at = [ratio for ratio, done in zip(looks.ratios, looks.successes, strict=True) if done is success]
        axes.plot(at, [level] * len(at), marker, color=colour, markersize=5, markeredgewidth=1.3)


def _draw_groups(axes: Axes, looks: _Looks, palette: Palette) -> None:
    groups = looks.groups()
    for position, (ratio, success) in enumerate(groups):
        is_close = position + 1 < len(groups) and groups[position + 1][0] < ratio * 1.4
        rate = success.rate or 0.0
        error = [[rate - success.lower], [success.upper - rate]]
        axes.errorbar(ratio, rate, error, fmt="s", color=palette.ink, markersize=6, capsize=4, linewidth=1.5)
        axes.annotate(
            f"{success.k}/{success.n}",
            (ratio, rate),
            xytext=(-8 if is_close else 8, 0),
            ha="right" if is_close else "left",
            textcoords="offset points",
            va="center",
            weight="bold",
            color=palette.ink,
            bbox={"facecolor": palette.paper, "edgecolor": "none", "pad": 1.5},
        )


def _draw_waits(axes: Axes, looks: _Looks, wait: Wait, palette: Palette) -> None:
    told = seconds(looks.declared[0]) if looks.is_uniform else " to ".join(seconds(one) for one in looks.declared)
    marks = [(1.0, f"declared {told}", 1.02, palette.wait, "-")]
    if wait.delay is not None:
        marks.append((wait.delay, f"recommended {looks.span(wait.delay)}", 1.1, palette.fix, "--"))
    for ratio, text, height, colour, line in marks:
        axes.axvline(ratio, color=colour, linewidth=2, linestyle=line, zorder=1)
        is_late = ratio > 1
        axes.text(
            ratio,
            height,
            f"{text} ▾" if is_late else f"▾ {text}",
            transform=axes.get_xaxis_transform(),
            color=palette.ink,
            weight="bold",
            ha="right" if is_late else "left",
        )


def _scale(axes: Axes, looks: _Looks) -> None:
    low, high = min(*looks.ratios, 0.5) / 1.25, max(*looks.ratios, 2) * 1.35
    powers = range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)
    step = -(-len(powers) // _MOST_TICKS)
    ticks = [2.0**power for power in powers if power % step == 0]
    axes.set_xscale("log", base=2)
    axes.set(xlim=(low, high), ylim=(-0.18, 1.18), yticks=[0, 0.5, 1], ylabel="reissues that succeed")
    axes.set_yticklabels(["0 %", "50 %", "100 %"])
    texts = [f"{_multiple(tick)}\n{looks.span(tick)}" if looks.is_uniform else _multiple(tick) for tick in ticks]
    axes.set_xticks(ticks, texts)
    axes.minorticks_off()
    axes.set_xlabel("waited before the reissue, in declared waits" + (" and as a time" if looks.is_uniform else ""))
    axes.grid(axis="y")


def _multiple(ratio: float) -> str:
    return f"1/{1 / ratio:.0f}{TIMES}" if ratio < 1 else f"{ratio:.0f}{TIMES}"


def _note(wait: Wait) -> str:
    if wait.delay is None:
        return f" No wait is recommended: {100 * TARGET:.0f} % success was not reached, or rests on too few."
    return f" After the recommended wait: {wait.evidence.k}/{wait.evidence.n} succeed."


def _told(looks: _Looks, wait: Wait, name: str) -> str:
    groups = "; ".join(
        f"around {looks.span(ratio)}: {one.k}/{one.n}, {interval(one.rate, one.lower, one.upper)}"
        for ratio, one in looks.groups()
    )
    return f"Success of unchanged reissues of {name} by the time waited. {groups}.{_note(wait)}"
