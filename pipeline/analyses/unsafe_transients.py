"""Errors declared retryable whose reissue met the effect of the first try.

What it measures: of the failures with one code declared `retryable:true`, how many were followed by "already exists",
"conflict" or "duplicate" when the call was repeated.

Why it matters: `retryable:true` promises that nothing happened yet. Where something did, an obedient agent sends the
mail, books the flight or starts the job twice.

How to act: declare `retryable:false` and say how to check for the effect, or accept an idempotency key.

Source: exit-code semantics of `retryable` (no side effects occurred); definitions 6: one is a finding.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import between, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.unsafe_transients where is_flagged order by tool, error_code"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code whose reissue met its own effect."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    told = f"{cut(row['error_code'])} says retryable:true, but in {of(row['unsafe_count'], row['leg_count'], 'case')}"
    interval = between(row["rate_lower"], row["rate_upper"])
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"]),
        analysis=ANALYSIS.name,
        severity="breach",
        verdict="contradicted",
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["unsafe_count"],
        n=row["leg_count"],
        lower=row["rate_lower"],
        upper=row["rate_upper"],
        sentence=f"{told} ({interval}) the reissue met what the first try had done. Declare retryable:false.",
        evidence=row["evidence"],
        proposal=Proposal("retryable", value=False),
        weight=row["unsafe_count"],
    )


ANALYSIS = Analysis(
    "unsafe_transients",
    "Is it safe to repeat what is declared retryable?",
    "marts.unsafe_transients",
    find,
)
