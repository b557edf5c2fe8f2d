"""The stream that `claude -p --output-format stream-json` prints: one event a line.

`assistant` and `user` lines hold the same blocks as a transcript's records, under `session_id`; the lines of a
sub-agent name the call that started it in `parent_tool_use_id`, and its id in `agent_id` (before: only `task_started`
says it). Tool-use ids are unique everywhere, so that a stream, a transcript and hooks of one run join. `system` lines
begin a session (`init`), tell retries of the API, ends of background tasks and compactions; `result` ends the run, once
more where background work ended later. Older versions state no times. Source: real output of 2.1.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors.conventions import SESSION_END
from collectors.events import Event, Record
from collectors.formats import _claude_context
from collectors.formats._claude_calls import assistant_events
from collectors.formats._claude_context import File, turn
from collectors.formats._claude_records import Line as ClaudeLine
from collectors.formats._claude_records import Message, ToolUse, Whole
from collectors.formats._claude_users import queue_events, system_events, user_events
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._results import attributes
from collectors.formats._skipped import count, counted

NAME = "claude_stream_json"
TITLE = "Claude Code stream (stream-json)"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the times of older versions, and of retries and results",
    "prompts, unless they are replayed",
    "exit codes of successful calls",
    "whether a refused call was declined or interrupted",
)


class Usage(Struct, gc=False):
    """What a background task used."""

    total_tokens: Whole | None = None
    duration_ms: Whole | None = None


class Line(Struct, gc=False):
    """One line of the stream."""

    type: str | None = None
    subtype: str | None = None
    session_id: str | None = None
    transcript_session: str | None = msgspec.field(default=None, name="sessionId")
    uuid: str | None = None
    timestamp: str | int | float | None = None
    parent_tool_use_id: str | None = None
    agent_id: str | None = None
    message: Message | None = None
    tool_use_result: ToolUse | str | list[msgspec.Raw] | None = None
    cwd: str | None = None
    claude_code_version: str | None = None
    is_api_error_message: bool | None = None
    api_error_status: Whole | None = None
    error: str | None = None
    error_status: Whole | None = None
    attempt: Whole | None = None
    max_retries: Whole | None = None
    retry_delay_ms: int | float | None = None
    task_id: str | None = None
    tool_use_id: str | None = None
    status: str | None = None
    summary: str | None = None
    usage: Usage | None = None
    is_error: bool | None = None
    terminal_reason: str | None = None
    is_synthetic: bool | None = msgspec.field(default=None, name="isSynthetic")


@dataclass(slots=True)
class _Stream:
    file: File
    cwd: str | None = None
    version: str | None = None
    agents: dict[str, str] = field(default_factory=dict)
    """Id of the sub-agent that a call started."""


_DECODER = msgspec.json.Decoder(Line)
_SPEAKERS = frozenset({"assistant", "user"})
_MAX_SUMMARY = 1000


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts as a stream does; a transcript writes `sessionId`."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results, answers, turns and ends, rejects, and at the end what was skipped."""
    stream = _Stream(File(path, PurePath(path).stem or path, {}, Counter()))
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, stream))
    yield from counted(stream.file.skipped)


def _records(stream: _Stream, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    kind = "not_an_object" if line is None else line.type or "untyped"
    if line is not None and kind in _SPEAKERS:
        if line.message is None:
            return [rejected(stream.file.path, number, raw, "missing_field")]
        said = _as_transcript(stream, line)
        base = _base(stream, said, number, flags)
        events = assistant_events(said, base, raw) if kind == "assistant" else user_events(said, base, raw)
        if events:
            return events
    elif line is not None and kind in ("system", "result"):
        events = _told_events(stream, line, number, raw, flags)
        if events:
            return events
        kind = f"{kind}.{line.subtype}" if line.subtype else kind
    count(stream.file.skipped, kind)
    return ()


def _told_events(stream: _Stream, line: Line, number: int, raw: bytes, flags: tuple[str, ...]) -> list[Event]:
    if line.subtype == "init" and line.type == "system":
        stream.cwd, stream.version = line.cwd, line.claude_code_version
        return []
    if line.subtype == "task_started" and line.tool_use_id and line.task_id:
        stream.agents[line.tool_use_id] = line.task_id
        return []
    said = _as_transcript(stream, line)
    base = _base(stream, said, number, flags)
    if line.type == "result":
        uid = f"s:{base.session_id}:{line.uuid or number}"
        reason = line.terminal_reason or line.subtype
        return [replace(base, event_name=SESSION_END, uid=uid, reason=reason)]
    if line.subtype == "task_notification":
        return queue_events(ClaudeLine(content=_notification(line)), base, raw)
    if line.subtype == "api_retry":
        stated = {
            "retry_attempt": line.attempt,
            "max_retries": line.max_retries,
            "retry_in_ms": line.retry_delay_ms,
        }
        reason = str(line.error_status or line.error or "api_error")
        return [turn("api_error", said, base, str(line.attempt), reason=reason, attributes=attributes(stated))]
    return system_events(said, base, raw)


def _as_transcript(stream: _Stream, line: Line) -> ClaudeLine:
    """Return the line as the record of a transcript that says the same."""
    parent = line.parent_tool_use_id
    agent = line.agent_id or (stream.agents.get(parent, f"tool:{parent}") if parent else None)
    return ClaudeLine(
        type=line.type,
        subtype=line.subtype,
        session_id=line.session_id,
        uuid=line.uuid,
        timestamp=line.timestamp,
        version=stream.version,
        cwd=stream.cwd,
        agent_id=agent,
        is_meta=line.is_synthetic,
        message=line.message,
        tool_use_result=line.tool_use_result,
        is_api_error_message=line.is_api_error_message,
        api_error_status=line.api_error_status,
        error=line.error,
    )


def _base(stream: _Stream, line: ClaudeLine, number: int, flags: tuple[str, ...]) -> Event:
    return replace(_claude_context.base_event(line, stream.file, number, flags), format=NAME)


def _notification(line: Line) -> str:
    """Return the end of a background task in the words that a transcript has for it."""
    usage = line.usage or Usage()
    stated = {
        "task-id": line.task_id,
        "tool-use-id": line.tool_use_id,
        "status": line.status,
        "summary": (line.summary or "")[:_MAX_SUMMARY],
        "total_tokens": usage.total_tokens,
        "duration_ms": usage.duration_ms,
    }
    fields = [f"<{name}>{value}</{name}>" for name, value in stated.items() if value is not None]
    return "\n".join(("<task-notification>", *fields))


def _is_own(line: bytes) -> bool:
    try:
        record = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if record.session_id is None or record.transcript_session is not None:
        return False
    if record.type in _SPEAKERS:
        return record.message is not None and record.message.content is not None and record.uuid is not None
    if record.type == "system":
        return record.subtype is not None and record.uuid is not None
    return record.type == "result" and record.subtype is not None and record.is_error is not None
