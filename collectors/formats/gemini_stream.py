"""The stream that `gemini --output-format stream-json` prints: one event a line.

`init` names the session, `tool_use` is a call and `tool_result` its result, joined by `tool_id`, which the chat of the
session has too. The output is what a person sees: no exit code of a shell is in it, and its status is `success` anyway.
Errors have a type from a fixed list. Answers come in pieces. `result` ends the run. Source: real output of 0.61.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors import times
from collectors.conventions import SESSION_END
from collectors.events import Event, Record
from collectors.formats import _turns
from collectors.formats._events import turn_event
from collectors.formats._gemini_calls import Said, Stated, answer_event, call_event, echo_of, with_call_id
from collectors.formats._gemini_messages import AGENT
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._results import attributes, content_id, merged
from collectors.formats._skipped import count, counted

NAME = "gemini_stream"
TITLE = "Gemini CLI stream (stream-json)"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "exit codes: a shell that failed has the status success",
    "the working directory",
    "what a tool answered where it has nothing to show",
    "the tokens of single steps",
)


class Failure(Struct, gc=False):
    """Why a call or the run failed."""

    type: str | None = None
    message: str | None = None


class Line(Struct, gc=False):
    """One event."""

    type: str | None = None
    timestamp: str | int | float | None = None
    session_id: str | None = None
    model: str | None = None
    role: str | None = None
    content: str | None = None
    delta: bool | None = None
    tool_name: str | None = None
    tool_id: str | None = None
    parameters: Raw = Raw(b"")
    status: str | None = None
    output: str | None = None
    error: Failure | None = None
    severity: str | None = None


@dataclass(slots=True)
class _Stream:
    path: str
    session: str
    model: str | None = None
    step: str | None = None
    """The first of the calls that were made before any of them was answered."""
    tools: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """Name and echo of each call."""
    answer: list[str] = field(default_factory=list)
    """The pieces of an answer, and the event that its first piece makes."""
    spoken: Event | None = None
    skipped: Counter[str] = field(default_factory=Counter)


_DECODER = msgspec.json.Decoder(Line)
_KINDS = frozenset({"init", "message", "tool_use", "tool_result", "error", "result"})
_MAX_PIECES = 10_000


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts as that stream does."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results and turns, rejects, and at the end what was skipped."""
    stream = _Stream(path, PurePath(path).stem or path)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, stream))
    yield from _spoken(stream)
    yield from counted(stream.skipped)


def _records(stream: _Stream, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    if line is None or line.type not in _KINDS:
        count(stream.skipped, "not_an_object" if line is None else line.type or "untyped")
        return ()
    base = _base(stream, line, number, flags)
    if line.type == "message" and line.role == "assistant":
        return _piece(stream, line, base)
    events: list[Record] = [*_spoken(stream)]
    if line.type == "init":
        stream.session, stream.model, stream.step = line.session_id or stream.session, line.model, None
    elif line.type == "message":
        stream.step = None
        events += [turn_event(base, "prompt", f"{line.timestamp}|{line.content}")] if line.content else []
    elif line.type == "tool_use":
        if line.tool_name is None:
            return [*events, rejected(stream.path, number, raw, "missing_field")]
        events.append(_call(stream, line, base, raw))
    elif line.type == "tool_result":
        events.append(_result(stream, line, base, raw))
    else:
        events += _end(stream, line, base, number)
    if not events:
        count(stream.skipped, line.type)
    return events


def _call(stream: _Stream, line: Line, base: Event, raw: bytes) -> Event:
    base = with_call_id(base, line.tool_id, content_id(raw))
    stream.step = stream.step or f"{stream.session}/{base.call_id}"
    arguments = bytes(line.parameters)
    name = line.tool_name or ""
    call = call_event(replace(base, turn_id=stream.step), stream.session, name, arguments, cwd=None)
    stream.tools[base.call_id or ""] = (name, echo_of(call, arguments))
    return call


def _result(stream: _Stream, line: Line, base: Event, raw: bytes) -> Event:
    stream.step = None
    base = with_call_id(base, line.tool_id, content_id(raw))
    name, echo = stream.tools.get(base.call_id or "", ("", None))
    failure = line.error or Failure()
    text = failure.message or line.output or ""
    said = Said(text, is_error=line.error is not None)
    return answer_event(base, stream.session, name, said, Stated(line.status, failure.type), echo=echo)


def _end(stream: _Stream, line: Line, base: Event, number: int) -> list[Event]:
    failure = line.error
    events: list[Event] = []
    if line.type == "error" or failure is not None:
        reason = (failure.type if failure is not None else None) or "api_error"
        slots = {"reason": reason, "attributes": attributes({"is_final": line.type == "result"})}
        events.append(turn_event(base, "api_error", f"{line.timestamp}|{number}", slots=slots))
    if line.type == "result":
        uid = f"s:{stream.session}:{line.timestamp or number}"
        events.append(replace(base, event_name=SESSION_END, uid=uid, reason=line.status))
    return events


def _piece(stream: _Stream, line: Line, base: Event) -> list[Event]:
    """Note a piece of an answer; the answer is told when something else comes, or another that is whole."""
    events = [] if line.delta else [*_spoken(stream)]
    stream.step = None
    if stream.spoken is None:
        stream.spoken = base
    if line.content and len(stream.answer) < _MAX_PIECES:
        stream.answer.append(line.content)
    return events


def _spoken(stream: _Stream) -> Iterator[Event]:
    base, text = stream.spoken, "".join(stream.answer)
    stream.spoken = None
    stream.answer.clear()
    if base is not None and text.strip():
        slots = {"mentions": _turns.mentions(text), "is_question": _turns.is_question(text)}
        yield turn_event(base, "answer", f"{base.time_unix_nano or base.position}", slots=slots)


def _base(stream: _Stream, line: Line, position: int, flags: tuple[str, ...]) -> Event:
    time = times.parse(line.timestamp)
    return Event(
        event_name="",
        uid="",
        session_id=(line.session_id if line.type == "init" else None) or stream.session,
        time_unix_nano=time.unix_nano,
        format=NAME,
        path=stream.path,
        position=position,
        actor_id="main",
        agent_name=AGENT,
        model=stream.model,
        flags=merged(flags, (time.flag,) if time.flag else None),
    )


def _is_own(line: bytes) -> bool:
    try:
        record = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if record.type == "init":
        return record.session_id is not None and record.timestamp is not None
    return record.type in ("tool_use", "tool_result") and record.tool_id is not None and record.timestamp is not None
