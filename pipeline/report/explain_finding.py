"""A finding in full: its sentence, its numbers, the rule behind its verdict, and the attempts it rests on."""

import re
from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pipeline.analyses import ANALYSES
from pipeline.analyses.ranking import all_findings
from pipeline.errors import RecoupError
from pipeline.report.cells import change, measure
from pipeline.report.escape import escape

if TYPE_CHECKING:
    import duckdb

    from pipeline.parameters import Parameters

SECTIONS = {
    "misclassified_retryables": "Verdicts",
    "unsafe_transients": "Verdicts",
    "false_successes": "Verdicts",
    "failed_closed_loops": "Verdicts",
    "failing_fixes": "Verdicts",
    "fix_command_lint": "What the error declared",
    "maturity": "Maturity",
    "uncoded_errors": "Maturity",
    "waste": "Recovery effectiveness",
    "retry_after": "Reissues",
    "missing_fixes": "What the error declared",
    "hopeless_fixes": "What the error declared",
    "fix_effects": "Verdicts",
    "generic_codes": "Maturity",
    "code_stability": "What the error declared",
    "strata": "Reissues",
    "compliance": "What the error declared",
}
"""The section of `docs/definitions.md` that holds the terms of an analysis."""
_RULE = {"measures": "What it measures", "act": "How to act", "source": "Source"}
_CANDIDATES = 20


def named(
    connection: "duckdb.DuckDBPyConnection", parameters: "Parameters", subject: str, *, tool: str | None = None
) -> dict[str, Any] | None:
    """Return the finding with this id, or the only one whose id begins so; None where there is none.

    Args:
        connection: A store whose models are built.
        parameters: The ones they were built with.
        subject: An id, as `findings[].id` of the report, or its start.
        tool: Only findings about this tool.

    Returns:
        The fields of a finding, and `rule`: `question`, what it `measures`, how to `act`, its `source` and the
        `section` of the definitions. Text of logs is raw.

    Raises:
        RecoupError: SUBJECT_NOT_FOUND where several begin so; the error lists them.
    """
    found = {finding.id: finding for finding in all_findings(connection, parameters, tool=tool)}
    begun = sorted([subject] if subject in found else (id for id in found if id.startswith(subject)))
    if len(begun) > 1:
        raise RecoupError(
            "SUBJECT_NOT_FOUND",
            f"{len(begun)} findings begin with {subject}: give more of the id",
            context={"subject": subject, "tool": tool, "candidates": begun[:_CANDIDATES]},
        )
    if not begun:
        return None
    finding = found[begun[0]]
    return asdict(finding) | {"rule": _rule(finding.analysis)}


def finding_lines(finding: dict[str, Any]) -> list[str]:
    """Return the lines about a finding, as `named` returns it."""
    rule = finding["rule"]
    proposed = change(finding)
    numbers = measure(finding)
    lines = [
        f"finding {escape(finding['id'])}: {finding['severity']}, {finding['verdict']}",
        f"  {escape(finding['sentence'])}",
    ]
    lines += [f"  counted: {numbers}"] if numbers else []
    lines.append(f"  rule: {rule['question']}")
    lines += [f"    {rule['measures']}"] if rule["measures"] else []
    lines += [f"    source: {rule['source']}"] if rule["source"] else []
    lines.append(f"    terms: docs/definitions.md, {rule['section']}")
    if proposed:
        lines.append(f"  change: set {proposed[0]} to {proposed[1]}" if proposed[1] else f"  change: {proposed[0]}")
    lines += [f"  how to act: {rule['act']}"] if rule["act"] else []
    return lines


def _rule(analysis: str) -> dict[str, str]:
    """Return what the analysis says of itself; the sections are empty where Python runs without docstrings."""
    [question] = [one.question for one in ANALYSES if one.name == analysis]
    told = import_module(f"pipeline.analyses.{analysis}").__doc__ or ""
    parts = {name: _part(told, title) for name, title in _RULE.items()}
    return {"question": question, **parts, "section": SECTIONS[analysis]}


def _part(told: str, title: str) -> str:
    found = re.search(rf"^{title}: (.*?)(?:\n\n|\Z)", told, re.MULTILINE | re.DOTALL)
    return " ".join(found[1].split()) if found else ""
