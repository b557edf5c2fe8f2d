"""Findings as lines: a mark, the sentence, and where to look."""

import shlex
from collections import Counter
from typing import TYPE_CHECKING, Any

from rich.text import Text

from pipeline.analyses.words import counted
from pipeline.report.escape import escape
from pipeline.report.layout import FIRM, wrapped

if TYPE_CHECKING:
    from rich.console import Console

_MARKS = {"breach": ("BREACH", "bold red"), "warning": ("WARNING", "yellow"), "info": ("note", "cyan")}
_MARK_CELLS = 9
_NOTES = 5
_NAMES = {"breach": "breach", "warning": "warning", "info": "note"}


def finding_lines(finding: dict[str, Any], console: "Console", width: int) -> list[Text]:
    """Return a finding as lines, those after the first under its sentence.

    The hint where to look is left out where it would take a line of its own only to repeat the code that the sentence
    names: the title above says how to look up a code.
    """
    mark, style = _MARKS[finding["severity"]]
    told = Text.assemble((mark.ljust(_MARK_CELLS), style), escape(finding["sentence"]))
    bare = wrapped(console, told, width, indent=_MARK_CELLS)
    hint = _hint(finding)
    if not hint:
        return bare
    hinted = wrapped(console, Text.assemble(told, "  ", (hint, "dim")), width, indent=_MARK_CELLS)
    return hinted if finding["error_code"] is None or len(hinted) == len(bare) else bare


def ids_hint(findings: list[dict[str, Any]], console: "Console", width: int) -> list[Text]:
    """Return how to look up one finding and not all of its code; nothing where there is no finding."""
    told = "one finding alone: ids are findings[].id of analyze report --format json, for analyze explain ID"
    return wrapped(console, Text(told, "dim"), width) if findings else []


def _hint(finding: dict[str, Any]) -> str:
    """Return the command that shows the evidence, safe to paste whatever a log calls its codes; none for suspicions."""
    subject = finding["error_code"]
    if subject is None and finding["n"] is not None:
        subject = next(iter(finding["evidence"]), None)
    return f"analyze explain {shlex.quote(escape(subject))}".replace(" ", FIRM) if subject else ""


def chosen(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the first screen may show, best first: what to change, then a few notes on what is undecided."""
    urgent = [finding for finding in findings if finding["severity"] != "info"]
    notes = [finding for finding in findings if finding["severity"] == "info" and finding["verdict"] != "supported"]
    return urgent + notes[:_NOTES]


def severities(findings: list[dict[str, Any]]) -> str:
    """Return `3 breaches, 1 warning, 12 notes`; nothing where there is no finding."""
    counts = Counter(finding["severity"] for finding in findings)
    return ", ".join(_many(counts[name], word) for name, word in _NAMES.items() if counts[name])


def findings_title(findings: list[dict[str, Any]]) -> str:
    """Return the remark beside the findings' title: how many ask for a change, and how to look one up."""
    urgent = [finding for finding in findings if finding["severity"] != "info"]
    return f"{severities(urgent or findings)}; why: analyze explain CODE" if findings else ""


def left_out(findings: list[dict[str, Any]], shown: list[dict[str, Any]]) -> Text:
    """Return how many findings are not shown, of which kinds, and how to see them."""
    seen = {finding["id"] for finding in shown}
    rest = [finding for finding in findings if finding["id"] not in seen]
    if not rest:
        return Text()
    return Text(f"{len(rest)} more ({severities(rest)}): analyze report --full", "dim")


def _many(count: int, word: str) -> str:
    return f"{count} breaches" if word == "breach" and count != 1 else counted(count, word)
