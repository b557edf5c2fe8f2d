"""The report as one page: no network, no other file, readable on a phone, in print, by keyboard and aloud."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from pipeline.report import html_notes
from pipeline.report.html_charts import Extras
from pipeline.report.html_codes import codes
from pipeline.report.html_findings import findings
from pipeline.report.html_parts import shown

_NO_CHART = "<p>Nothing to show yet.</p>"


def render(report: dict[str, Any], extras: Extras, *, has_links: bool = False) -> str:
    """Return the page.

    A content security policy in it forbids every request, and every script but its own.

    Args:
        report: As `content.build` returns it; every number of the page is one of it, or of the marts it came from.
        extras: Evidence and charts, from `html_charts.extras`.
        has_links: Codes and sessions are links, which `analyze serve` answers.
    """
    script = _file("script.js")
    pieces = {
        "policy": _policy(script),
        "style": _file("style.css"),
        "palette": _palette(),
        "script": script,
        "lede": html_notes.lede(report),
        "figures": html_notes.figures(report),
        "findings": findings(report, extras.evidence, has_links=has_links),
        "codes": codes(report, has_links=has_links),
        "recovery": extras.recovery or _NO_CHART,
        "waits": _waits(extras),
        "loops": extras.loops or _NO_CHART,
        "agents": html_notes.agents(report, list(extras.compliance)),
        "statuses": html_notes.statuses(report),
        "coverage": html_notes.coverage(report),
        "unmeasured": html_notes.unmeasured(report),
        "details": html_notes.details(report),
    }
    return Template(_file("page.html")).substitute(pieces)


def text_page(title: str, text: str) -> str:
    """Return a page that shows plain lines, in the look of the report, with a link back to it.

    Args:
        title: Raw.
        text: Lines that are harmless on a terminal.
    """
    style = f"{_palette()}\n{_file('style.css')}"
    pieces = {"policy": _policy(""), "style": style, "title": shown(title, limit=200), "text": escape(text)}
    return Template(_file("text.html")).substitute(pieces)


def _file(name: str) -> str:
    return (files("pipeline.report") / "page" / name).read_text(encoding="utf-8")


def _palette() -> str:
    from pipeline import plots

    return plots.stylesheet()


def _policy(script: str) -> str:
    digest = b64encode(sha256(script.encode()).digest()).decode()
    # style attributes: matplotlib writes them
    return (
        f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _waits(extras: Extras) -> str:
    if not extras.waits:
        return "<p>No identical call followed an error that declares a wait.</p>"
    more = f"<p>{extras.waits_left_out:,} more codes declare a wait.</p>" if extras.waits_left_out else ""
    return "".join(extras.waits) + more
