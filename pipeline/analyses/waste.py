"""The codes whose failures cost most.

What it measures: failing calls, their time and their tokens per code, with the code's share of all failing; the five
dearest by the largest of the three shares.

Why it matters: it says where a better error pays first.

How to act: start with the dearest code that another finding names.

Source: definitions 6 (waste) and 10. Time and tokens that a log does not state count as nothing.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding
from pipeline.analyses.words import cut, duration, identity, of, percent
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.wasted_calls where is_flagged order by rank_number"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding for each of the five dearest codes."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"]),
        analysis=ANALYSIS.name,
        severity="info",
        verdict="watch",
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["wasted_calls"],
        n=row["total_calls"],
        sentence=f"{cut(row['error_code'])} cost {', '.join(_costs(row))}.",
        evidence=row["evidence"],
        weight=row["wasted_calls"],
    )


def _costs(row: dict[str, Any]) -> list[str]:
    """Return what the code cost in each currency that the logs state."""
    calls = of(row["wasted_calls"], row["total_calls"], "failing call")
    costs = [f"{calls} ({percent(row['wasted_calls'] / row['total_calls'])} %)"]
    if row["wasted_ms"]:
        costs.append(f"{duration(row['wasted_ms'])} ({percent(row['wasted_ms'] / row['total_ms'])} %)")
    if row["wasted_tokens"]:
        costs.append(f"{row['wasted_tokens']:,} tokens ({percent(row['wasted_tokens'] / row['total_tokens'])} %)")
    return costs


ANALYSIS = Analysis(
    "waste",
    "Where does failing cost most?",
    "marts.wasted_calls",
    find,
)
