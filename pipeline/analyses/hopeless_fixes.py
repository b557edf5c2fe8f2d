"""Errors declared correctable whose correction never helps.

What it measures: of the failures whose declared fix was applied (the command ran; or, where only a condition is named,
something was changed), after how many the next call did not fail with the same code (the first of each session).

Why it matters: a fix that never helps costs every agent a call and a reissue before it may give up.

How to act: name another fix, or declare the error terminal.

Source: definitions 6. One failed loop of a command is a finding of its own, `failed_closed_loops`.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import between, counted, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = """
select * from marts.hopeless_fixes where is_flagged or (verdict = 'watch' and helped_count = 0)
order by tool, error_code
"""


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per correctable code whose fix never helped in five sessions or more."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    interval = between(row["rate_lower"], row["rate_upper"])
    told = f"The fix of {cut(row['error_code'])} helped in {of(row['helped_count'], row['trial_count'], 'session')}"
    if row["is_flagged"]:
        advice = "Name another fix, or declare the error terminal."
    else:
        advice = f"Not decided: up to {counted(row['trials_needed'], 'more session')} needed."
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"]),
        analysis=ANALYSIS.name,
        severity="breach" if row["is_flagged"] else "info",
        verdict=row["verdict"],
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["helped_count"],
        n=row["trial_count"],
        lower=row["rate_lower"],
        upper=row["rate_upper"],
        sentence=f"{told} ({interval}). {advice}",
        evidence=row["evidence"],
        proposal=Proposal("fix_command" if row["is_command"] else "fix_required", None) if row["is_flagged"] else None,
        weight=2 * (row["trial_count"] - row["helped_count"]),
    )


ANALYSIS = Analysis(
    "hopeless_fixes",
    "Does the declared correction ever help?",
    "marts.hopeless_fixes",
    find,
)
