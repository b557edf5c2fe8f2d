"""Conversations of gptme, `conversation.jsonl`: one message a line, `{role, content, timestamp, ...}`.

The model and its tokens stand in `metadata` of what the assistant said. Calls are no records: the assistant writes them
as code into its text, and what comes of them is a message with the role `tool` that names no call. Those are results
alone, named by their line. Messages with the role `system` are counted. Times are local and name no zone. Source: a
conversation as fixture of a public reader.
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
from collectors.formats._results import content_id, merged, whole
from collectors.formats._runs import at, base_event, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "gptme"
TITLE = "gptme conversation"
WHERE: tuple[str, ...] = ("~/.local/share/gptme/logs/*/conversation.jsonl",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "calls: they are code inside of what the model says, so results stay without one",
    "which tool a result came from, its exit code, and whether it is an error beyond its words and its envelope",
    "the time zone",
)

NO_ID = "no_call_id"
_FILE = "conversation.jsonl"


class Usage(Struct, gc=False):
    """Tokens of a message, those of the cache aside."""

    input_tokens: int | float | None = None
    output_tokens: int | float | None = None


class Metadata(Struct, gc=False):
    """What is told about an answer."""

    model: str | None = None
    usage: Usage | None = None


class Line(Struct, gc=False):
    """One message."""

    role: str | None = None
    content: Any = None
    timestamp: str | int | float | None = None
    pinned: bool | None = None
    hide: bool | None = None
    metadata: Metadata | None = None
    id: Any = None
    type: str | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the first message has a role, a text and a time alone, and one is pinned, hidden or of a model."""
    lines = [_line(line) for line in complete(head)]
    return bool(lines) and _is_message(lines[0]) and any(_is_own(line) for line in lines)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a conversation, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    place = PurePath(path)
    session = place.parent.name if place.name == _FILE and place.parent.name else place.stem
    base = base_event(NAME, path, session, agent_name="gptme")
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, base, skipped))
    yield from counted(skipped)


def _records(
    base: Event, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None:
        here = at(replace(base, flags=flags or None), number, line.timestamp)
        events = _events(here, line, raw)
    if not events:
        count(skipped, "not_an_object" if line is None else line.role or "untyped")
    return events


def _events(here: Event, line: Line, raw: bytes) -> list[Event]:
    text = text_of(line.content)
    key = f"{line.timestamp}:{text}"
    if line.role == "user":
        return said(here, "prompt", text, key=key)
    if line.role == "tool":
        return [result_of(replace(here, call_id=content_id(raw), flags=merged(here.flags, (NO_ID,))), text)]
    if line.role != "assistant":
        return []
    metadata = line.metadata or Metadata()
    usage = metadata.usage or Usage()
    tokens = {"input_tokens": _counted(usage.input_tokens), "output_tokens": _counted(usage.output_tokens)}
    return said(replace(here, model=metadata.model, **tokens), "answer", text, key=key)


def _counted(value: float | None) -> int | None:
    return whole(value) if value is not None and value >= 0 else None


def _line(line: bytes) -> Line | None:
    try:
        return _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return None


def _is_message(line: Line | None) -> bool:
    if line is None or line.id is not None or line.type is not None:
        return False
    return line.role is not None and isinstance(line.content, str) and isinstance(line.timestamp, str)


def _is_own(line: Line | None) -> bool:
    if line is None or not _is_message(line):
        return False
    is_marked = line.role == "system" and (line.pinned is not None or line.hide is not None)
    return is_marked or (line.role == "assistant" and line.metadata is not None and line.metadata.model is not None)
