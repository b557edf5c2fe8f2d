"""Codes that stand for several errors.

What it measures: how the failures of one code end - clear by themselves, by a fix, by a changed call, never - and
whether the message, the operation or the exit code tells which, better than chance.

Why it matters: a code that mixes a passing failure with a lasting one cannot be declared truly. An agent has to read
the prose to tell them apart, and its rate is an average of unlike things: it is not ranked.

How to act: give each kind of failure its own code.

Source: "A code generic enough to fit every failure" (seed text); definitions 12, statistics 9.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal
from pipeline.analyses.words import counted, cut, identity
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.code_purity where is_flagged order by tool, error_code, declared_class"
_FACETS = {"template": "message", "operation": "operation", "exit_code": "exit code"}
_ENDS = {
    "clears": "cleared by repeating",
    "by_fix": "cleared after something was done",
    "by_change": "cleared by a changed call",
    "never": "stayed",
}


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code that hides several errors."""
    return [_finding(row) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any]) -> Finding:
    ends = [f"{row[f'{end}_count']} {words}" for end, words in _ENDS.items() if row[f"{end}_count"]]
    told = f"{cut(row['error_code'])} is several errors: of {counted(row['failure_count'], 'failure')}, {_listed(ends)}"
    if row["is_split"]:
        told += f", and the {_FACETS[row['facet']]} tells which (p = {row['adjusted_p_value']:.2g})"
    elif row["facet"]:
        told += f"; the {_FACETS[row['facet']]} may tell which, {counted(row['failure_count'], 'failure')} are too few"
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["declared_class"]),
        analysis=ANALYSIS.name,
        severity="warning",
        verdict=row["verdict"],
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["failure_count"],
        n=row["failure_count"],
        sentence=f"{told}. {_examples(row)}Split the code.",
        evidence=row["evidence"],
        proposal=Proposal("code", None),
        weight=row["failure_count"],
    )


def _examples(row: dict[str, Any]) -> str:
    """Return two messages with how they mostly ended."""
    columns = ("templates", "template_behaviours", "template_behaviour_counts", "template_counts")
    held = list(zip(*(row[name] for name in columns), strict=True))[:2]
    told = [f'"{cut(text)}" {_ENDS[end]} {k} of {n} times' for text, end, k, n in held if text]
    return f"{_listed(told)}. " if told else ""


def _listed(parts: list[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)


ANALYSIS = Analysis(
    "generic_codes",
    "Which codes stand for several errors?",
    "marts.code_purity",
    find,
)
