"""Items of `codex exec --json` that are calls: commands, changes of files and MCP calls."""

from typing import Any

from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors import commands, exits
from collectors.events import Event
from collectors.formats._codex_output import of_code
from collectors.formats._codex_records import Part, Whole
from collectors.formats._events import decoded, ladder_in, result_event, shell_call, tool_call
from collectors.formats._outcomes import ERROR, OK, Outcome

CALLS = frozenset({"command_execution", "file_change", "mcp_tool_call"})
_STATES = {
    "completed": Outcome(OK, "item_status"),
    "failed": Outcome(ERROR, "item_status"),
    "declined": Outcome("refused", "user_rejected"),
}
_MAX_FILES = 50


class Change(Struct, gc=False):
    """One file of a patch."""

    path: str | None = None
    kind: str | None = None


class Result(Struct, gc=False):
    """What an MCP tool answered."""

    content: list[Part | str] | None = None


class Problem(Struct, gc=False):
    """Why an MCP call, or a turn, failed."""

    message: str | None = None


class Item(Struct, gc=False):
    """What the agent does or says."""

    id: str | None = None
    type: str | None = None
    text: str | None = None
    command: str | None = None
    aggregated_output: str | None = None
    exit_code: Whole | None = None
    status: str | None = None
    changes: list[Change] | None = None
    server: str | None = None
    tool: str | None = None
    arguments: Raw = Raw(b"")
    result: Result | None = None
    error: Problem | str | None = None


def call_of(item: Item, base: Event, uid: str) -> Event:
    """Return the call that an item is."""
    base = replace(base, call_id=uid[2:].rpartition("/")[2])
    if item.type == "command_execution":
        return shell_call(base, uid, "exec_command", item.command or "", cwd=None)
    if item.type == "file_change":
        paths = [change.path for change in (item.changes or ())[:_MAX_FILES] if change.path]
        return tool_call(base, uid, "apply_patch", {"files": paths}, cwd=None)
    raw = bytes(item.arguments)
    values = decoded(raw) if raw else None
    values = decoded(values) if isinstance(values, str) else values
    return tool_call(base, uid, f"mcp__{item.server}__{item.tool}", values, cwd=None, raw=raw)


def result_of(item: Item, base: Event, uid: str) -> Event | None:
    """Return the result of an item that is done; None for one that still runs."""
    text = _text(item)
    base = replace(base, call_id=uid[2:].rpartition("/")[2])
    ladder = ladder_in(text, base)
    outcome = _STATES.get(item.status or "")
    slots: dict[str, Any] = {}
    if item.exit_code is not None and item.status != "declined":
        outcome = of_code(item.exit_code, text, has_envelope=ladder is not None)
        slots["exit_code"] = item.exit_code if item.exit_code != -1 else None
        echo = commands.parse(item.command).echo if item.command else None
        slots["echoed_exit_code"] = exits.echoed_exit_code(echo, text) if echo is not None else None
    if outcome is None:
        return None
    return result_event(base, uid, text, outcome, ladder, signalled_ok=outcome.status == OK, slots=slots)


def _text(item: Item) -> str:
    if item.type == "command_execution":
        return item.aggregated_output or ""
    if item.error is not None:
        return item.error if isinstance(item.error, str) else item.error.message or ""
    parts = (item.result.content if item.result is not None else None) or ()
    return "\n".join(part if isinstance(part, str) else part.text or "" for part in parts)
