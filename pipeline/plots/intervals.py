"""Interval dot plot: a rate of each code with its k/n and its 95 % interval."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pipeline.plots.names import Name, Record, names
from pipeline.plots.style import LIGHT, Chart, Palette, bare, empty, finished, look, row_label, shortened
from pipeline.plots.text import interval, safe
from pipeline.statistics.intervals import wilson

if TYPE_CHECKING:
    import pandas as pd

_ROW, _TALL_ROW = 0.27, 0.34
_MARKS = {"transient": "o", "correctable": "D", "terminal": "s", "": "o"}
_OTHER = "^"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A rate of a table: what it is called, and which columns hold it."""

    title: str
    quantity: str
    """What is counted, in the plural."""
    outcome: str
    """What k of the n did."""
    k: str
    n: str
    lower: str = "rate_lower"
    upper: str = "rate_upper"
    zone: tuple[float, float] | None = None
    """The indifference zone: an interval on its left says hopeless, one on its right worth it."""
    is_bad: bool = False
    """A high rate is bad news, and comes first."""


FAIR_REISSUES = Rate(
    title="Does repeating help?",
    quantity="fair reissues",
    outcome="succeed",
    k="fair_success_count",
    n="fair_reissue_count",
    zone=(0.05, 0.20),
)
"""Over `marts.error_codes`."""
FIRST_REISSUES = Rate(
    title="Does repeating help?",
    quantity="sessions",
    outcome="recover at the first fair reissue",
    k="success_count",
    n="trial_count",
    zone=(0.05, 0.20),
)
"""Over `marts.misclassified_retryables`: the evidence behind its verdicts."""
FAILED_LOOPS = Rate(
    title="Does the fix clear the failure?",
    quantity="closed loops",
    outcome="failed: the same code again",
    k="failed_count",
    n="trial_count",
    is_bad=True,
)
"""Over `marts.failed_closed_loops`."""


@dataclass(frozen=True, slots=True)
class _Row:
    name: Name
    kind: str
    verdict: str
    k: int
    n: int
    lower: float
    upper: float

    @property
    def rate(self) -> float:
        return self.k / self.n


def interval_dots(
    codes: "pd.DataFrame", rate: Rate = FAIR_REISSUES, *, limit: int = 20, palette: Palette = LIGHT
) -> Chart:
    """Draw one row per code: the rate as a mark whose shape is the declared class, its interval as a bar, and k/n.

    Args:
        codes: Columns error_code, `rate.k` and `rate.n`; used where they are there: tool, declared_class, fix_command,
            verdict (or retryable_verdict), `rate.lower` and `rate.upper`. An interval that is null is Wilson's.
        rate: What is drawn: `FAIR_REISSUES`, `FIRST_REISSUES`, `FAILED_LOOPS`, or one of your own.
        limit: Rows at most: those with the most trials.
        palette: `LIGHT` or `DARK`.
    """
    tried = codes[codes[rate.n] > 0]
    if not len(tried):
        return empty(rate.title, f"There are no {rate.quantity} to judge by yet.", palette)
    chosen = tried.sort_values([rate.n, "error_code"], ascending=[False, True], kind="stable").head(limit)
    records = chosen.to_dict("records")
    rows = sorted(
        (_row(record, rate, name) for record, name in zip(records, names(records), strict=True)),
        key=lambda row: (-row.rate if rate.is_bad else row.rate, -row.n, row.name.name),
    )
    order = "highest" if rate.is_bad else "lowest"
    shape = " Shape: declared class." if any(row.kind for row in rows) else ""
    zone = f" Grey: undecided, {rate.zone[0]:.0%} to {rate.zone[1]:.0%}." if rate.zone else ""
    with look(palette):
        chart = Chart(
            rate.title,
            f"k/n and 95 % interval, {order} first.{shape}{zone}",
            height=(_TALL_ROW if any(row.name.below for row in rows) else _ROW) * len(rows) + 0.8,
            palette=palette,
            note=shortened(len(tried), len(rows), "codes"),
            marks=_marks({row.kind for row in rows}, palette),
        )
        axes = chart.add_subplot()
        if rate.zone:
            axes.axvspan(*rate.zone, color=palette.grid, zorder=0)
        for position, row in enumerate(rows):
            row_label(axes, position, row.name.name, row.name.below, palette)
            _draw(axes, position, row, _colour(row, rate, palette), palette)
        bare(axes)
        axes.set(xlim=(-0.015, 1.015), ylim=(len(rows) - 0.4, -0.6), xticks=[0, 0.25, 0.5, 0.75, 1], yticks=[])
        axes.set_xticklabels(["0 %", "25 %", "50 %", "75 %", "100 %"])
        axes.set_xlabel(f"share of {rate.quantity} that {rate.outcome}")
        axes.grid(axis="x")
        return finished(chart, _told(rate, rows))


def _row(record: Record, rate: Rate, name: Name) -> _Row:
    k, n = int(record[rate.k]), int(record[rate.n])
    lower, upper = record.get(rate.lower), record.get(rate.upper)
    if lower is None or upper is None or lower != lower:
        own = wilson(k, n)
        lower, upper = own.lower, own.upper
    kind, verdict = record.get("declared_class") or "", record.get("verdict", record.get("retryable_verdict"))
    return _Row(name, kind, verdict if isinstance(verdict, str) else "", k, n, lower, upper)


def _colour(row: _Row, rate: Rate, palette: Palette) -> str:
    if rate.is_bad:
        return palette.bad if row.k else palette.good
    return {"contradicted": palette.bad, "supported": palette.good}.get(row.verdict, palette.muted)


def _draw(axes: Axes, position: int, row: _Row, colour: str, palette: Palette) -> None:
    axes.plot([row.lower, row.upper], [position, position], color=colour, linewidth=2.4, zorder=2)
    axes.plot(
        row.rate,
        position,
        marker=_MARKS.get(row.kind, _OTHER),
        markersize=7,
        color=palette.paper if colour == palette.muted else colour,
        markeredgecolor=colour,
        markeredgewidth=1.6,
        clip_on=False,
        zorder=3,
    )
    beside: dict[str, Any] = {"xycoords": axes.get_yaxis_transform(), "textcoords": "offset points", "va": "center"}
    axes.annotate(f"{row.k}/{row.n}", (1.0, position), xytext=(12, 0), weight="bold", color=palette.ink, **beside)
    if row.verdict:
        colour = palette.ink if row.verdict == "contradicted" else palette.muted
        axes.annotate(row.verdict, (1.0, position), xytext=(50, 0), color=colour, **beside)


def _marks(kinds: set[str], palette: Palette) -> list[Line2D]:
    """Name the shapes that occur."""
    look: dict[str, Any] = {"color": palette.paper, "markeredgecolor": palette.ink, "linestyle": "none"}
    return [
        Line2D([], [], marker=_MARKS.get(kind, _OTHER), label=safe(kind, limit=20), **look)
        for kind in sorted(kinds - {""})
    ]


def _told(rate: Rate, rows: list[_Row]) -> str:
    lines = [
        f"{row.name.told()}: {row.k}/{row.n}, {interval(row.rate, row.lower, row.upper)}"
        + (f", {row.verdict}" if row.verdict else "")
        for row in rows
    ]
    return f"Share of {rate.quantity} that {rate.outcome}, with 95 % interval. " + "; ".join(lines) + "."
