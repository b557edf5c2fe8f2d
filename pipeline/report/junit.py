"""The check as JUnit XML, which every CI shows: a test case for each code and analysis."""

from typing import Any
from xml.sax.saxutils import escape as xml
from xml.sax.saxutils import quoteattr

from pipeline.analyses import ANALYSES
from pipeline.report.escape import escape
from pipeline.report.gate import Checked, Violation

_UNTRIED = {
    "misclassified_retryables": ("fair_reissue_count", "never fairly reissued"),
    "failed_closed_loops": ("closed_loop_count", "its fix never closed a loop"),
}
"""Analyses that can say nothing of a code where a count is 0, and why."""


def render(report: dict[str, Any], checked: Checked) -> str:
    """Return one suite: failed are findings over a limit that no baseline knows, skipped what has no verdict.

    Args:
        report: As `content.build` returns it.
        checked: The check of this report.
    """
    new = {one.id: one for one in checked.violations if one.is_new}
    cases = [_case(subject, found, untried, new) for subject, found, untried in _subjects(report)]
    cases += [_limit(one) for one in new.values() if one.limit != "fail_on"]
    counts = {
        "tests": len(cases),
        "failures": sum("<failure" in case for case in cases),
        "skipped": sum("<skipped" in case for case in cases),
        "errors": 0,
    }
    told = " ".join(f'{name}="{count}"' for name, count in counts.items())
    said = xml("not checked: " + ("; ".join(checked.unchecked) or "nothing was left out"))
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {told}>\n<testsuite name="recoup" {told}>\n'
        + "\n".join(cases)
        + f"\n<system-out>{said}</system-out>\n</testsuite>\n</testsuites>\n"
    )


_Subject = tuple[str, str, str]
"""Tool, code, analysis."""


def _subjects(report: dict[str, Any]) -> list[tuple[_Subject, list[dict[str, Any]], str]]:
    """Return each code and analysis with its findings, and why nothing can be said where that is so."""
    held: dict[_Subject, list[dict[str, Any]]] = {}
    untried: dict[_Subject, str] = {}
    for row in report["codes"]:
        for analysis in ANALYSES:
            subject = (row["tool"] or "", row["error_code"], analysis.name)
            held.setdefault(subject, [])
            count, reason = _UNTRIED.get(analysis.name, ("occurrence_count", ""))
            if not row[count]:
                untried[subject] = reason
    for one in report["findings"]:
        subject = (one["tool"] or "", one["error_code"] or "(no code)", one["analysis"])
        held.setdefault(subject, []).append(one)
    return [(subject, found, untried.get(subject, "")) for subject, found in held.items()]


def _case(subject: _Subject, found: list[dict[str, Any]], untried: str, new: dict[str, Violation]) -> str:
    tool, code, analysis = subject
    failed = [one for one in found if one["id"] in new]
    undecided = [one for one in found if one["verdict"] == "insufficient"]
    inner = ""
    if failed:
        text = "\n".join(f"{escape(one['sentence'])} [{escape(one['id'])}]" for one in failed)
        inner = f"<failure message={quoteattr(escape(failed[0]['sentence']))}>{xml(text)}</failure>"
    elif undecided and len(undecided) == len(found):
        inner = f"<skipped message={quoteattr(escape(undecided[0]['sentence']))}/>"
    elif untried and not found:
        inner = f"<skipped message={quoteattr(untried)}/>"
    return _element(tool, f"{code}: {analysis}", inner)


def _limit(one: Violation) -> str:
    sentence = escape(one.sentence)
    inner = f"<failure message={quoteattr(sentence)}>{xml(sentence)}</failure>"
    return _element(one.tool or "", one.limit, inner)


def _element(tool: str, name: str, inner: str) -> str:
    return f"<testcase classname={quoteattr(escape(tool) or '?')} name={quoteattr(escape(name))}>{inner}</testcase>"
