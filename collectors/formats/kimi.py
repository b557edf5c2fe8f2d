"""Kimi CLI sessions, `wire.jsonl`: one JSON object a line, `{type, time, ...}`, times in milliseconds.

A call is a `context.append_loop_event` with the event `tool.call` (`toolCallId`, `name`, `args`), its result one with
the event `tool.result` (`result.output`, `result.isError`); a shell's exit code ends its text, `Command failed with
exit code: N.` Ids count up per agent. Agents are folders below the session's: `<session>/agents/<agent>/`. Source:
redacted sessions.
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
from collectors.formats._runs import at, base_event, call_of, handover, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "kimi"
TITLE = "Kimi CLI session"
WHERE: tuple[str, ...] = ("~/.kimi-code/sessions/*/*/agents/*/wire.jsonl", "~/.kimi/sessions/**/wire.jsonl")
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the session, where the file lies outside its folder",
    "the tokens of a step: they are told after its calls",
    "exit codes other than of failed shell calls",
)

_EXITED = re.compile(r"\n?Command failed with exit code: (-?\d{1,5})\.?\s*\Z")
_TAIL = 200
_HANDOVERS = frozenset({"AskUserQuestion", "ExitPlanMode"})
_ONLY_HERE = frozenset({"context.append_loop_event", "context.append_message", "turn.prompt", "llm.request"})


class Happening(Struct, gc=False):
    """`event` of a loop event."""

    type: str | None = None
    step_uuid: str | None = msgspec.field(default=None, name="stepUuid")
    uuid: str | None = None
    call_id: str | None = msgspec.field(default=None, name="toolCallId")
    name: str | None = None
    args: Any = None
    result: Any = None
    part: dict[str, Any] | None = None


class Line(Struct, gc=False):
    """One record."""

    type: str | None = None
    time: str | int | float | None = None
    cwd: str | None = None
    model: str | None = None
    protocol_version: str | None = None
    event: Happening | None = None
    input: Any = None
    origin: dict[str, Any] | None = None
    call_id: str | None = msgspec.field(default=None, name="toolCallId")
    result: Any = None


class Session(Struct, gc=False):
    """What the lines so far tell about the ones to come."""

    path: str
    id: str
    actor: str
    cwd: str | None = None
    model: str | None = None
    refused: set[str] = msgspec.field(default_factory=set)


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a line has a `time` and a type such as `context.append_loop_event`."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of one agent of a session, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    parts = PurePath(path).parts
    place = parts.index("agents") if "agents" in parts[1:-2] else None
    session = (
        Session(path, PurePath(path).stem, "main")
        if place is None
        else Session(path, parts[place - 1], parts[place + 1])
    )
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, session, skipped))
    yield from counted(skipped)


def _records(
    session: Session, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None:
        session.cwd, session.model = line.cwd or session.cwd, line.model or session.model
        base = base_event(
            NAME, session.path, session.id, actor_id=session.actor, agent_name="Kimi CLI", flags=flags or None
        )
        events = _events(session, at(base, number, line.time, model=session.model), line)
    if not events:
        told = line.event.type if line is not None and line.event is not None else None
        count(skipped, "not_an_object" if line is None else told or line.type or "untyped")
    return events


def _events(session: Session, here: Event, line: Line) -> list[Event]:
    if line.type == "turn.prompt":
        is_person = (line.origin or {}).get("kind") in (None, "user")
        return said(here, "prompt", text_of(line.input), key=str(line.time)) if is_person else []
    if line.type == "context.apply_compaction":
        return said(here, "compaction", "compaction", key=str(line.time))
    if line.type == "permission.record_approval_result" and line.call_id and _is_refusal(line.result):
        session.refused.add(line.call_id)
    return _looped(session, here, line.event) if line.event is not None else []


def _is_refusal(result: object) -> bool:
    return isinstance(result, dict) and result.get("decision") not in ("approved", None)


def _looped(session: Session, here: Event, event: Happening) -> list[Event]:
    step = event.step_uuid or event.uuid
    here = replace(here, turn_id=None if step is None else f"{session.id}/{session.actor}/{step}")
    if event.type == "content.part" and event.part is not None and event.part.get("type") == "text":
        return said(here, "answer", event.part.get("text"), key=event.uuid)
    call_id = event.call_id or str(here.position)
    name = f"{session.id}/{session.actor}/{call_id}"
    here = replace(here, call_id=call_id)
    if event.type == "tool.call":
        call = call_of(here, event.name or "", event.args, cwd=session.cwd)
        call.uid = f"c:{name}"
        turn = handover(here, event.name or "")
        turn.uid = f"t:handover:{name}"
        return [call, turn] if event.name in _HANDOVERS else [call]
    if event.type != "tool.result":
        return []
    result = _result(here, event.result, is_refused=call_id in session.refused)
    result.uid = f"r:{name}"
    return [result]


def _result(here: Event, result: object, *, is_refused: bool) -> Event:
    stated = result if isinstance(result, dict) else {"output": result}
    text = text_of(stated.get("output"))
    failed = stated.get("isError") is True
    exited = _EXITED.search(text[-_TAIL:]) if failed else None
    if is_refused:
        return result_of(here, text, Outcome("refused", "user_rejected"))
    if exited is not None:
        return result_of(here, text[: len(text) - len(exited[0])], exit_code=int(exited[1]))
    return result_of(here, text, Outcome(ERROR, "is_error") if failed else Outcome(OK))


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return found.type in _ONLY_HERE and found.time is not None
