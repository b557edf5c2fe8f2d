"""The stream that `codex exec --json` prints: one event a line, without times.

An item of type `command_execution`, `file_change` or `mcp_tool_call` is a call from `item.started` on, or from
`item.completed` where that is all there is, and has its result in `item.completed`. The ids of items begin anew with
each run, also where a run resumes a thread, so a call is named after its thread, its file and the run's number in it.
Calls that the harness refuses for their input or their tool give no item. Source: real output of 0.171.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors import times
from collectors.conventions import SESSION_END
from collectors.events import Event, Record
from collectors.formats import _turns
from collectors.formats._events import turn_event
from collectors.formats._exec_items import CALLS, Item, Problem, call_of, result_of
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._results import attributes, digest
from collectors.formats._skipped import counted

NAME = "codex_exec_json"
TITLE = "Codex exec stream (--json)"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "when anything happened, and how long it took",
    "calls refused for their input or for a tool that is not there",
    "which calls were made together",
    "which call of the same run's rollout an item is: import one of the two",
    "how a command ended that was left running",
)


class Line(Struct, gc=False):
    """One event."""

    type: str | None = None
    thread_id: str | None = None
    item: Item | None = None
    error: Problem | None = None
    message: str | None = None


@dataclass(slots=True)
class _Run:
    path: str
    thread: str
    number: int = 0
    """Of this run, as item ids begin anew with each."""
    names: dict[str, str] = field(default_factory=dict)
    """Uid of each item's call, without its prefix."""
    skipped: Counter[str] = field(default_factory=Counter)


_DECODER = msgspec.json.Decoder(Line)
_OWN = frozenset({"item.started", "item.updated", "item.completed"})
_MAX_KINDS = 200


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with events of that stream."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results, answers and the ends of runs, rejects, and at the end what was skipped."""
    run = _Run(path, PurePath(path).stem or path)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, run))
    yield from counted(run.skipped)


def _records(run: _Run, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    if line is not None and line.type == "thread.started" and line.thread_id:
        run.thread, run.number = line.thread_id, run.number + 1
        run.names.clear()
    elif line is not None and line.type in _OWN and line.item is not None:
        if line.item.type in CALLS and line.item.id is None:
            return [rejected(run.path, number, raw, "missing_field")]
        events = _item_events(run, line, line.item, _base(run, number, flags))
        if events:
            return events
    elif line is not None:
        events = _turn_events(run, line, _base(run, number, flags))
        if events:
            return events
    kind = "not_an_object" if line is None else line.type or "untyped"
    if line is not None and line.item is not None:
        kind = f"{kind}:{line.item.type}"
    run.skipped[kind[:60] if len(run.skipped) < _MAX_KINDS or kind[:60] in run.skipped else "other"] += 1
    return ()


def _base(run: _Run, position: int, flags: tuple[str, ...]) -> Event:
    return Event(
        event_name="",
        uid="",
        session_id=run.thread,
        format=NAME,
        path=run.path,
        position=position,
        actor_id="main",
        agent_name="codex",
        flags=(*flags, times.MISSING),
    )


def _item_events(run: _Run, line: Line, item: Item, base: Event) -> list[Event]:
    if item.type == "agent_message" and line.type == "item.completed" and item.text:
        slots = {"mentions": _turns.mentions(item.text), "is_question": _turns.is_question(item.text)}
        return [turn_event(base, "answer", f"{run.path}|{base.position}", slots=slots)]
    if item.type not in CALLS or item.id is None:
        return []
    events: list[Event] = []
    name = run.names.get(item.id)
    if name is None:
        name = run.names[item.id] = (
            f"{run.thread}/{digest(f'{run.path}|{run.number}'.encode('utf-8', 'replace'))}:{item.id}"
        )
        events.append(call_of(item, base, f"c:{name}"))
    if line.type == "item.completed":
        result = result_of(item, base, f"r:{name}")
        if result is not None:
            events.append(result)
    return events


def _turn_events(run: _Run, line: Line, base: Event) -> list[Event]:
    place = f"{run.path}|{base.position}"
    if line.type == "error":
        slots = {"reason": "api_error", "attributes": attributes({"is_final": False})}
        return [turn_event(base, "api_error", place, slots=slots)]
    if line.type not in ("turn.completed", "turn.failed"):
        return []
    uid = f"s:{run.thread}:{digest(place.encode('utf-8', 'replace'))}"
    end = replace(base, event_name=SESSION_END, uid=uid, reason=line.type)
    if line.type == "turn.completed":
        return [end]
    slots = {"reason": "api_error", "attributes": attributes({"is_final": True})}
    return [turn_event(base, "api_error", place, slots=slots), end]


def _is_own(line: bytes) -> bool:
    try:
        record = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if record.type == "thread.started":
        return record.thread_id is not None
    return record.type in _OWN and record.item is not None and record.item.type is not None
