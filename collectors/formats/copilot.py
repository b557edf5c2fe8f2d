"""Copilot CLI sessions, `events.jsonl`: `{type, data, id, parentId, timestamp}` a line.

A call is requested in `assistant.message` (`toolRequests`), begins with `tool.execution_start` and ends with
`tool.execution_complete`, joined by `toolCallId`; its flag is `success`. A shell's exit code ends its text, `<exited
with exit code N>`. Events of a sub-agent name the call that started it in `parentToolCallId`, which is the actor.
Source: redacted session files of 1.0.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors.conventions import SESSION_END
from collectors.events import Event, Record
from collectors.formats._documents import kept
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._runs import at, base_event, call_of, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "copilot"
TITLE = "Copilot CLI session"
WHERE: tuple[str, ...] = ("~/.copilot/session-state/**/events.jsonl", "~/.copilot/history-session-state/*.jsonl")
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "whether a call waited for permission",
    "exit codes of tools other than shells",
    "the tokens that a step read",
)

_EXITED = re.compile(r"\n?<(?:\w+ )?exited with exit code (-?\d{1,5})>\s*\Z")
_TAIL = 200
_REFUSALS = frozenset({"rejected", "denied"})
_KINDS = ("session.", "user.", "assistant.", "tool.", "subagent.", "hook.", "system.")


class Data(Struct, gc=False, rename="camel"):
    """What a line holds; which fields are there depends on its type."""

    session_id: str | None = None
    copilot_version: str | None = None
    selected_model: str | None = None
    new_model: str | None = None
    context: dict[str, Any] | None = None
    content: Any = None
    turn_id: str | None = None
    message_id: str | None = None
    model: str | None = None
    output_tokens: int | None = None
    tool_requests: list[dict[str, Any]] | None = None
    tool_call_id: str | None = None
    parent_tool_call_id: str | None = None
    tool_name: str | None = None
    arguments: Any = None
    success: bool | None = None
    result: Any = None
    error: Any = None
    tool_telemetry: dict[str, Any] | None = None
    error_type: str | None = None
    status_code: int | str | None = None
    message: str | None = None
    reason: str | None = None
    shutdown_type: str | None = None


class Line(Struct, gc=False):
    """One event."""

    type: str | None = None
    id: str | None = None
    timestamp: str | int | float | None = None
    data: Data | None = None


class Session(Struct, gc=False):
    """What the lines so far tell about the ones to come."""

    path: str
    id: str
    version: str | None = None
    model: str | None = None
    cwd: str | None = None
    requested: dict[str, Event] = msgspec.field(default_factory=dict)
    """Calls that have not begun."""


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a line has `data`, `id`, `timestamp` and a type such as `tool.execution_start`."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a session, rejects, calls that never began, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    session = Session(path, PurePath(path).parent.name or PurePath(path).stem)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, session, skipped))
    yield from kept(session.requested.values())
    yield from counted(skipped)


def _records(
    session: Session, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None and line.data is not None:
        _note(session, line.data)
        base = base_event(NAME, session.path, session.id, agent_name="Copilot CLI", agent_version=session.version)
        data = line.data
        here = at(
            replace(base, flags=flags or None),
            number,
            line.timestamp,
            actor_id=data.parent_tool_call_id or "main",
            model=data.model or session.model,
        )
        events = _EVENTS.get(line.type or "", _nothing)(session, here, line, data)
    if not events:
        count(skipped, "not_an_object" if line is None else line.type or "untyped")
    return events


def _note(session: Session, data: Data) -> None:
    session.id = data.session_id or session.id
    session.version = data.copilot_version or session.version
    session.model = data.new_model or data.selected_model or session.model
    cwd = (data.context or {}).get("cwd")
    session.cwd = cwd if isinstance(cwd, str) else session.cwd


def _nothing(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    return []


def _prompt(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    return said(here, "prompt", text_of(data.content), key=line.id)


def _answer(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    here = replace(here, turn_id=f"{session.id}/{data.message_id or line.id}", output_tokens=data.output_tokens)
    for request in data.tool_requests or ():
        call_id, name = request.get("toolCallId"), request.get("name")
        if isinstance(call_id, str) and isinstance(name, str):
            call = call_of(replace(here, call_id=call_id), name, request.get("arguments"), cwd=session.cwd)
            session.requested[call_id] = call
    return said(here, "answer", text_of(data.content), key=line.id)


def _start(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    here = replace(here, call_id=data.tool_call_id or line.id or str(here.position))
    asked = session.requested.pop(here.call_id or "", None)
    if asked is not None:
        here = replace(here, turn_id=asked.turn_id, output_tokens=asked.output_tokens)
    elif data.turn_id is not None:
        here = replace(here, turn_id=f"{session.id}/{data.turn_id}")
    return [call_of(here, data.tool_name or "", data.arguments, cwd=session.cwd)]


def _complete(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    here = replace(here, call_id=data.tool_call_id or line.id or str(here.position))
    asked = session.requested.pop(here.call_id or "", None)
    result = data.result.get("content") if isinstance(data.result, dict) else data.result
    failure = data.error if isinstance(data.error, dict) else {"message": data.error}
    text = text_of(result) or text_of(failure.get("message"))
    exited = _EXITED.search(text[-_TAIL:])
    outcome: Outcome | None = (
        None if data.success is None else Outcome(OK) if data.success else Outcome(ERROR, "success_flag")
    )
    if str(failure.get("code")) in _REFUSALS:
        outcome = Outcome("refused", "user_rejected")
    metrics = (data.tool_telemetry or {}).get("metrics")
    duration = metrics.get("durationMs") if isinstance(metrics, dict) else None
    slots = {"duration_ms": duration if isinstance(duration, int) and 0 <= duration < 2**40 else None}
    code = int(exited[1]) if exited else None
    said_code = code if data.success is not False else None
    answer = result_of(here, text, None if said_code is not None else outcome, exit_code=code, slots=slots)
    return [*([asked] if asked is not None else ()), answer]


def _error(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    reason = str(data.status_code or data.error_type or "error")[:200]
    return [replace(turn, reason=reason) for turn in said(here, "api_error", "error", key=line.id)]


def _abort(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    return said(here, "interruption", "abort", key=line.id)


def _compaction(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    return said(here, "compaction", "compaction", key=line.id)


def _shutdown(session: Session, here: Event, line: Line, data: Data) -> list[Event]:
    uid = f"s:{session.id}:{line.id}"
    return [replace(here, event_name=SESSION_END, uid=uid, reason=(data.shutdown_type or "shutdown")[:200])]


_EVENTS = {
    "user.message": _prompt,
    "assistant.message": _answer,
    "tool.execution_start": _start,
    "tool.execution_complete": _complete,
    "session.error": _error,
    "session.compaction_complete": _compaction,
    "session.shutdown": _shutdown,
    "abort": _abort,
}


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if found.data is None or found.id is None or found.timestamp is None:
        return False
    return (found.type or "").startswith(_KINDS)
