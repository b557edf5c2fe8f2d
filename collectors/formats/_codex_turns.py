"""What people, the agent and the harness say in a Codex rollout, as turns."""

import re

from msgspec.structs import replace

from collectors.conventions import SESSION_END
from collectors.events import Event
from collectors.formats import _turns
from collectors.formats._codex_records import Failure, Payload, text_of
from collectors.formats._codex_state import Rollout, is_sub_agent
from collectors.formats._events import turn_event
from collectors.formats._results import attributes

_TAGGED = re.compile(r"\s*<([a-zA-Z_]{2,40})[ >]")
# a command that a person ran by hand: between two attempts that matters like any word
_BY_HAND = "user_shell_command"
_HARNESS_WORDS = ("# AGENTS.md instructions", "Warning: ")
_MAX_REASON = 200


def message_events(file: Rollout, payload: Payload, base: Event) -> list[Event]:
    """Return the turn of a message item."""
    text = text_of(payload.content)
    if payload.role == "user":
        return [] if is_harness_text(text) else prompt_events(file, text, base)
    if payload.role != "assistant" or not text.strip():
        return []
    file.prompt = None
    slots = {"mentions": _turns.mentions(text), "is_question": _turns.is_question(text), "turn_id": file.step}
    return [turn_event(base, "answer", f"{_when(base)}|{text}", slots=slots)]


def prompt_events(file: Rollout, text: str, base: Event) -> list[Event]:
    """Return a prompt, once: it is written as an item and as an event. A sub-agent's prompts are its parent's words."""
    text = text.strip()
    if not text or text == file.prompt or is_sub_agent(file):
        return []
    file.prompt, file.step = text, None
    return [turn_event(base, "prompt", f"{_when(base)}|{text}")]


def abort_events(file: Rollout, payload: Payload, base: Event) -> list[Event]:
    """Return the interruption of a turn."""
    file.step = None
    reason = (payload.reason or "interrupted")[:_MAX_REASON]
    return [turn_event(base, "interruption", f"{_when(base)}|{reason}", slots={"reason": reason})]


def error_events(file: Rollout, payload: Payload, base: Event) -> list[Event]:
    """Return a failure of the model's API: `error` ends the turn, `stream_error` is tried again."""
    error = payload.error
    if payload.type == "task_complete" and error is None:
        return []
    info = payload.codex_error_info if not isinstance(error, Failure) else error.codex_error_info
    kind = error.kind if isinstance(error, Failure) else None
    reason = kind or bytes(info).decode("utf-8", "replace").strip('"') or "api_error"
    said = {"is_final": payload.type != "stream_error"}
    slots = {"reason": reason[:_MAX_REASON], "attributes": attributes(said)}
    return [turn_event(base, "api_error", f"{_when(base)}|{reason}", slots=slots)]


def completion_events(file: Rollout, payload: Payload, base: Event) -> list[Event]:
    """Return the end of a session that runs one turn, and the error that ended it."""
    file.step = None
    events = error_events(file, payload, base)
    if file.is_exec and file.current is None and not is_sub_agent(file):
        uid = f"s:{base.session_id}:{payload.turn_id or _when(base)}"
        events.append(replace(base, event_name=SESSION_END, uid=uid, reason="task_complete"))
    return events


def is_harness_text(text: str) -> bool:
    """Return whether a message under the user's name was put there by the harness: context in tags, instructions."""
    if text.startswith(_HARNESS_WORDS):
        return True
    tag = _TAGGED.match(text[:100])
    return tag is not None and tag[1] != _BY_HAND and text.rstrip().endswith(f"</{tag[1]}>")


def _when(base: Event) -> str:
    return str(base.time_unix_nano if base.time_unix_nano is not None else base.position)
