"""Errors that agents do not follow, or follow to no end.

What it measures: of the decisions that a declared failure put before an agent, how many took the prescribed way (with
three reissues at most); and of those, how many recovered in the end. Kept apart from the tool's score.

Why it matters: compliant and not recovered is the tool's share of a failure, recovered against advice is evidence
against the declaration, and the rest is the agent's.

How to act: where nobody follows the error, make the next step plainer or the wait honest; where following it leads
nowhere, change what it prescribes.

Source: recovery procedure of the guide to recoverable errors; definitions 11.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Severity
from pipeline.analyses.words import between, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = """
select found.*, coalesce(len(codes.contradictions), 0) > 0 as is_contradicted from marts.obedience as found
left join marts.error_codes as codes using (tool, error_code, declared_class)
where found.is_flagged order by found.tool, found.error_code, found.declared_class
"""

VIOLATIONS = {
    "early_retry": "reissued before the wait was over",
    "changed_transient": "changed the call instead of repeating it",
    "over_budget": "went on past three reissues",
    "premature_abandon": "gave up with the budget unspent",
    "skipped_fix": "did not run the fix",
    "edited_fix": "ran another version of the fix",
    "repeated_fix": "ran the fix more than once",
    "no_reissue_after_fix": "ran the fix and did not repeat the call",
    "unchanged_correctable": "repeated the call with nothing corrected",
    "retried_more": "went on after the one reissue",
    "retried_terminal": "tried again after a final error",
    "stop_no_escalation": "stopped without naming the error to anyone",
}
"""What an agent did, by the name of the violation."""


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return up to two findings per code: agents do something else; doing as told leads nowhere."""
    return [finding for row in records(connection, _QUERY) for finding in _findings(row)]


def _findings(row: dict[str, Any]) -> Iterator[Finding]:
    code = cut(row["error_code"])
    if row["is_disobeyed"]:
        counts = (row["compliant_count"], row["decision_count"])
        bounds = (row["rate_lower"], row["rate_upper"])
        told = f"Agents did as {code} says in {of(*counts, 'decision')} ({between(*bounds)})"
        most = f"in {row['violation_count']:,} an agent {VIOLATIONS[row['violation']]}"
        others = of(row["against_advice_count"], counts[1] - counts[0], "other")
        sentence = f"{told}; {most}. {others[0].upper()}{others[1:]} recovered all the same."
        yield _finding(row, "disobeyed", "info", counts, bounds, sentence, row["violation_evidence"])
    # a declaration that is untrue by itself has its own finding
    if row["is_leading_nowhere"] and not row["is_contradicted"]:
        counts = (row["recovered_count"], row["compliant_count"])
        bounds = (row["recovered_lower"], row["recovered_upper"])
        told = f"Doing as {code} says led back in {of(*counts, 'decision')} ({between(*bounds)})"
        sentence = f"{told}. Agents are not to blame: change what the error prescribes."
        yield _finding(row, "nowhere", "warning", counts, bounds, sentence, row["obeyed_evidence"])


def _finding(
    row: dict[str, Any],
    kind: str,
    severity: Severity,
    counts: tuple[int, int],
    bounds: tuple[float, float],
    sentence: str,
    evidence: list[str],
) -> Finding:
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["declared_class"], kind),
        analysis=ANALYSIS.name,
        severity=severity,
        verdict="watch",
        tool=row["tool"],
        error_code=row["error_code"],
        k=counts[0],
        n=counts[1],
        lower=bounds[0],
        upper=bounds[1],
        sentence=sentence,
        evidence=evidence,
        weight=counts[1] - counts[0],
    )


ANALYSIS = Analysis(
    "compliance",
    "Do agents do what the error prescribes, and does it lead back?",
    "marts.obedience",
    find,
)
