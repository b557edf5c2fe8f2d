"""The charts of the page as markup, and the few rows beside them, read from the store that the report came from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.report.evidence import Case, evidence
from pipeline.report.html_parts import shown
from pipeline.report.period import within
from pipeline.report.plain import plain
from pipeline.store import records

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

    from pipeline.parameters import Parameters
    from pipeline.plots import Chart

MOST_WAITS = 4
MOST_LOOKS = 400
"""Reissues in one wait chart: chosen by the hash of their id, the same ones each time; the chart says of how many."""
_EPISODES = """
select tool, origin_code, outcome, attempt_count, failure_count from core.episodes
where tool = coalesce($tool, tool)
order by all
"""
_WAITS = """
select tool, error_code from marts.retry_after_calibration
where is_total and look_count > 0 and tool = coalesce($tool, tool)
order by coalesce(is_flagged, false) desc, look_count desc, tool, error_code
"""
_LOOKS = """
select *, count(*) over () as look_count from core.wait_looks
where tool = $tool and error_code = $code
order by hash(attempt_id), attempt_id limit $most
"""
_FIXES = "select * from marts.failed_closed_loops where tool = coalesce($tool, tool) order by all"
_COMPLIANCE = """
select * from marts.compliance
where case when $tool is null then dimension in ('all', 'agent', 'model') else dimension = 'tool' and value = $tool end
order by array_position(['all', 'tool', 'agent', 'model'], dimension), decision_count desc, value
limit 30
"""


@dataclass(frozen=True, slots=True)
class Extras:
    """What the page shows beside the report's own numbers. Charts are markup; text in rows and cases is raw."""

    evidence: dict[str, tuple[Case, ...]]
    recovery: str = ""
    waits: tuple[str, ...] = ()
    waits_left_out: int = 0
    loops: str = ""
    compliance: tuple[dict[str, Any], ...] = ()


def extras(
    connection: "duckdb.DuckDBPyConnection",
    parameters: "Parameters",
    report: dict[str, Any],
    *,
    since: "datetime | None" = None,
    until: "datetime | None" = None,
) -> Extras:
    """Return the evidence and the charts of a report.

    Args:
        connection: The store that `report` was built from.
        parameters: The values that its models were built with.
        report: As `content.build` returned it.
        since: As was given to `content.build`, as is `until`.
        until: See there.
    """
    from pipeline import plots

    tool = report["parameters"]["tool"]
    with within(connection, parameters, since, until) as period:
        rows = records(period, _WAITS, {"tool": tool})
        asked = {"tool": tool}
        return Extras(
            evidence=evidence(period, report["findings"]),
            recovery=_svg(lambda: plots.recovery_curve(period.execute(_EPISODES, asked).df())),
            waits=tuple(_wait(period, row) for row in rows[:MOST_WAITS]),
            waits_left_out=max(len(rows) - MOST_WAITS, 0),
            loops=_svg(lambda: plots.closed_loop_matrix(period.execute(_FIXES, asked).df())),
            compliance=tuple(plain(records(period, _COMPLIANCE, asked))),
        )


def _wait(connection: "duckdb.DuckDBPyConnection", row: dict[str, Any]) -> str:
    from pipeline import plots

    asked = {"tool": row["tool"], "code": row["error_code"], "most": MOST_LOOKS}
    looks = connection.execute(_LOOKS, asked).df()
    total = int(looks["look_count"].max()) if len(looks) else 0
    sample = f"A sample: {len(looks):,} of {total:,} reissues are drawn and counted here." if total > len(looks) else ""
    return _svg(lambda: plots.wait_calibration(looks, row["error_code"], tool=row["tool"]), sample)


def _svg(draw: "Callable[[], Chart]", sample: str = "") -> str:
    """Return a chart in a frame that scrolls where it would become too small to read; `sample`: what it leaves out."""
    from pipeline import plots

    chart = draw()
    told = f'<p class="of sample">{sample}</p>' if sample else ""
    svg = plots.to_svg(chart, title=chart.title, description=chart.description, css_variables=True)
    label = shown(chart.title, limit=120)
    return (
        f'<figure><div class="scroll" role="region" tabindex="0" aria-label="{label}">{svg}</div>'
        f"<figcaption>{told}<details><summary>In words</summary><p>{shown(chart.description)}</p></details>"
        "</figcaption></figure>"
    )
