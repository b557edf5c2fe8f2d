"""What `droid exec --output-format stream-json` prints: `{type, sessionId, timestamp, ...}` a line, milliseconds.

`system` opens the run (`model`, `cwd`), `message` is what was said, a call is a `tool_call` (`id`, `toolName`,
`parameters`), its result the `tool_result` with the same `id` (`isError`, `value`), `completion` the end. `error` is
what the program says of itself and is counted: it names no call. Source: a stream as fixture of a public reader.
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
from collectors.formats._runs import at, base_event, call_of, ended, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "droid_stream"
TITLE = "Droid stream-json"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "exit codes: a result says only whether it is an error",
    "the tokens of a turn: they are told once, for the run",
    "whether a call was refused or stopped",
)

NO_ID = "no_call_id"
_ONLY_HERE = frozenset({"system", "message", "tool_call", "tool_result", "completion"})
# the model repeats how dangerous it thinks a command is, in words of its own
_DROPPED = frozenset({"riskLevel", "riskLevelReason"})


class Line(Struct, gc=False, rename="camel"):
    """One record."""

    type: str | None = None
    session_id: str | None = None
    timestamp: str | int | float | None = None
    id: str | None = None
    model: str | None = None
    cwd: str | None = None
    role: str | None = None
    text: str | None = None
    tool_name: str | None = None
    parameters: Any = None
    is_error: bool | None = None
    value: Any = None
    final_text: str | None = None


class Run(Struct, gc=False):
    """What the lines so far tell about the ones to come."""

    path: str
    id: str
    cwd: str | None = None
    model: str | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the file starts with a record of a run that has `sessionId`, a number as time and its own keys."""
    lines = complete(head)
    return bool(lines) and _is_own(lines[0])


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a run, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    run = Run(path, PurePath(path).stem)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, run, skipped))
    yield from counted(skipped)


def _records(
    run: Run, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None:
        run.id, run.model, run.cwd = line.session_id or run.id, line.model or run.model, line.cwd or run.cwd
        base = base_event(NAME, run.path, run.id, agent_name="Droid", model=run.model, flags=flags or None)
        events = _events(run, at(base, number, line.timestamp), line)
    if not events:
        count(skipped, "not_an_object" if line is None else line.type or "untyped")
    return events


def _events(run: Run, here: Event, line: Line) -> list[Event]:
    if line.type == "message":
        kind = {"user": "prompt", "assistant": "answer"}.get(line.role or "")
        return [] if kind is None else said(here, kind, line.text, key=line.id)
    if line.type == "completion":
        return ended(here, line.type)
    here = _named(here, line.id)
    if line.type == "tool_call":
        return [call_of(here, line.tool_name or "", _without(line.parameters), cwd=run.cwd)]
    if line.type != "tool_result":
        return []
    told = None if line.is_error is None else Outcome(ERROR, "is_error") if line.is_error else Outcome(OK)
    return [result_of(here, _printed(line.value), told)]


def _named(here: Event, stated: str | None) -> Event:
    if stated:
        return replace(here, call_id=stated)
    return replace(here, call_id=str(here.position), flags=merged(here.flags, (NO_ID,)))


def _without(parameters: object) -> object:
    if not isinstance(parameters, dict):
        return parameters
    return {name: value for name, value in parameters.items() if name not in _DROPPED}


def _printed(value: object) -> str:
    text = text_of(value)
    return msgspec.json.encode(value).decode() if value and not text and isinstance(value, (dict, list)) else text


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if found.type not in _ONLY_HERE or found.session_id is None or not isinstance(found.timestamp, (int, float)):
        return False
    if found.type == "system":
        return found.model is not None and found.cwd is not None
    stated = {"message": found.text, "tool_call": found.tool_name, "completion": found.final_text}
    return stated.get(found.type) is not None or (found.type == "tool_result" and found.is_error is not None)
