"""Chats of Qwen Code: one record a line, `{uuid, parentUuid, sessionId, timestamp, type, cwd, version, message}`.

A call is a `functionCall` part of a record of type `assistant`; its result is a record of type `tool_result`, with what
the model reads in a `functionResponse` part and the status in `toolCallResult`. Records `system/ui_telemetry` repeat a
call with its duration and the type of its error: a second result. Records that a branch copied say where from, and
keep the names they have there. A sub-agent's records carry `agentId`. Two records may be glued together on one line.
Source: real chats of 0.21 and 0.24, and Qwen Code's public source.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from collectors import times
from collectors.events import Event, Record
from collectors.formats import _turns
from collectors.formats._documents import decoded
from collectors.formats._events import turn_event
from collectors.formats._gemini_calls import (
    Part,
    Said,
    Stated,
    answer_event,
    call_event,
    echo_of,
    response_of,
    text_of,
    with_call_id,
)
from collectors.formats._glued import SALVAGED, parts_of, unglued
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._qwen_records import Line, ToolResult, Usage
from collectors.formats._results import content_id, merged, whole
from collectors.formats._skipped import count, counted

NAME = "qwen_chat"
TITLE = "Qwen Code chat"
WHERE: tuple[str, ...] = ("~/.qwen/projects/*/chats/*.jsonl", "~/.qwen/tmp/*/chats/*.jsonl")
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "exit codes of shells that ended with 0, in newer versions",
    "whether a cancelled call was refused or stopped, where its text does not say so",
)
_COPIED = "copied"


@dataclass(slots=True)
class _Chat:
    path: str
    fallback: str
    tools: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """Name and echo of each call."""
    skipped: Counter[str] = field(default_factory=Counter)


_DECODER = msgspec.json.Decoder(Line)
_CONTEXT = "<qwen:"
_TOOL_CALL = "qwen-code.tool_call"
_API_ERROR = "qwen-code.api_error"
# what stands under the user's name and is no word of a person
_NOT_SAID = frozenset({"notification", "cron", "goal_runtime", "agent_launch_prompt", "background_task_completed"})


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with records of such a chat; a Claude Code transcript has `content`, not `parts`."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results and turns, rejects, and at the end what was skipped."""
    chat = _Chat(path, PurePath(path).stem or path)
    yield from read_lines(unglued(lines), first_line, path, _DECODER, functools.partial(_records, chat))
    yield from counted(chat.skipped)


def _records(chat: _Chat, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    if line is not None:
        return _events(chat, line, number, raw, flags)
    found: list[Record] = []
    for part in parts_of(raw):
        record, more, fault = decoded(part, Line)
        if fault is None:
            found += _events(chat, record, number, part, (*flags, *more, SALVAGED))
        else:
            found.append(rejected(chat.path, number, part, "not_json"))
    if not found:
        count(chat.skipped, "not_an_object")
    return found


def _events(chat: _Chat, line: Line, number: int, raw: bytes, flags: tuple[str, ...]) -> list[Record]:
    base = _base(chat, line, number, flags)
    scope = (line.forked_from.session_id if line.forked_from is not None else None) or base.session_id
    parts = [part for part in (line.message.parts if line.message else None) or () if isinstance(part, Part)]
    events: list[Event] = []
    if line.type == "assistant":
        events = _model_events(chat, line, parts, base, scope, raw)
    elif line.type == "tool_result":
        events = _result_events(chat, line, parts, base, scope, raw)
    elif line.type == "user" and line.subtype not in _NOT_SAID and not line.agent_id:
        text = "\n".join(part.text for part in parts if part.text and not part.text.startswith(_CONTEXT))
        events = [turn_event(base, "prompt", line.uuid or content_id(raw))] if text.strip() else []
    elif line.type == "system":
        events = _system_events(chat, line, base, scope)
    if not events:
        count(chat.skipped, f"{line.type}.{line.subtype}" if line.subtype else line.type or "untyped")
    return [*events]


def _model_events(chat: _Chat, line: Line, parts: list[Part], base: Event, scope: str, raw: bytes) -> list[Event]:
    key = line.uuid or content_id(raw)
    usage = line.usage_metadata or Usage()
    read_count = usage.prompt_token_count
    base = replace(
        base,
        turn_id=f"{scope}/{key}",
        input_tokens=None if read_count is None else max(0, read_count - (usage.cached_content_token_count or 0)),
        output_tokens=usage.candidates_token_count,
    )
    events: list[Event] = []
    for at, part in enumerate(parts):
        if part.function_call is None:
            continue
        named = with_call_id(base, part.function_call.id, f"{key}:{at}")
        arguments, name = bytes(part.function_call.args), part.function_call.name or ""
        call = call_event(named, scope, name, arguments, cwd=line.cwd)
        chat.tools[named.call_id or ""] = (name, echo_of(call, arguments))
        events.append(call)
    text = text_of(list(parts))
    if text.strip():
        slots = {"mentions": _turns.mentions(text), "is_question": _turns.is_question(text)}
        events.append(turn_event(base, "answer", key, slots=slots))
    return events


def _result_events(chat: _Chat, line: Line, parts: list[Part], base: Event, scope: str, raw: bytes) -> list[Event]:
    result = line.tool_call_result or ToolResult()
    responses = [part.function_response for part in parts if part.function_response is not None]
    stated = Stated(result.status, result.error_type)
    if not responses:
        base = with_call_id(base, result.call_id, content_id(raw))
        name, echo = chat.tools.get(base.call_id or "", ("", None))
        return [answer_event(base, scope, name, Said("", is_error=False), stated, echo=echo)]
    events = []
    for at, response in enumerate(responses):
        named = with_call_id(base, response.id or result.call_id, f"{content_id(raw)}:{at}")
        name, echo = chat.tools.get(named.call_id or "", (response.name or "", None))
        events.append(answer_event(named, scope, name, response_of(response.response), stated, echo=echo))
    return events


def _system_events(chat: _Chat, line: Line, base: Event, scope: str) -> list[Event]:
    if line.subtype == "chat_compression":
        return [turn_event(base, "compaction", line.uuid or str(base.position))]
    told = line.system_payload.ui_event if line.system_payload is not None else None
    if told is None:
        return []
    if told.name == _API_ERROR:
        reason = str(told.status_code or told.error_type or "api_error")[:200]
        return [turn_event(base, "api_error", line.uuid or str(base.position), slots={"reason": reason})]
    if told.name != _TOOL_CALL or not told.call_id:
        return []
    name, echo = chat.tools.get(told.call_id, (told.function_name or "", None))
    status = told.status or ("success" if told.success else None if told.success is None else "error")
    said = Said(told.error or "", is_error=bool(told.error))
    duration = whole(told.duration_ms)
    stated = Stated(status, told.error_type, duration if duration is None or duration >= 0 else None)
    event = answer_event(replace(base, call_id=told.call_id), scope, name, said, stated, echo=echo)
    event.uid = f"e:{event.uid[2:]}"
    return [event]


def _base(chat: _Chat, line: Line, position: int, flags: tuple[str, ...]) -> Event:
    time = times.parse(line.timestamp)
    copied = (_COPIED,) if line.forked_from is not None and line.forked_from.session_id else None
    return Event(
        event_name="",
        uid="",
        session_id=line.session_id or chat.fallback,
        time_unix_nano=time.unix_nano,
        format=NAME,
        path=chat.path,
        position=position,
        actor_id=line.agent_id or "main",
        agent_name="qwen-code",
        agent_version=line.version,
        model=line.model,
        flags=merged(flags, copied, (time.flag,) if time.flag else None),
    )


def _is_own(line: bytes) -> bool:
    start = line.find(b"}{")
    for text in (line, line[: start + 1]) if start > 0 else (line,):
        try:
            record = _DECODER.decode(text)
        except (msgspec.DecodeError, RecursionError):
            continue
        if record.session_id is None or record.uuid is None or record.type is None:
            continue
        return record.message is not None and record.message.parts is not None
    return b'"sessionId":' in line and b'"parts":' in line and b'"parentUuid":' in line and start > 0
