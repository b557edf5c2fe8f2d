"""Codes that changed their meaning or their name between versions of the tool.

What it measures: one message under one code in earlier versions and under another in later ones; one code declared with
another class, or with another fix command, from a version on.

Why it matters: a code is an API. What branches on it - a rule, a habit of a model, an alert - breaks without a word
when it changes, and figures of the two versions do not compare.

How to act: keep the code, or announce the change; list names that mean the same as aliases.

Source: "Codes are an interface other things depend on" (seed text); definitions 12.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding
from pipeline.analyses.words import cut, identity
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.code_stability where is_flagged order by tool, error_code, kind, before, after"


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per change between two versions."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    counts = row["before_count"], row["after_count"]
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["kind"], row["before"], row["after"]),
        analysis=ANALYSIS.name,
        severity="warning" if row["kind"] == "class_flip" else "info",
        verdict="watch",
        tool=row["tool"],
        error_code=row["error_code"],
        k=counts[1],
        n=sum(counts),
        sentence=_sentence(row),
        evidence=row["evidence"],
        weight=sum(counts),
    )


def _sentence(row: dict[str, Any]) -> str:
    before, after = cut(row["before"]), cut(row["after"])
    old, new = cut(row["before_version"]), cut(row["after_version"])
    counts = f"{row['before_count']} failures, then {row['after_count']}"
    match row["kind"]:
        case "rename":
            told = f'"{cut(row["template"])}" was {before} up to {old} and is {after} from {new} on ({counts})'
            return f"{told}. Keep the name, or list the two as aliases."
        case "class_flip":
            told = f"{cut(row['error_code'])} was declared {before} up to {old} and is {after} from {new} on ({counts})"
            return f"{told}. One of the two is untrue; announce the change."
        case _:
            told = f"The fix of {cut(row['error_code'])} was `{before}` up to {old} and is `{after}` from {new} on"
            return f"{told} ({counts}). Figures of the two do not compare."


ANALYSIS = Analysis(
    "code_stability",
    "Which codes changed name, class or fix between versions?",
    "marts.code_stability",
    find,
)
