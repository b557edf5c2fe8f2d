"""Sessions of Droid, Factory's CLI: a line `session_start`, then `{type: message, id, timestamp, message}` a line.

A call is a part `tool_use` (`id`, `name`, `input`) of an assistant's message, its result a part `tool_result`
(`tool_use_id`, `content`, at times `is_error`) of a user's. The shell is called `Execute`; where its command failed,
its text begins with `Error: Command failed (exit code: N)`. Ids of calls may be counters, so they are names within
their session. Reminders that the program puts before what a person said are no prompt. Source: sessions as fixtures of
public readers.
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
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, call_of, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "droid"
TITLE = "Droid session"
WHERE: tuple[str, ...] = ("~/.factory/sessions/**/*.jsonl",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the model and tokens: they stand in the settings beside the session",
    "exit codes other than of failed shell calls",
    "how most calls ended: a result without a flag says so in its words alone",
)

NO_ID = "no_call_id"
_SHELL = "Execute"
_EXITED = re.compile(r"Error: Command failed \(exit code: (-?\d{1,5})\)\n?")
_BLANKS = re.compile(r"\s*")
_REMINDER = ("<system-reminder>", "</system-reminder>")


class Message(Struct, gc=False):
    """What a record of type `message` holds."""

    role: str | None = None
    content: Any = None


class Line(Struct, gc=False):
    """One record."""

    type: str | None = None
    id: str | None = None
    timestamp: str | int | float | None = None
    cwd: str | None = None
    title: str | None = None
    message: Message | None = None


class Session(Struct, gc=False):
    """What the lines so far tell about the ones to come."""

    path: str
    id: str
    cwd: str | None = None
    shells: set[str] = msgspec.field(default_factory=set)
    """Ids of the shell's calls."""


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the file starts with a record `session_start` that has an id, and a title or a directory."""
    lines = complete(head)
    return bool(lines) and _is_own(lines[0])


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a session, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    session = Session(path, PurePath(path).stem)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, session, skipped))
    yield from counted(skipped)


def _records(
    session: Session, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None and line.type == "session_start":
        session.id, session.cwd = line.id or session.id, line.cwd or session.cwd
    elif line is not None and line.type == "message" and line.message is not None:
        base = base_event(NAME, session.path, session.id, agent_name="Droid", flags=flags or None)
        key = line.id or str(number)
        events = _events(session, at(base, number, line.timestamp, turn_id=f"{session.id}/{key}"), line.message, key)
    if not events:
        role = line.message.role if line is not None and line.message is not None else None
        count(skipped, "not_an_object" if line is None else role or line.type or "untyped")
    return events


def _events(session: Session, here: Event, message: Message, key: str) -> list[Event]:
    content = message.content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    text = text_of([part for part in parts if part.get("type") == "text"] if parts else content)
    if message.role == "assistant":
        calls = [part for part in parts if part.get("type") == "tool_use"]
        events = [_call(session, here, part, f"{key}.{index}") for index, part in enumerate(calls)]
        return events + said(here, "answer", text, key=key)
    if message.role != "user":
        return []
    results = [part for part in parts if part.get("type") == "tool_result"]
    events = [_result(session, here, part, f"{key}.{index}") for index, part in enumerate(results)]
    return events + said(here, "prompt", _of_person(text), key=key)


def _of_person(text: str) -> str:
    """Return what follows the reminders that open a message."""
    start, end = _REMINDER
    place = _BLANKS.match(text, 0)
    while place is not None and text.startswith(start, place.end()):
        closed = text.find(end, place.end())
        if closed < 0:
            break
        place = _BLANKS.match(text, closed + len(end))
    return text if place is None else text[place.end() :]


def _call(session: Session, here: Event, part: dict[str, Any], place: str) -> Event:
    here = _named(here, part.get("id"), place)
    name = part.get("name") if isinstance(part.get("name"), str) else ""
    if name == _SHELL:
        session.shells.add(str(here.call_id))
    return call_of(here, str(name), part.get("input"), cwd=session.cwd)


def _result(session: Session, here: Event, part: dict[str, Any], place: str) -> Event:
    here = _named(here, part.get("tool_use_id"), place)
    text = text_of(part.get("content"))
    exited = _EXITED.match(text) if here.call_id in session.shells else None
    if exited is not None:
        return result_of(here, text[exited.end() :], exit_code=int(exited[1]))
    flag = part.get("is_error")
    told = (Outcome(ERROR, "is_error") if flag else Outcome(OK)) if isinstance(flag, bool) else None
    return result_of(here, text, told)


def _named(here: Event, stated: object, place: str) -> Event:
    if isinstance(stated, str) and stated:
        return replace(here, call_id=stated)
    return replace(here, call_id=place, flags=merged(here.flags, (NO_ID,)))


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    is_described = found.title is not None or found.cwd is not None
    return found.type == "session_start" and found.id is not None and is_described
