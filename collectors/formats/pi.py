"""Sessions of pi, and of OpenClaw, built on it: one JSON object a line, `{type, id, parentId, timestamp, ...}`.

A call is a `toolCall` part of an assistant message, its result a message with the role `toolResult`, joined by
`toolCallId`; its flag is `isError`, and a shell's exit code ends its text, `Command exited with code N`.
`bashExecution` is a command that a person ran. Aborted calls have no result. Ids of calls are those of the model's
provider and unique, so history that a branch copies joins its original. Two records may be glued together on one line
without a break: they are taken apart, and their events carry the flag `salvaged`. Source: real sessions of 2025 and
2026.
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

from collectors.events import Event, Record
from collectors.formats._documents import decoded
from collectors.formats._glued import SALVAGED, parts_of, unglued
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._outcomes import ERROR, KILLED, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, call_of, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "pi"
TITLE = "pi and OpenClaw session"
WHERE: tuple[str, ...] = ("~/.pi/agent/sessions/**/*.jsonl", "~/.openclaw/agents/*/sessions/*.jsonl")
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "what became of calls that were aborted: they have no result",
    "exit codes of tools other than shells",
    "whether a call waited for permission",
)


_SHORT_ID = 12
_EXITED = re.compile(r"\n*Command exited with code (-?\d{1,5})\s*\Z")
_ABORTED = re.compile(r"\n*Command aborted\s*\Z")
_TIMED_OUT = re.compile(r"\n*Command timed out after \d+ seconds\s*\Z")
_TAIL = 200
_STOPS = {"aborted": "interruption", "error": "api_error"}


class Usage(Struct, gc=False):
    """Tokens of a message."""

    input: int | None = None
    output: int | None = None


class Message(Struct, gc=False, rename="camel"):
    """What a record of type `message` holds."""

    role: str | None = None
    content: Any = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    timestamp: str | int | float | None = None


class Line(Struct, gc=False):
    """One record."""

    type: str | None = None
    id: str | None = None
    version: int | str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    message: Message | None = None


class Session(Struct, gc=False):
    """What the lines so far tell about the ones to come."""

    path: str
    id: str
    cwd: str | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with a record `session`, or holds a message with pi's parts."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a session, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    session = Session(path, PurePath(path).stem)
    yield from read_lines(unglued(lines), first_line, path, _DECODER, functools.partial(_records, session, skipped))
    yield from counted(skipped)


def _records(
    session: Session, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    if line is None and raw.startswith(b"[{"):
        return _glued(session, skipped, number, raw, (*flags, SALVAGED))
    if line is None:
        count(skipped, "not_an_object")
        return ()
    if line.type == "message" and (line.message is None or line.message.role is None):
        return [rejected(session.path, number, raw, "missing_field")]
    return _of_line(session, skipped, line, number, flags)


def _glued(
    session: Session, skipped: Counter[str], number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterator[Record]:
    for part in parts_of(raw):
        line, _, fault = decoded(part, Line)
        if fault is not None:
            yield rejected(session.path, number, part, "not_json")
        else:
            yield from _of_line(session, skipped, line, number, flags)


def _of_line(session: Session, skipped: Counter[str], line: Line, number: int, flags: tuple[str, ...]) -> list[Event]:
    if line.type == "session":
        session.id, session.cwd = line.id or session.id, line.cwd or session.cwd
    base = base_event(NAME, session.path, session.id, agent_name="pi", flags=merged(flags))
    here = at(base, number, line.timestamp)
    events: list[Event] = []
    if line.type == "compaction":
        events = said(here, "compaction", "compaction", key=line.id or str(number))
    elif line.type == "message" and line.message is not None:
        events = _message(session, here, line.message, line.id)
    if not events:
        kind = line.message.role if line.type == "message" and line.message is not None else line.type
        count(skipped, kind or "untyped")
    return events


def _message(session: Session, here: Event, message: Message, key: str | None) -> list[Event]:
    text = text_of(message.content)
    if message.role == "user":
        return said(here, "prompt", text or "[no text]", key=key)
    if message.role == "bashExecution":
        return said(here, "prompt", "a command run by hand", key=key)
    if message.role == "toolResult":
        return [_result(here, message, text)]
    if message.role != "assistant":
        return []
    usage = message.usage or Usage()
    turn = f"{session.id}/{key or here.position}"
    here = replace(
        here, turn_id=turn, model=message.model, input_tokens=_whole(usage.input), output_tokens=_whole(usage.output)
    )
    parts = [part for part in message.content if isinstance(part, dict)] if isinstance(message.content, list) else []
    calls = [part for part in parts if part.get("type") == "toolCall"]
    events = [_call(session, here, part, index) for index, part in enumerate(calls)]
    kind = _STOPS.get(message.stop_reason or "")
    events += said(here, "answer", text, key=key and f"{key}:text")
    if kind is not None:
        stop = said(here, kind, message.error_message or kind, key=key)
        events += [replace(turn, reason=(message.error_message or kind)[:200]) for turn in stop]
    return events


def _call(session: Session, here: Event, part: dict[str, Any], index: int) -> Event:
    stated = part.get("id")
    call_id = stated if isinstance(stated, str) and stated else f"{here.position}.{index}"
    name = part.get("name")
    values = part.get("arguments")
    call = call_of(replace(here, call_id=call_id), name if isinstance(name, str) else "", values, cwd=session.cwd)
    call.uid = f"c:{_name(here, call_id)}"
    return call


def _result(here: Event, message: Message, text: str) -> Event:
    tail = text[-_TAIL:]
    exited = _EXITED.search(tail)
    outcome = Outcome(ERROR, "is_error") if message.is_error else Outcome(OK)
    if message.is_error and _ABORTED.search(tail):
        outcome = Outcome("interrupted", "user_interrupt")
    elif message.is_error and _TIMED_OUT.search(tail):
        outcome = Outcome(KILLED, TRANSPORT_TIMEOUT)
    code = int(exited[1]) if exited and message.is_error else None
    call_id = message.tool_call_id or str(here.position)
    printed = text[: len(text) - len(tail) + exited.start()] if exited and code is not None else text
    result = result_of(replace(here, call_id=call_id), printed, None if code else outcome, exit_code=code)
    result.uid = f"r:{_name(here, call_id)}"
    return result


def _name(here: Event, call_id: str) -> str:
    """Return the name of a call; a short id is somebody's counter and unique within its session only."""
    return call_id if len(call_id) >= _SHORT_ID else f"{here.session_id}/{call_id}"


def _whole(value: int | None) -> int | None:
    return value if value is not None and 0 <= value < 2**61 else None


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if found.type == "session":
        return found.id is not None and found.timestamp is not None and found.message is None
    return (
        found.type == "message"
        and found.message is not None
        and (found.message.role == "toolResult" or b'"type":"toolCall"' in line or b'"stopReason":' in line)
    )
