"""Messages of a Gemini CLI chat, in both of its files, and the bare contents of the Gemini API, as events."""

import re
from collections import Counter
from dataclasses import dataclass, field

from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors import times
from collectors.events import Event
from collectors.formats import _turns
from collectors.formats._codex_records import Whole
from collectors.formats._events import turn_event
from collectors.formats._gemini_calls import (
    FunctionCall,
    Part,
    Said,
    Stated,
    answer_event,
    call_event,
    echo_of,
    response_of,
    text_of,
    with_call_id,
)
from collectors.formats._results import attributes, content_id, merged

AGENT = "gemini-cli"
_UNSTATED = Raw(b"")
_FINAL = frozenset({"success", "error", "cancelled"})
_MODELS = frozenset({"gemini", "model", "assistant"})
_TAGGED = re.compile(r"\s*<([a-z_]{2,40})>")
_HARNESS_WORDS = ("This is the Gemini CLI. We are setting up the context",)
_STOPPED = ("Request cancelled", "User cancelled")


class ToolCall(Struct, gc=False):
    """A call with its answer."""

    id: str | None = None
    name: str | None = None
    args: Raw = _UNSTATED
    result: list[Part | str] | Part | str | None = None
    status: str | None = None
    timestamp: str | int | float | None = None


class Tokens(Struct, gc=False):
    """What a message of the model used."""

    input: Whole | None = None
    output: Whole | None = None
    cached: Whole | None = None


class Message(Struct, gc=False, rename="camel"):
    """One message of a chat."""

    id: str | None = None
    timestamp: str | int | float | None = None
    type: str | None = None
    content: str | list[Part | str] | Part | None = None
    parts: list[Part | str] | None = None
    tool_calls: list[ToolCall] | None = None
    model: str | None = None
    tokens: Tokens | None = None


class Content(Struct, gc=False):
    """One content of the Gemini API."""

    role: str | None = None
    parts: list[Part | str] | None = None
    ts: str | int | float | None = None


@dataclass(slots=True)
class Chat:
    """One file."""

    form: str
    path: str
    session: str
    actor: str = "main"
    waiting: list[tuple[str, str, str | None]] = field(default_factory=list)
    """Name, id and echo of the calls in contents that are not answered yet."""
    skipped: Counter[str] = field(default_factory=Counter)


def message_events(chat: Chat, message: Message, position: int, flags: tuple[str, ...]) -> list[Event]:
    """Return the calls of a message and their results, and what it says."""
    base = _base(chat, message.timestamp, position, flags)
    key = message.id or str(position)
    text = text_of(message.content if message.content is not None else message.parts)
    if message.type in _MODELS:
        tokens = message.tokens or Tokens()
        fresh = None if tokens.input is None else max(0, tokens.input - (tokens.cached or 0))
        base = replace(
            base,
            model=message.model,
            turn_id=f"{chat.session}/{key}",
            input_tokens=fresh,
            output_tokens=tokens.output,
        )
        events = [event for at, call in enumerate(message.tool_calls or ()) for event in _called(chat, call, base, at)]
        return events + _answer(base, key, text)
    if message.type == "user":
        return _prompt(base, key, text)
    return _noted(base, message.type or "", key, text)


def content_events(chat: Chat, content: Content, position: int, flags: tuple[str, ...]) -> list[Event]:
    """Return the calls and results among the parts of a content, and what it says."""
    base = _base(chat, content.ts, position, flags)
    parts = [part for part in content.parts or () if isinstance(part, Part)]
    text = text_of(content.parts)
    if content.role in _MODELS:
        base = replace(base, turn_id=f"{chat.session}/{position}")
        calls = [part.function_call for part in parts if part.function_call is not None]
        return [_asked(chat, call, base, at) for at, call in enumerate(calls)] + _answer(base, str(position), text)
    events = [
        _answered(
            chat,
            part.function_response.id,
            part.function_response.name,
            response_of(part.function_response.response),
            base,
        )
        for part in parts
        if part.function_response is not None
    ]
    return events or _prompt(base, str(position), text)


def is_harness_text(text: str) -> bool:
    """Return whether a message under the user's name is context that the harness put there."""
    if text.startswith(_HARNESS_WORDS):
        return True
    tag = _TAGGED.match(text[:100])
    return tag is not None and text.rstrip().endswith(f"</{tag[1]}>")


def _called(chat: Chat, call: ToolCall, base: Event, at: int) -> list[Event]:
    name = call.name or ""
    base = with_call_id(base, call.id, f"{(base.turn_id or '').rpartition('/')[2]}:{at}")
    raw = bytes(call.args)
    asked = call_event(base, chat.session, name, raw, cwd=None)
    if call.status not in _FINAL:
        return [asked]
    time = times.parse(call.timestamp)
    flags = tuple(flag for flag in base.flags or () if flag not in (times.MISSING, times.NAIVE))
    base = replace(
        base,
        time_unix_nano=time.unix_nano,
        flags=merged(flags, (time.flag,) if time.flag else None),
        input_tokens=None,
        output_tokens=None,
    )
    return [asked, answer_event(base, chat.session, name, _said(call), Stated(call.status), echo=echo_of(asked, raw))]


def _said(call: ToolCall) -> Said:
    result = call.result
    for part in result if isinstance(result, list) else [result]:
        if isinstance(part, Part) and part.function_response is not None:
            return response_of(part.function_response.response)
    return Said(text_of(result) if result is not None else "", is_error=False)


def _asked(chat: Chat, call: FunctionCall, base: Event, at: int) -> Event:
    base = with_call_id(base, call.id, f"{base.position}:{at}")
    raw = bytes(call.args)
    event = call_event(base, chat.session, call.name or "", raw, cwd=None)
    chat.waiting.append((call.name or "", base.call_id or "", echo_of(event, raw)))
    return event


def _answered(chat: Chat, stated: str | None, name: str | None, said: Said, base: Event) -> Event:
    found = next((call for call in chat.waiting if (call[1] == stated if stated else call[0] == name)), None)
    if found is not None:
        chat.waiting.remove(found)
    made = found[1] if found is not None else content_id(f"{base.position}|{name}".encode())
    base = with_call_id(base, stated, made)
    return answer_event(base, chat.session, name or "", said, Stated(), echo=found[2] if found else None)


def _answer(base: Event, key: str, text: str) -> list[Event]:
    if not text.strip():
        return []
    slots = {"mentions": _turns.mentions(text), "is_question": _turns.is_question(text)}
    return [turn_event(base, "answer", key, slots=slots)]


def _prompt(base: Event, key: str, text: str) -> list[Event]:
    return [] if not text.strip() or is_harness_text(text) else [turn_event(base, "prompt", key)]


def _noted(base: Event, kind: str, key: str, text: str) -> list[Event]:
    """Return what the client tells the person: that the agent was stopped, or that the model's API failed."""
    if text.startswith(_STOPPED):
        return [turn_event(base, "interruption", key)]
    if kind == "error":
        slots = {"reason": "api_error", "attributes": attributes({"is_final": True})}
        return [turn_event(base, "api_error", key, slots=slots)]
    return []


def _base(chat: Chat, stated: str | int | float | None, position: int, flags: tuple[str, ...]) -> Event:
    time = times.parse(stated)
    return Event(
        event_name="",
        uid="",
        session_id=chat.session,
        time_unix_nano=time.unix_nano,
        format=chat.form,
        path=chat.path,
        position=position,
        actor_id=chat.actor,
        agent_name=AGENT,
        flags=merged(flags, (time.flag,) if time.flag else None),
    )
