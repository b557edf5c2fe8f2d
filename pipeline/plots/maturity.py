"""Maturity ladder: which rungs of the ladder the errors of a tool or a code carry, and the score they add up to."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from pipeline.plots.names import Name, Record, names
from pipeline.plots.style import LIGHT, Chart, Palette, bare, empty, finished, look, row_label, shortened
from pipeline.plots.text import TIMES

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Maturity ladder"
_ROW, _TALL_ROW = 0.29, 0.36
_CELL = 0.86
_FIRST = 0.6
"""Where the first rung stands; left of it the occurrences."""
_RUNGS = (
    ("code", "with_code_count"),
    ("retryable", "with_retryable_count"),
    ("retry_after_ms", "with_retry_after_count"),
    ("fix_required", "with_fix_required_count"),
    ("fix_command", "with_fix_command_count"),
)
_NEEDED = {
    "transient": ("code", "retryable", "retry_after_ms"),
    "correctable": ("code", "retryable", "fix_required", "fix_command"),
    "terminal": ("code", "retryable"),
}
"""The rungs a class has; of a class that is not told, all."""


@dataclass(frozen=True, slots=True)
class _Row:
    name: Name
    n: int
    carried: tuple[int, ...]  # occurrences with each rung
    needed: tuple[bool, ...]
    maturity: int
    proven: int
    state: str

    def told(self) -> str:
        rungs = ", ".join(f"{rung} {k}/{self.n}" for (rung, _), k in zip(_RUNGS, self.carried, strict=True) if k)
        proven = f", proven {self.proven}" if self.proven != self.maturity else ""
        return f"{self.name.told()}: {rungs or 'no rung'}; maturity {self.maturity}{proven}"


def maturity_ladder(rows: "pd.DataFrame", *, limit: int = 20, palette: Palette = LIGHT) -> Chart:
    """Draw one row per code, or per tool: the share of occurrences that carry each rung, and the score 0 to 3.

    Args:
        rows: `marts.error_codes` or `marts.maturity_scores`: the counts `with_..._count`, occurrence_count, maturity,
            proven_maturity and tool; a code's row has error_code, declared_class and maturity_state too.
        limit: Rows at most: those with the most occurrences.
        palette: `LIGHT` or `DARK`.
    """
    chosen = rows.sort_values(["occurrence_count", "tool"], ascending=[False, True], kind="stable").head(limit)
    if not len(chosen):
        return empty(TITLE, "No error was seen.", palette)
    what = "codes" if "error_code" in rows else "tools"
    records = chosen.to_dict("records")
    ladder = [_row(record, name) for record, name in zip(records, names(records), strict=True)]
    with look(palette):
        chart = Chart(
            f"{TITLE} of {what}",
            "Filled part: share of occurrences with the rung, k/n where not all. Dot: a rung its class does not have.",
            height=(_TALL_ROW if any(row.name.below for row in ladder) else _ROW) * len(ladder) + 0.55,
            palette=palette,
            note=shortened(len(rows), len(ladder), what),
        )
        axes = chart.add_subplot()
        for position, row in enumerate(ladder):
            row_label(axes, position, row.name.name, row.name.below, palette)
            axes.text(-0.02, position, f"n={row.n}", size=8, va="center", color=palette.muted)
            _draw_rungs(axes, position, row, palette)
            _draw_score(axes, position, row, palette)
        bare(axes)
        axes.set(xlim=(-0.06, _FIRST + len(_RUNGS) + 1.75), ylim=(len(ladder) - 0.4, -0.6), yticks=[])
        heads = [*(rung.replace("_", "\n", 1) for rung, _ in _RUNGS), "maturity"]
        axes.set_xticks([_FIRST + position + _CELL / 2 for position in range(len(heads))], heads)
        axes.xaxis.set_ticks_position("top")
        axes.tick_params(length=0)
        return finished(chart, f"{TITLE} of {what}. " + "; ".join(row.told() for row in ladder) + ".")


def _row(record: Record, name: Name) -> _Row:
    n = int(record["occurrence_count"])
    rungs = [rung for rung, _ in _RUNGS]
    needed = _NEEDED.get(record.get("declared_class", ""), rungs)
    return _Row(
        name,
        n,
        # a row of a code is about errors that have one
        tuple(int(record.get(column, n)) for _, column in _RUNGS),
        tuple(rung in needed for rung in rungs),
        int(record["maturity"]),
        int(record["proven_maturity"]),
        record.get("maturity_state", ""),
    )


def _draw_rungs(axes: Axes, position: int, row: _Row, palette: Palette) -> None:
    for rung, (k, is_needed) in enumerate(zip(row.carried, row.needed, strict=True)):
        if not k and not is_needed:
            axes.plot(_FIRST + rung + _CELL / 2, position, ".", color=palette.muted, markersize=4)
            continue
        corner = (_FIRST + rung, position - 0.31)
        axes.add_patch(Rectangle(corner, _CELL * k / row.n, 0.62, facecolor=palette.good, alpha=0.45, linewidth=0))
        axes.add_patch(Rectangle(corner, _CELL, 0.62, facecolor="none", edgecolor=palette.muted, linewidth=0.9))
        if k < row.n:
            axes.text(
                _FIRST + rung + _CELL / 2, position, f"{k}/{row.n}", ha="center", va="center", size=8, color=palette.ink
            )


def _draw_score(axes: Axes, position: int, row: _Row, palette: Palette) -> None:
    left = _FIRST + len(_RUNGS)
    text = f"{row.maturity}" if row.proven == row.maturity else f"{row.maturity} → {row.proven}"
    axes.text(left + _CELL / 2, position, text, ha="center", va="center", weight="bold", color=palette.ink)
    is_bad = row.state == "contradicted" or row.proven < row.maturity
    if row.state or is_bad:
        axes.text(
            left + _CELL + 0.04,
            position,
            (f"{TIMES} " if is_bad else "") + (row.state or "contradicted"),
            va="center",
            size=8,
            color=palette.ink if is_bad else palette.muted,
        )
