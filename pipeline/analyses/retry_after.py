"""Declared waits that are too short to help, or far longer than needed.

What it measures: of the unchanged reissues after a declared wait (one a session and group of waits), how many worked at
1 to 1.5 times the wait, and how many below half of it; and from which wait on they work.

Why it matters: a wait that is too short makes the obedient agent fail again and spends its budget; one that is too long
costs time in every recovery, and agents learn not to believe it.

How to act: declare the proposed wait. It is one that was seen to work, never a guess beyond the observed delays.

Source: REQ-C-014; definitions 6, statistics 6.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import between, cut, duration, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.retry_after_calibration where is_flagged order by tool, error_code, declared_class"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code whose declared wait is contradicted."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    side = "declared" if row["finding"] == "retry_after_too_short" else "early"
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["declared_class"]),
        analysis=ANALYSIS.name,
        severity="breach" if side == "declared" else "warning",
        verdict=row["verdict"],
        tool=row["tool"],
        error_code=row["error_code"],
        k=row[f"{side}_k"],
        n=row[f"{side}_n"],
        lower=row[f"{side}_lower"],
        upper=row[f"{side}_upper"],
        sentence=_sentence(row, side),
        evidence=row["evidence"],
        proposal=Proposal("retry_after_ms", row["recommended_ms"]),
        weight=row["declared_n"] - row["declared_k"] if side == "declared" else row["early_n"],
    )


def _sentence(row: dict[str, Any], side: str) -> str:
    worked = of(row[f"{side}_k"], row[f"{side}_n"], "reissue")
    told = f"{cut(row['error_code'])} says to wait {_wait(row)}"
    interval = between(row[f"{side}_lower"], row[f"{side}_upper"])
    if side == "declared":
        return f"{told}, but after that wait {worked} worked ({interval}). {_advice(row)}"
    return f"{told}, yet before half of it {worked} worked ({interval}). {_advice(row)}"


def _wait(row: dict[str, Any]) -> str:
    if row["declared_ms"] is not None:
        return duration(row["declared_ms"])
    return f"{duration(row['least_declared_ms'])} to {duration(row['most_declared_ms'])}"


def _advice(row: dict[str, Any]) -> str:
    """Return what to declare; nothing is said about waits that nobody tried."""
    backing = f"from there on {of(row['recommended_k'], row['recommended_n'], 'reissue')} worked"
    if row["recommended_ms"] is not None:
        return f"Declare {row['recommended_ms']} ms: {backing}."
    if row["recommended_ratio"] is not None:
        return f"Declare {row['recommended_ratio']:.2g} times the wait: {backing}."
    return f"No wait that was tried (up to {duration(row['longest_delay_ms'])}) works nine times in ten."


ANALYSIS = Analysis(
    "retry_after",
    "Is the declared wait long enough, and no longer?",
    "marts.retry_after_calibration",
    find,
)
