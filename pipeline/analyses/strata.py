"""Comparisons that turn round under like conditions.

What it measures: whether calls after a fix, after other actions, or with other arguments work more often than unchanged
ones, pooled and within model x tool version x operation, side by side.

Why it matters: where one model meets the easy cases and uses one way, the pooled figure praises the way for the cases.

How to act: believe the difference within conditions; quote neither without the other.

Source: statistics 8 (Simpson's paradox). Agents chose what they did: an observation, not an experiment.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding
from pipeline.analyses.words import counted, cut, identity
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.strata where is_flagged order by tool, error_code, kind"
_WAYS = {"after_fix": "after the fix", "after_other": "after other actions", "changed": "with other arguments"}


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per comparison whose pooled and stratified differences point opposite ways."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    subject = cut(row["error_code"]) if row["error_code"] else f"all codes of {cut(row['tool'])}"
    pooled, within = (f"{100 * row[name]:+.1f}" for name in ("pooled_difference", "difference"))
    told = f"Calls {_WAYS[row['kind']]} against unchanged ones, {subject}: {pooled} points pooled, {within} within"
    conditions = counted(row["strata_count"], "condition")
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["kind"]),
        analysis=ANALYSIS.name,
        severity="info",
        verdict="watch",
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["kind_success_count"],
        n=row["kind_count"],
        sentence=f"{told} {conditions} of model, version and operation. The mix of cases made the pooled figure.",
        evidence=row["evidence"],
        weight=row["kind_count"],
    )


ANALYSIS = Analysis(
    "strata",
    "Which comparisons turn round under like conditions?",
    "marts.strata",
    find,
)
