"""Fix commands that exit 0 and leave the failure as it was.

What it measures: of the times an agent ran the declared `fix_command` and repeated the failed call, how often the same
code came back.

Why it matters: the weakest agent can do nothing but run the command and try again; a fix that does not fix sends it in
circles and spends its budget.

How to act: correct the command, or drop `fix_command` and state the condition in `fix_required`.

Source: REQ-C-030, acceptance criterion "closed loop"; definitions 7. One failed loop breaks the contract; a breach is
one whose failed-loop rate is above `tau_low` with 95 % confidence.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal, Severity, Verdict
from pipeline.analyses.words import between, counted, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.failed_closed_loops where trial_count > 0 order by tool, error_code, fix_command"
_NEEDED_TO_SUPPORT = 14
"""Loops without a failure that exclude a failed-loop rate of 20 % (statistics 1)."""


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per fix command that was followed by the original call."""
    return [_finding(row, parameters) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any], parameters: Parameters) -> Finding:
    has_failed = row["failed_count"] > 0
    severity: Severity = "info"
    if has_failed:
        severity = "breach" if row["rate_lower"] > parameters.tau_low else "warning"
    verdict, sentence = _words(row)
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["fix_command"]),
        analysis=ANALYSIS.name,
        severity=severity,
        verdict=verdict,
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["failed_count"],
        n=row["trial_count"],
        lower=row["rate_lower"],
        upper=row["rate_upper"],
        sentence=sentence,
        evidence=row["evidence"],
        proposal=Proposal("fix_command", None) if has_failed else None,
        # the fix and the second failure are both calls for nothing
        weight=2 * row["failed_count"],
    )


def _words(row: dict[str, Any]) -> tuple[Verdict, str]:
    fix, code, trials = cut(row["fix_command"]), cut(row["error_code"]), row["trial_count"]
    interval = between(row["rate_lower"], row["rate_upper"])
    if row["failed_count"]:
        told = f"`{fix}` exits 0, but {code} came back in {of(row['failed_count'], trials, 'loop')} ({interval})."
        return "contradicted", f"{told} Correct the command, or drop fix_command and keep fix_required."
    told = f"`{fix}` ran, and {code} came back in {of(0, trials, 'loop')} ({interval})"
    if trials >= _NEEDED_TO_SUPPORT:
        return "supported", f"{told}."
    return "insufficient", f"{told}. No verdict yet: {counted(_NEEDED_TO_SUPPORT - trials, 'more loop')} needed."


ANALYSIS = Analysis(
    "failed_closed_loops",
    "Does the original call work after the declared fix ran?",
    "marts.failed_closed_loops",
    find,
)
