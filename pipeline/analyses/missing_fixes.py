"""Errors declared final that something clears: a fix that the error does not name.

What it measures: of the failures with a code declared terminal that were tried again after something else was done, or
with other arguments, how many then worked (the first of each session).

Why it matters: `retryable:false` without a fix tells an agent to give up and call a person. Where a step exists that
clears the failure, the obedient agent never finds it.

How to act: state the condition in `fix_required`; where one safe, static command meets it, name it in `fix_command`.

Source: the recovery ladder's third rung; definitions 6. What agents did is observed, not an experiment.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import between, counted, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.missing_fixes where success_count > 0 order by tool, error_code"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per terminal code that something cleared at least once."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"]),
        analysis=ANALYSIS.name,
        severity="breach" if row["is_flagged"] else "info",
        verdict=row["verdict"],
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["success_count"],
        n=row["trial_count"],
        lower=row["rate_lower"],
        upper=row["rate_upper"],
        sentence=_sentence(row),
        evidence=row["evidence"],
        proposal=Proposal("fix_required", None) if row["is_flagged"] else None,
        weight=row["success_count"],
    )


def _sentence(row: dict[str, Any]) -> str:
    worked = of(row["success_count"], row["trial_count"], "session")
    told = f"{cut(row['error_code'])} says it is final, yet after a change it went away in {worked}"
    told += f" ({between(row['rate_lower'], row['rate_upper'])})"
    if row["remedy"]:
        told += f", most often after `{cut(row['remedy'])}` ({row['remedy_count']})"
    elif row["changed_count"]:
        told += ", with other arguments"
    if row["is_flagged"]:
        return f"{told}. Add fix_required."
    return f"{told}. Not decided: it takes {counted(row['trials_needed'], 'more session')} in which it goes away."


ANALYSIS = Analysis(
    "missing_fixes",
    "Which errors declared final have a fix that they do not name?",
    "marts.missing_fixes",
    find,
)
