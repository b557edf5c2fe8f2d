"""OpenCode's event lines, `opencode run --format json`: `{type, timestamp, sessionID, part}` a line.

The parts are those of an export and have its names; only finished calls are there. Source: a run of 1.18.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from collectors.events import Record
from collectors.formats._lines import complete, read_lines
from collectors.formats._opencode import Failure, Part, Time, failure_events, part_events
from collectors.formats._runs import at, base_event
from collectors.formats._skipped import count, counted

NAME = "opencode_events"
TITLE = "OpenCode event lines (run --format json)"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = True
CANNOT_TELL: tuple[str, ...] = (
    "the prompt, the model and the directory",
    "calls that had not finished when the run was stopped",
    "which session started that of a sub-agent",
)


class Line(Struct, gc=False):
    """One event."""

    type: str | None = None
    timestamp: Time = None
    session_id: str | None = msgspec.field(default=None, name="sessionID")
    part: Part | None = None
    error: Failure | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a line has `type`, `timestamp`, `sessionID` and a `part`."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a run, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, path, skipped))
    yield from counted(skipped)


def _records(
    path: str, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    if line is not None and (line.part is not None or line.error is not None):
        session = line.session_id or (line.part.session_id if line.part else None) or "unnamed"
        base = base_event(NAME, path, session, agent_name="opencode", flags=flags or None)
        here = at(base, number, line.timestamp)
        if line.part is not None:
            events = part_events(here, line.part, None, position=number, cwd=None)
        else:
            events = failure_events(base, line.error, position=number, time=line.timestamp)
        if events:
            return events
    count(skipped, "not_an_object" if line is None else line.type or "untyped")
    return ()


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return None not in (found.type, found.timestamp, found.session_id, found.part)
