"""Fixes that do no better than waiting.

What it measures: how often the call worked after the declared fix ran, against how often it worked after a similar
delay without the fix (the first of each session, within model and delay).

Why it matters: an error that clears by itself makes any command look like its cure. Agents then run it for ever.

How to act: where the fix makes no difference, drop it and declare the error transient with a wait.

Source: definitions 7, statistics 8. Agents chose what they did: an observation, not an experiment.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Verdict
from pipeline.analyses.words import cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.fix_effects where fix_effect != 'not compared' order by tool, error_code"
_VERDICTS: dict[str, Verdict] = {
    "distinguishable": "supported",
    "worse": "contradicted",
    "not distinguishable": "watch",
}
_READINGS = {
    "distinguishable": "The fix helps beyond waiting",
    "worse": "The call does worse after the fix",
    "not distinguishable": "The effect of the fix is not distinguishable from waiting",
}


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code with enough sessions that ran the fix and enough that only waited."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    fixed = of(row["fix_success_count"], row["fix_count"], "session")
    waited = of(row["none_success_count"], row["none_count"], "session")
    told = f"After the fix of {cut(row['error_code'])} the call worked in {fixed}, without it in {waited}"
    points = f"{_points(row['difference'])} points, 95 % interval {_points(row['difference_lower'])} to "
    points += _points(row["difference_upper"])
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"]),
        analysis=ANALYSIS.name,
        severity="warning" if row["is_flagged"] else "info",
        verdict=_VERDICTS[row["fix_effect"]],
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["fix_success_count"],
        n=row["fix_count"],
        lower=row["fix_lower"],
        upper=row["fix_upper"],
        sentence=f"{told}; after similar delays {points}. {_READINGS[row['fix_effect']]}.",
        evidence=row["evidence"],
        weight=row["fix_count"] if row["is_flagged"] else 0,
    )


def _points(share: float) -> str:
    return f"{100 * share:+.0f}"


ANALYSIS = Analysis(
    "fix_effects",
    "Does the fix help beyond waiting?",
    "marts.fix_effects",
    find,
)
