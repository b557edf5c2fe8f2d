"""The report as Markdown for a comment on a pull request; text of logs cannot become markup, link or mention."""

import re
from typing import Any

from pipeline.analyses.words import counted, duration
from pipeline.report.cells import change, fair, loops, maturity, measure, rate, recovered, waste
from pipeline.report.escape import escape
from pipeline.report.terminal_findings import severities

LONGEST = 60_000
"""Characters; GitHub refuses comments of more than 65,536."""
_SPECIAL = re.compile(r"[\\`*_{}\[\]<>#|~&$@]|:(?=//)|(?<=www)\.")
_QUOTED = re.compile("&#96;((?:(?!&#96;).){1,400})&#96;")
_LONGEST_TEXT = 600
_FINDINGS_SHARE = 0.7
_WORDS = {"breach": "Breach", "warning": "Warning", "info": "Note"}


def render(report: dict[str, Any]) -> str:
    """Return the report: findings, then codes, then what was read; at most `LONGEST` characters, and what was cut.

    Args:
        report: As `content.build` returns it.
    """
    urgent = [one for one in report["findings"] if one["severity"] != "info"]
    head = [f"## What to change first\n\n{_lede(report)}\n"]
    tail = _tail(report)
    room = LONGEST - len(head[0]) - len(tail) - 1000
    shown = _fitting([_finding(one) for one in urgent], int(room * _FINDINGS_SHARE))
    room -= sum(map(len, shown))
    rows = _fitting([_row(row) for row in report["codes"]], room)
    return "\n".join([*head, *_findings(report, urgent, shown), *_codes(report, rows), tail])


def literal(text: str | None, *, limit: int = _LONGEST_TEXT) -> str:
    """Return text of a log as Markdown that shows it as it is."""
    line = escape(text)
    line = line if len(line) <= limit else line[: limit - 1] + "…"
    return _SPECIAL.sub(_entity, line)


def _told(sentence: str) -> str:
    """Return a sentence of a finding, what stands between backticks as code."""
    return _QUOTED.sub(r"<code>\1</code>", literal(sentence))


def _entity(match: re.Match[str]) -> str:
    # an entity is never markup, in a table as outside of it; a backslash is in one and not in the other
    return f"&#{ord(match[0])};"


def _lede(report: dict[str, Any]) -> str:
    told = report["summary"]
    urgent = [one for one in report["findings"] if one["severity"] != "info"]
    recovery = told["recovery_rate"]
    return (
        f"**{severities(urgent) or 'Nothing to change'}** in {counted(told['attempts'], 'attempt')} of "
        f"{counted(told['sessions'], 'session')}. Failed {rate(told['error_rate'])}; recovered {rate(recovery)}."
    )


def _findings(report: dict[str, Any], urgent: list[dict[str, Any]], shown: list[str]) -> list[str]:
    notes = len(report["findings"]) - len(urgent)
    left = [f"{len(urgent) - len(shown):,} more findings"] if len(shown) < len(urgent) else []
    left += [counted(notes, "note")] if notes else []
    lines = shown or ["Nothing here contradicts what the errors say."]
    return [*lines, *([f"\n{' and '.join(left)} not shown here."] if left else []), ""]


def _finding(one: dict[str, Any]) -> str:
    numbers = measure(one)
    proposed = change(one)
    line = f"- **{_WORDS[one['severity']]}** {_told(one['sentence'])}"
    if numbers:
        line += f" ({numbers})"
    if proposed:
        field, value = proposed
        line += f"<br>Change: {literal(field)}" + (f" to {literal(value, limit=200)}" if value else "")
    return line


def _codes(report: dict[str, Any], rows: list[str]) -> list[str]:
    total = len(report["codes"])
    if not total:
        return ["No failure carried a code of its own.", ""]
    titles = (
        "Code",
        "Tool",
        "Class",
        "Seen",
        "Recovered",
        "Fair reissues that worked",
        "Bad loops",
        "Maturity",
        "Waste",
    )
    lines = [
        f"<details><summary>{counted(total, 'code')}</summary>\n",
        f"| {' | '.join(titles)} |",
        "|---|---|---|--:|--:|--:|--:|---|---|",
        *rows,
        "",
    ]
    lines += [f"{total - len(rows):,} more codes not shown here.\n"] if len(rows) < total else []
    return [*lines, "</details>\n"]


def _row(row: dict[str, Any]) -> str:
    cells = (
        literal(row["error_code"], limit=80),
        literal(row["tool"], limit=60),
        literal(row["declared_class"]),
        f"{row['occurrence_count']:,}",
        recovered(row),
        fair(row),
        loops(row),
        maturity(row),
        waste(row),
    )
    return f"| {' | '.join(cells)} |"


def _tail(report: dict[str, Any]) -> str:
    told, read = report["summary"], report["coverage"]
    undecided = sum(one["verdict"] == "insufficient" for one in report["findings"])
    return (
        f"Read {counted(read['files'], 'file')}, {counted(read['records'], 'record')}; {read['lost']:,} lost. "
        f"{counted(undecided, 'finding')} without a verdict: too few cases. Failing cost "
        f"{counted(told['waste']['calls'], 'call')}, {duration(told['waste']['ms'])}.\n"
    )


def _fitting(blocks: list[str], room: int) -> list[str]:
    """Return the first blocks that fit into `room` characters together."""
    taken: list[str] = []
    for block in blocks:
        room -= len(block) + 1
        if room < 0:
            break
        taken.append(block)
    return taken
