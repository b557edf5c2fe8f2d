"""Cursor agent transcripts: `{role, message: {content: [parts]}}` a line, without ids and without times.

A call is a part `tool_use` or `tool_call` (`name`, `input`), a result a part `tool_result` or `tool-result` of a
user's line, where there is one at all: it answers the oldest call that still waits. Calls are named by their place in
the file, which only grows. Source: transcripts as fixtures of public readers.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, call_of, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "cursor"
TITLE = "Cursor agent transcript"
WHERE: tuple[str, ...] = ("~/.cursor/projects/*/agent-transcripts/**/*.jsonl",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times, exit codes and tokens",
    "how most calls ended: results are left out of the transcripts, and those calls stay without an answer",
    "which of several calls a result answers, otherwise than by their order",
)

NO_ID = "no_call_id"
_CALLS = frozenset({"tool_use", "tool_call"})
_RESULTS = frozenset({"tool_result", "tool-result"})


class Message(Struct, gc=False):
    """What a line says."""

    content: Any = None


class Line(Struct, gc=False):
    """One line."""

    role: str | None = None
    type: str | None = None
    message: Message | None = None
    model: str | None = None


class Session(Struct, gc=False):
    """The calls that wait for a result."""

    path: str
    id: str
    waiting: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """Names of tools and calls, oldest first."""


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether every line that has a role has a `message` with parts, and neither session nor type."""
    lines = complete(head)
    return bool(lines) and _is_own(lines[0])


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a transcript, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    session = Session(path, PurePath(path).stem)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, session, skipped))
    yield from counted(skipped)


def _records(
    session: Session, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None and line.message is not None:
        base = base_event(NAME, session.path, session.id, agent_name="Cursor", model=line.model, flags=flags or None)
        here = at(base, number, turn_id=f"{session.id}/{number}")
        events = _events(session, here, line.role, line.message.content)
    if not events:
        count(skipped, "not_an_object" if line is None else line.type or line.role or "untyped")
    return events


def _events(session: Session, here: Event, role: str | None, content: object) -> list[Event]:
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    events = []
    for index, part in enumerate(parts):
        kind = str(part.get("type"))
        if kind in _CALLS:
            events.append(_call(session, here, part, index))
        elif kind in _RESULTS:
            events.append(_result(session, here, part, index))
    texts = [part for part in parts if part.get("type") == "text"] if parts else content
    return events + said(here, "prompt" if role == "user" else "answer", text_of(texts))


def _call(session: Session, here: Event, part: dict[str, Any], index: int) -> Event:
    name = part.get("name") if isinstance(part.get("name"), str) else ""
    call_id = f"{here.position}.{index}"
    session.waiting.append((str(name), call_id))
    here = replace(here, call_id=call_id, flags=merged(here.flags, (NO_ID,)))
    return call_of(here, str(name), part.get("input", part.get("arguments")))


def _result(session: Session, here: Event, part: dict[str, Any], index: int) -> Event:
    fits = [place for place, (name, _) in enumerate(session.waiting) if part.get("name") in (None, name)]
    call_id = session.waiting.pop(fits[0])[1] if fits else f"{here.position}.{index}"
    here = replace(here, call_id=call_id, flags=merged(here.flags, (NO_ID,)))
    flag = part.get("is_error", part.get("isError"))
    told = (Outcome(ERROR, "is_error") if flag else Outcome(OK)) if isinstance(flag, bool) else None
    return result_of(here, text_of(part.get("content")), told)


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if found.role is None or found.message is None or found.type is not None:
        return False
    is_foreign = b'"sessionId"' in line or b'"timestamp"' in line
    return isinstance(found.message.content, (list, str)) and not is_foreign
