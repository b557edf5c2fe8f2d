"""Fix commands whose text alone breaks the rules for them.

What it measures: every declared `fix_command` against the rules checked at registration; one finding per code and rule.
Nothing is ever run.

Why it matters: the caller executes the string blindly. Authoring one is injecting code into every consumer of the tool.

How to act: name one static, safe, complete command of the same tool; where there is none, keep `fix_required` only.

Source: REQ-C-030; definitions 12. What depends on a manifest (companions, danger levels) or on more than one text is a
warning.
"""

from itertools import groupby
from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal, Severity
from pipeline.analyses.words import counted, cut, identity
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = """
select *, unnest(rules) as rule from marts.fix_command_lint where is_flagged
order by tool, error_code, rule, occurrence_count desc, fix_command
"""

RULES: dict[str, tuple[Severity, str]] = {
    "placeholder": ("breach", "holds a placeholder that an agent pastes as it stands"),
    "shell_syntax": ("breach", "is a shell pipeline or chain, not one command"),
    "destructive": ("breach", "destroys something, and an agent will not ask first"),
    "self_referential": ("breach", "is the failing command itself"),
    "prose": ("breach", "is a sentence, not a command"),
    "destructive_suspect": ("warning", "looks destructive or skips a question; declare its danger level"),
    "foreign_program": ("warning", "is another program's; declare it a companion"),
    "interpolated": ("warning", "differs from call to call; only static text is safe"),
}
"""By rule of `marts.fix_command_lint`: how bad it is and what it says; rules not named here need a manifest."""


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code and broken rule; its example is the fix seen most often."""
    found = [row for row in records(connection, _QUERY) if row["rule"] in RULES]
    groups = groupby(found, key=lambda row: (row["tool"], row["error_code"], row["rule"]))
    return [_finding(list(group)) for _, group in groups]


def _finding(fixes: list[dict[str, Any]]) -> Finding:
    first, count = fixes[0], sum(row["occurrence_count"] for row in fixes)
    severity, fault = RULES[first["rule"]]
    others = f" and {counted(len(fixes) - 1, 'other')}" if len(fixes) > 1 else ""
    told = f"The fix of {cut(first['error_code'])}, `{cut(first['fix_command'])}`{others}, {fault}"
    return Finding(
        id=identity(ANALYSIS.name, first["tool"], first["error_code"], first["rule"]),
        analysis=ANALYSIS.name,
        severity=severity,
        verdict="contradicted" if severity == "breach" else "watch",
        tool=first["tool"],
        error_code=first["error_code"],
        k=count,
        n=count,
        sentence=f"{told} ({counted(count, 'occurrence')}).",
        evidence=sorted({attempt for row in fixes for attempt in row["evidence"]})[:10],
        proposal=Proposal("fix_command", None),
        weight=count,
    )


ANALYSIS = Analysis(
    "fix_command_lint",
    "Could an agent paste this fix and run it?",
    "marts.fix_command_lint",
    find,
)
