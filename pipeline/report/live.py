"""The report as a site: what each address answers, from the store as it is when asked."""

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote, urlsplit

from pipeline.errors import RecoupError
from pipeline.parameters import Parameters
from pipeline.report import content, html, html_charts
from pipeline.report.escape import escape
from pipeline.report.explain import explanation, to_text
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

Open = Callable[[], AbstractContextManager["duckdb.DuckDBPyConnection"]]

_HTML, _JSON = "text/html; charset=utf-8", "application/json"
_MOST = 500
_SESSION = """
select attempt_number, actor_id, tool, left(coalesce(command, arguments, tool_name), 300) as asked, status, exit_code,
    error_code, left(message, 300) as message
from core.attempts where session_id = $session order by started_ms, actor_id, attempt_number limit $most
"""


class Page(NamedTuple):
    """What an address answers."""

    status: int
    """Of HTTP."""
    kind: str
    body: str


def answer(target: str, open_built: Open, parameters: Parameters) -> Page:
    """Return what an address answers: `/`, `/report.json`, `/code/NAME` or `/session/ID`.

    Args:
        target: Path of a request, as it came.
        open_built: Opens the store for reading, its models built from all it holds; the store is let go at the end.
        parameters: The values that the models are built with.
    """
    _, kind, *rest = [*urlsplit(target).path.split("/", 2), ""]
    name = unquote(rest[0], errors="replace")
    try:
        with open_built() as connection:
            return _page(connection, parameters, kind, name)
    except RecoupError as fault:
        status = {"SUBJECT_NOT_FOUND": 404}.get(fault.entry.code, 503)
        return Page(status, _HTML, html.text_page(fault.entry.meaning, escape(fault.message)))


def _page(connection: "duckdb.DuckDBPyConnection", parameters: Parameters, kind: str, name: str) -> Page:
    if kind == "code":
        return Page(200, _HTML, html.text_page(name, to_text(explanation(connection, name))))
    if kind == "session":
        return _session(connection, name)
    if kind not in ("", "report.json"):
        return Page(404, _HTML, html.text_page("not found", "There are /, /report.json, /code/NAME and /session/ID."))
    report = content.build(connection, parameters)
    if kind == "report.json":
        return Page(200, _JSON, json.dumps(report, allow_nan=False))
    extras = html_charts.extras(connection, parameters, report)
    return Page(200, _HTML, html.render(report, extras, has_links=True))


def _session(connection: "duckdb.DuckDBPyConnection", name: str) -> Page:
    rows = records(connection, _SESSION, {"session": name, "most": _MOST})
    if not rows:
        raise RecoupError("SUBJECT_NOT_FOUND", f"no session is named {name!r}")
    lines = [_line(row) for row in rows]
    if len(rows) == _MOST:
        lines.append(f"the first {_MOST} attempts; analyze sql shows all")
    return Page(200, _HTML, html.text_page(f"session {name}", "\n".join(lines)))


def _line(row: dict[str, Any]) -> str:
    told = [row["status"], row["error_code"], row["message"]]
    said = "  ".join(escape(str(part)) for part in told if part is not None)
    return f"{row['attempt_number']:>4}  {escape(row['asked'])}\n      {said}"
