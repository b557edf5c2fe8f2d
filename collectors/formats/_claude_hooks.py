"""Payloads of Claude Code's hooks as the records of a transcript that say the same."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from collectors import times
from collectors.conventions import SESSION_END
from collectors.events import Event, Record
from collectors.formats import _turns
from collectors.formats._claude_calls import assistant_events
from collectors.formats._claude_context import AGENT, MAIN, NO_ID
from collectors.formats._claude_records import Block, Line, Message, ToolUse
from collectors.formats._claude_users import user_events
from collectors.formats._events import decoded, turn_event
from collectors.formats._hook_payloads import (
    AFTER,
    BEFORE,
    FAILED,
    NULL,
    Payload,
    kind_of,
    response_text,
    unwrapped,
    use_of,
)
from collectors.formats._lines import rejected
from collectors.formats._results import digest, merged
from collectors.formats._skipped import count


@dataclass(slots=True)
class Log:
    """One file."""

    form: str
    path: str
    fallback: str
    """Session of payloads that name none."""
    seen: set[str] = field(default_factory=set)
    """Calls that were told of before they ran."""
    counts: Counter[str] = field(default_factory=Counter)
    """Before and after apart, how often equal calls without an id came."""
    made: dict[str, str] = field(default_factory=dict)
    """The ids that were made for lines with a time."""
    skipped: Counter[str] = field(default_factory=Counter)


def payload_events(log: Log, payload: Payload, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    """Return what a payload says; what says nothing of a call or a turn is counted."""
    payload = unwrapped(payload)
    kind = kind_of(payload)
    base = _base(log, payload, number, flags)
    events: list[Event] = []
    if kind in (BEFORE, AFTER, FAILED):
        if payload.tool_name is None:
            return [rejected(log.path, number, raw, "missing_field")]
        events = _tool_events(log, payload, base, kind or "", raw)
    elif kind == "UserPromptSubmit" and payload.prompt:
        events = [turn_event(base, "prompt", f"{payload.prompt_id or number}|{payload.prompt}")]
    elif kind in ("Stop", "SubagentStop") and payload.last_assistant_message:
        text = payload.last_assistant_message
        slots = {"mentions": _turns.mentions(text), "is_question": _turns.is_question(text)}
        events = [turn_event(base, "answer", f"{payload.prompt_id or number}|{text}", slots=slots)]
    elif kind == "PreCompact":
        events = [turn_event(base, "compaction", f"{payload.prompt_id}|{number}")]
    elif kind == "SessionEnd":
        uid = f"s:{base.session_id}:{payload.prompt_id or number}"
        events = [replace(base, event_name=SESSION_END, uid=uid, reason=payload.reason)]
    if not events:
        count(log.skipped, kind or "untyped")
    return events


def _tool_events(log: Log, payload: Payload, base: Event, kind: str, raw: bytes) -> list[Event]:
    call_id = payload.tool_use_id
    if not call_id:
        call_id = _made_id(log, payload, base, raw, is_before=kind == BEFORE)
        base = replace(base, flags=merged(base.flags, NO_ID))
    events: list[Event] = []
    if kind == BEFORE or call_id not in log.seen:
        log.seen.add(call_id)
        events += _call(payload, base if kind == BEFORE else _begun(base, payload), call_id, raw)
    return events if kind == BEFORE else events + _result(payload, base, kind, call_id, raw)


def _call(payload: Payload, base: Event, call_id: str, raw: bytes) -> list[Event]:
    block = Block(type="tool_use", id=call_id, name=payload.tool_name, input=_stated(payload.tool_input))
    said = Line(type="assistant", cwd=payload.cwd, agent_id=payload.agent_id, message=Message(content=[block]))
    return assistant_events(said, base, raw)


def _result(payload: Payload, base: Event, kind: str, call_id: str, raw: bytes) -> list[Event]:
    is_error = kind == FAILED
    use = ToolUse(interrupted=True) if payload.is_interrupt else None if is_error else use_of(payload.tool_response)
    text = (payload.error or "") if is_error else response_text(payload.tool_response)
    block = Block(type="tool_result", tool_use_id=call_id, content=text, is_error=is_error)
    said = Line(type="user", tool_use_result=use, agent_id=payload.agent_id, message=Message(content=[block]))
    events = user_events(said, base, raw)
    if payload.duration_ms is not None:
        events[0].duration_ms = payload.duration_ms
    return events


def _base(log: Log, payload: Payload, position: int, flags: tuple[str, ...]) -> Event:
    time = times.parse(payload.when)
    return Event(
        event_name="",
        uid="",
        session_id=payload.session_id or log.fallback,
        time_unix_nano=time.unix_nano,
        format=log.form,
        path=log.path,
        position=position,
        actor_id=payload.agent_id or MAIN,
        agent_name=AGENT,
        flags=merged(flags, (time.flag,) if time.flag else None),
    )


def _begun(base: Event, payload: Payload) -> Event:
    """Return the base of a call that only its end tells of."""
    if base.time_unix_nano is None or payload.duration_ms is None:
        return base
    return replace(base, time_unix_nano=times.began(base.time_unix_nano, payload.duration_ms))


def _made_id(log: Log, payload: Payload, base: Event, raw: bytes, *, is_before: bool) -> str:
    """Return an id from what was called: before and after agree in it, and equal calls are told apart by number.

    A line with a time that comes again is the same record written twice.
    """
    line = digest(raw) if base.time_unix_nano is not None else ""
    if line and line in log.made:
        return log.made[line]
    value = decoded(bytes(payload.tool_input)) if bytes(payload.tool_input) else None
    content = digest(msgspec.json.encode([payload.tool_name, value], order="sorted"))
    name = f"{base.session_id}/h:{content}"
    log.counts[f"{is_before}{name}"] += 1
    made = f"{name}:{log.counts[f'{is_before}{name}']}"
    if line:
        log.made[line] = made
    return made


def _stated(raw: Raw) -> Raw:
    return Raw(b"") if bytes(raw) in NULL else raw
