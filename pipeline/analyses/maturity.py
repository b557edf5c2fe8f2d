"""Codes that stand low on the recovery ladder, and the rung that is missing.

What it measures: the level (0..3) that 95 % of a code's occurrences reach, and which field keeps it from the next.

Why it matters: each rung asks less of the caller. Without `retryable` nothing but guessing is left; without
`fix_command` the weakest agent stops where a copied string would have gone on.

How to act: add the named field to that code.

Source: REQ-C-013, -014, -030; definitions 9. Below `maturity_occurrences` the level is provisional.
"""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from pipeline.analyses.finding import Analysis, Finding, Proposal, Severity, Verdict
from pipeline.analyses.words import counted, cut, identity
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = "select * from marts.error_codes where maturity < 3 order by tool, error_code, declared_class"
_LAST_RUNG = 2


class Rung(NamedTuple):
    """What a code lacks."""

    field: str
    lack: str


RETRYABLE = Rung("retryable", "does not say whether repeating helps. Add retryable")
MAYBE = Rung("retryable", 'says retryable:"maybe", on which no agent can act. Say true or false')
NAME = Rung("code", "is no constant to branch on. Use [A-Z][A-Z0-9_]+")
CODE = Rung("code", "fits every failure. Give each kind of failure its own code")
CONTRADICTION = Rung("retryable", "contradicts itself (a fix or a wait that its class excludes). Keep one class")
WAIT = Rung("retry_after_ms", "says retryable:true, but not when. Add retry_after_ms")
FIX_REQUIRED = Rung("fix_required", "says stop, though the caller could correct it. Add fix_required")
FIX_COMMAND = Rung("fix_command", "names a fix that one command could do, but not the command. Add fix_command")
PLACEHOLDER = Rung("fix_command", "has a fix command with a placeholder. Drop it, and keep fix_required")


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code and class below level 3."""
    return [_finding(row, parameters) for row in records(connection, _QUERY)]


def missing_rung(row: dict[str, Any]) -> Rung:
    """Return the rung that keeps a row of `marts.error_codes` from the next level."""
    level, declared = row["maturity"], row["declared_class"]
    if level == 0:
        return CODE if re.fullmatch("[A-Z][A-Z0-9_]+", row["error_code"]) else NAME
    if declared in ("undeclared", "maybe"):
        return RETRYABLE if declared == "undeclared" else MAYBE
    if declared == "contradictory":
        return CONTRADICTION
    if declared == "transient":
        return WAIT if row["with_retry_after_count"] < row["occurrence_count"] else CODE
    if level < _LAST_RUNG:
        return PLACEHOLDER if row["with_fix_command_count"] else CODE
    return FIX_COMMAND if declared == "correctable" else FIX_REQUIRED


def _finding(row: dict[str, Any], parameters: Parameters) -> Finding:
    rung, count = missing_rung(row), row["occurrence_count"]
    severity: Severity = "info" if row["is_provisional"] or row["maturity"] == _LAST_RUNG else "warning"
    verdict: Verdict = "watch" if row["maturity"] == _LAST_RUNG else "contradicted"
    told = f"{cut(row['error_code'])} {rung.lack} (maturity {row['maturity']} of 3 in {counted(count, 'occurrence')}"
    if row["is_provisional"]:
        verdict = "insufficient"
        told += f"; provisional, {parameters.maturity_occurrences - count} more needed"
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["declared_class"]),
        analysis=ANALYSIS.name,
        severity=severity,
        verdict=verdict,
        tool=row["tool"],
        error_code=row["error_code"],
        k=count,
        n=count,
        sentence=f"{told}).",
        evidence=row["evidence"],
        proposal=Proposal(rung.field, None),
        weight=row["wasted_calls"],
    )


ANALYSIS = Analysis(
    "maturity",
    "How much of the recovery ladder does each code carry?",
    "marts.error_codes",
    find,
)
