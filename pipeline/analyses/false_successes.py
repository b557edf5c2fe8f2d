"""Failures reported under a good status.

What it measures: per operation, failures whose exit status or protocol flag said success while the body said failure
(tier P1: the envelope contradicts the status; P2: a nested status does). Outcomes that only read like failures (tier S)
are counted apart and never added.

Why it matters: no branch sees them. The agent goes on with bad cargo, and the damage surfaces far from the tool.

How to act: exit non-zero, set `isError`, answer with a failing HTTP status: where the caller looks first.

Source: "The most expensive error is the one that reports success" (seed text); definitions 8.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import between, counted, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.false_successes order by tool, operation, error_code, tier"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per operation, code and tier; suspected ones are `info`, with `strict` warnings."""
    return [_finding(row, is_strict=parameters.strict) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any], *, is_strict: bool) -> Finding:
    is_certain, count = row["is_flagged"], row["false_success_count"]
    code = f"; {cut(row['error_code'])}" if row["error_code"] else ""
    tool, operation = row["tool"] or "", row["operation"] or ""
    where = f"`{cut(operation if operation.startswith(tool) else f'{tool} {operation}'.strip())}`"
    if is_certain:
        interval = between(row["rate_lower"], row["rate_upper"])
        told = f"{where} reported success in {of(count, row['failure_count'], 'failure')} ({interval}{code})"
        sentence = f"{told}. Fail in the status, not only in the body."
    else:
        told = f"{where} may hide failures: {counted(count, 'outcome')} without a usable status read like one{code}"
        sentence = f"{told}. Suspected only: counted in no rate."
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["operation"], row["tier"]),
        analysis=ANALYSIS.name,
        severity="breach" if is_certain else "warning" if is_strict else "info",
        verdict="contradicted" if is_certain else "watch",
        tool=row["tool"],
        error_code=row["error_code"],
        k=count,
        n=row["failure_count"] if is_certain else None,
        lower=row["rate_lower"],
        upper=row["rate_upper"],
        sentence=sentence,
        evidence=row["evidence"],
        proposal=Proposal("exit_code", None) if is_certain else None,
        weight=count,
    )


ANALYSIS = Analysis(
    "false_successes",
    "Which failures reported success?",
    "marts.false_successes",
    find,
)
