"""Failures that carry no code of their own, grouped by what they say.

What it measures: certain failures without a machine-readable code, by tool and fingerprint of the text (numbers, paths
and names masked). A stable code found inside the prose is named, and the group still counts as uncoded.

Why it matters: prose can only be guessed at. These failures score 0, and they are in the tool's average.

How to act: give the most frequent ones a code first.

Source: REQ-C-013; definitions 9. Fewer than `maturity_occurrences`, or all in one session: information only.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import counted, cut, identity
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.uncoded_errors order by tool, lifted_code nulls last, fingerprint nulls last"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per tool and kind of uncoded failure."""
    return [_finding(row, parameters) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any], parameters: Parameters) -> Finding:
    count, lifted = row["occurrence_count"], row["lifted_code"]
    is_common = count >= parameters.maturity_occurrences and row["session_count"] > 1
    said = " ".join(cut(row["first_message"], 400).split())
    named = f", though the text names {cut(lifted)}" if lifted else f': "{cut(said)}"' if said else ""
    told = f"{counted(count, 'failure')} of `{cut(row['tool'])}` in {counted(row['session_count'], 'session')}"
    told += f" {'carries' if count == 1 else 'carry'} no code{named}"
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], lifted or row["fingerprint"]),
        analysis=ANALYSIS.name,
        severity="warning" if is_common else "info",
        verdict="contradicted" if is_common else "insufficient",
        tool=row["tool"],
        error_code=None,
        k=count,
        n=count,
        sentence=f"{told}. {_advice(count, parameters, is_common=is_common)}",
        evidence=row["evidence"],
        proposal=Proposal("code", lifted),
        weight=row["wasted_calls"],
    )


def _advice(count: int, parameters: Parameters, *, is_common: bool) -> str:
    if is_common:
        return "Give them one."
    more = parameters.maturity_occurrences - count
    wanted = f"{more} more" if more > 0 else "a second session"
    return f"Too few to rank: {wanted} needed."


ANALYSIS = Analysis(
    "uncoded_errors",
    "Which failures could an agent only read as prose?",
    "marts.uncoded_errors",
    find,
)
