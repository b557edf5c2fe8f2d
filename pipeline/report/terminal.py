"""The report on a terminal: what to change first, the codes, what stands outside the scores, what was read."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.text import Text

from pipeline.report.layout import ASCII, UNICODE, Glyphs, wrapped
from pipeline.report.terminal_codes import codes_table
from pipeline.report.terminal_findings import chosen, finding_lines, findings_title, ids_hint, left_out
from pipeline.report.terminal_notes import coverage_notes, details, headline, statuses_note

if TYPE_CHECKING:
    from rich.console import Console

SCREEN = 40
"""Lines of the first screen; what does not fit is named, and shown with `full`."""
_NARROWEST, _WIDEST = 60, 200
_ENOUGH_FINDINGS, _LEAST_CODES = 16, 6
"""Lines of findings beyond which codes get more than their least."""
_SURROUNDINGS = 10
"""Lines that are always there: head, titles, blank lines, what was read."""


def render(report: dict[str, Any], console: "Console", *, full: bool) -> None:
    """Print the report.

    Args:
        report: As `content.build` returns it.
        console: Where to; it decides on colour, and its width on the layout (60 to 200 columns).
        full: Everything; else at most `SCREEN` lines, and what was left out.
    """
    width = min(max(console.width, _NARROWEST), _WIDEST)
    glyphs = ASCII if console.options.ascii_only else UNICODE
    lines = _full(report, console, width, glyphs) if full else _screen(report, console, width, glyphs)
    for line in lines:
        shown = Text(line.plain.encode("ascii", "backslashreplace").decode()) if glyphs is ASCII else line
        console.print(shown, soft_wrap=True, highlight=False)


def _screen(report: dict[str, Any], console: "Console", width: int, glyphs: Glyphs) -> list[Text]:
    """Return the first screen: as many findings and codes as leave room for what surrounds them."""
    lines: list[Text] = []
    for room in range(SCREEN - _SURROUNDINGS, _LEAST_CODES, -1):
        lines = _composed(report, console, width, glyphs, room=room)
        if len(lines) <= SCREEN:
            break
    return lines


def _composed(report: dict[str, Any], console: "Console", width: int, glyphs: Glyphs, *, room: int) -> list[Text]:
    """Return the screen with `room` lines of findings and codes together: findings first, codes keep a few."""
    findings = chosen(report["findings"])
    wanted = min(len(report["codes"]), max(_LEAST_CODES, room - _ENOUGH_FINDINGS))
    blocks = _fitting((finding_lines(finding, console, width) for finding in findings), room - wanted)
    shown = [line for block in blocks for line in block]
    codes, dropped = codes_table(report["codes"][: max(room - len(shown), 0)], width, glyphs)
    return [
        *_paragraph(console, headline(report, glyphs), width),
        Text(),
        *_title(console, width, "What to change first", findings_title(report["findings"])),
        *(shown or [Text(_nothing(report))]),
        *_paragraph(console, left_out(report["findings"], findings[: len(blocks)]), width),
        Text(),
        *_codes(report, console, codes, dropped, width),
        Text(),
        *_tail(report, console, width, glyphs),
    ]


def _full(report: dict[str, Any], console: "Console", width: int, glyphs: Glyphs) -> list[Text]:
    codes, dropped = codes_table(report["codes"], width, glyphs)
    findings = [line for f in report["findings"] for line in finding_lines(f, console, width)]
    findings += ids_hint(report["findings"], console, width)
    return [
        *_paragraph(console, headline(report, glyphs), width),
        Text(),
        *_title(console, width, "What to change first", findings_title(report["findings"])),
        *(findings or [Text(_nothing(report))]),
        Text(),
        *_codes(report, console, codes, dropped, width),
        Text(),
        *(line for note in details(report, glyphs) for line in wrapped(console, note, width, indent=2)),
        Text(),
        *_tail(report, console, width, glyphs),
    ]


def _tail(report: dict[str, Any], console: "Console", width: int, glyphs: Glyphs) -> list[Text]:
    notes = [statuses_note(report), *coverage_notes(report, glyphs)]
    return [line for note in notes for line in wrapped(console, note, width, indent=2)]


def _codes(report: dict[str, Any], console: "Console", lines: list[Text], dropped: list[str], width: int) -> list[Text]:
    total, shown = len(report["codes"]), len(lines) - 1
    if not total:
        return _title(console, width, "Codes", "no failure carried a code of its own")
    notes = [f"{total - shown} more codes: analyze report --full"] if shown < total else []
    notes += [f"no room for: {', '.join(dropped)}"] if dropped else []
    legend = "fair ok: an identical, fair reissue worked; bad loops: the fix ran, the code came back"
    return [
        *_title(console, width, "Codes", legend),
        *lines,
        *_paragraph(console, Text("; ".join(notes), "dim"), width),
    ]


def _title(console: "Console", width: int, title: str, remark: str) -> list[Text]:
    text = Text.assemble((title, "bold"), (f"  {remark}" if remark else "", "dim"))
    return wrapped(console, text, width, indent=len(title) + 2)


def _nothing(report: dict[str, Any]) -> str:
    if not report["summary"]["attempts"]:
        return "No attempts were read: nothing can be said"
    return "No finding: nothing here contradicts what the errors say"


def _fitting(blocks: Iterable[list[Text]], room: int) -> list[list[Text]]:
    """Return the first blocks that fit into `room` lines together, at least one."""
    taken: list[list[Text]] = []
    for block in blocks:
        if taken and sum(map(len, taken)) + len(block) > room:
            break
        taken.append(block)
    return taken


def _paragraph(console: "Console", text: Text, width: int) -> list[Text]:
    return wrapped(console, text, width) if text.plain else []
