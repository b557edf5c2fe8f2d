"""Fix commands that fail themselves, cannot be run, or must not be run twice.

What it measures: of the runs of a declared `fix_command` after its failure, how many exited non-zero or never started;
and of the runs right after a good one, how many failed.

Why it matters: the agent has no second idea. A fix that does not run ends the recovery before it began.

How to act: name a command that runs as printed where the failure happens; make it idempotent.

Source: REQ-C-030, acceptance criteria "runs successfully as-is" and "twice in a row"; definitions 7.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import between, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.failing_fixes where is_flagged order by tool, error_code, fix_command"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return up to two findings per fix command: it failed; it failed when it was run again."""
    return [finding for row in records(connection, _QUERY) for finding in _findings(row)]


def _findings(row: dict[str, Any]) -> Iterator[Finding]:
    fix, code = f"`{cut(row['fix_command'])}`", cut(row["error_code"])
    if row["failed_count"]:
        verb = "could not start" if row["unrunnable_count"] == row["failed_count"] else "failed"
        told = f"{fix}, the fix of {code}, {verb} in {of(row['failed_count'], row['run_count'], 'run')}"
        bounds = (row["rate_lower"], row["rate_upper"])
        sentence = f"{told} ({between(*bounds)}). Name a command that runs as printed."
        yield _finding(row, "run", (row["failed_count"], row["run_count"]), bounds, sentence, row["evidence"])
    if row["failed_repeat_count"]:
        counts = (row["failed_repeat_count"], row["repeat_count"])
        told = f"{fix}, the fix of {code}, failed in {of(*counts, 'run')} right after a good one"
        bounds = (row["repeat_lower"], row["repeat_upper"])
        sentence = f"{told} ({between(*bounds)}). Make it idempotent."
        yield _finding(row, "repeat", counts, bounds, sentence, row["repeat_evidence"])


def _finding(
    row: dict[str, Any],
    kind: str,
    counts: tuple[int, int],
    bounds: tuple[float, float],
    sentence: str,
    evidence: list[str],
) -> Finding:
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["fix_command"], kind),
        analysis=ANALYSIS.name,
        severity="breach",
        verdict="contradicted",
        tool=row["tool"],
        error_code=row["error_code"],
        k=counts[0],
        n=counts[1],
        lower=bounds[0],
        upper=bounds[1],
        sentence=sentence,
        evidence=evidence,
        proposal=Proposal("fix_command", None),
        weight=counts[0],
    )


ANALYSIS = Analysis(
    "failing_fixes",
    "Does the declared fix itself run, and again?",
    "marts.failing_fixes",
    find,
)
