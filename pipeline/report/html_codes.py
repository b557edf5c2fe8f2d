"""The codes table of the page; a script sorts and filters it, without one it is complete."""

import html
from typing import Any

from pipeline.report.cells import bounds, fair, loops, maturity, recovered, rungs, waste
from pipeline.report.html_parts import code, drawn, linked, shown

MOST = 500
"""Rows on a page; it says how many more there are."""
_TITLES = (
    ("Code", "text", "The code, and the tool that emits it"),
    ("Class", "text", "What its fields say together"),
    ("Seen", "number", "Failures with it"),
    ("Recovered", "number", "Episodes that recovered, of those not censored"),
    ("Fair reissues that worked", "number", "Identical, nothing in between, the wait honoured; 95 % interval"),
    ("Bad loops", "number", "The fix ran, exited 0, and the code came back"),
    (
        "Maturity",
        "number",
        "Declared level 0 to 3; after the arrow what experience leaves of it; ? marks few occurrences",
    ),
    ("Rungs", "text", "What the error carries beyond its code"),
    ("Waste", "number", "What its failures cost"),
)


def codes(report: dict[str, Any], *, has_links: bool = False) -> str:
    """Return the table with its filters; codes are links where a server answers them."""
    rows = report["codes"]
    if not rows:
        return "<p>No failure carried a code of its own.</p>"
    more = (
        f"<p>{len(rows) - MOST:,} more codes: <code>analyze report --format csv</code></p>" if len(rows) > MOST else ""
    )
    head = "".join(
        f'<th scope="col" data-sort="{kind}" title="{html.escape(what)}"{_number(kind)}>{title}</th>'
        for title, kind, what in _TITLES
    )
    body = "".join(_row(row, has_links) for row in rows[:MOST])
    return (
        f"{_filters(rows)}"
        '<div class="scroll tall" role="region" tabindex="0" aria-label="Codes, a table that scrolls">'
        '<table id="codes"><caption>One row per code and class, most frequent first. k/n: so many of so many; '
        f"the line is the 95 % interval.</caption><thead><tr>{head}</tr></thead><tbody>"
        f"{body}</tbody></table></div>{more}"
    )


def _filters(rows: list[dict[str, Any]]) -> str:
    classes = sorted({row["declared_class"] for row in rows})
    states = sorted({row["maturity_state"] for row in rows})
    return (
        '<form class="filters" hidden><label>Code or tool <input type="search" id="find" autocomplete="off"></label>'
        f'<label>Class <select id="class">{_options(classes)}</select></label>'
        f'<label>Declaration <select id="state">{_options(states)}</select></label>'
        '<output id="count" aria-live="polite"></output></form>'
    )


def _options(values: list[str]) -> str:
    return '<option value="">all</option>' + "".join(
        f'<option value="{shown(value)}">{shown(value)}</option>' for value in values
    )


def _row(row: dict[str, Any], has_links: bool) -> str:
    settled = row["episode_count"] - row["censored_count"]
    cells = [
        _cell(shown(row["declared_class"]), row["declared_class"]),
        _cell(f"{row['occurrence_count']:,}", row["occurrence_count"]),
        _cell(recovered(row), row["recovered_count"] / settled if settled else None),
        _cell(_fair(row), row["fair_success_rate"]),
        _cell(loops(row), row["failed_loop_count"] / row["closed_loop_count"] if row["closed_loop_count"] else None),
        _cell(maturity(row), row["proven_maturity"] + row["maturity"] / 10),
        _cell(rungs(row), rungs(row)),
        _cell(waste(row), row["wasted_ms"] or row["wasted_calls"]),
    ]
    search = shown(f"{row['error_code']} {row['tool']}").lower()
    state = row["maturity_state"]
    name = linked(_name(row), "code", row["error_code"]) if has_links else _name(row)
    mark = f' <span class="mark {state}">{state}</span>' if state != "unproven" else ""
    return (
        f'<tr data-search="{search}" data-class="{shown(row["declared_class"])}" data-state="{state}">'
        f'<th scope="row" data-value="{shown(row["error_code"])}">{name}{mark}'
        f'<span class="of">{shown(row["tool"], limit=40)}</span></th>{"".join(cells)}</tr>'
    )


def _name(row: dict[str, Any]) -> str:
    """Return the code, which a narrow column breaks between its words."""
    return code(row["error_code"], limit=60).replace("_", "_<wbr>")


def _fair(row: dict[str, Any]) -> str:
    if not row["fair_reissue_count"]:
        return fair(row)
    state = "breach" if row["retryable_verdict"] == "contradicted" else ""
    picture = drawn(row["rate_lower"], row["fair_success_rate"], row["rate_upper"], state)
    return f'{fair(row)} {picture}<span class="of">{bounds(row["rate_lower"], row["rate_upper"])}</span>'


def _cell(markup: str, value: float | str | None) -> str:
    stated = "" if value is None else f' data-value="{html.escape(str(value))}"'
    return f"<td{stated}{_number('text' if isinstance(value, str) else 'number')}>{markup}</td>"


def _number(kind: str) -> str:
    return ' class="number"' if kind == "number" else ""
