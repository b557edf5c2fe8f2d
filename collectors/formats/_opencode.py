"""Messages and parts of OpenCode, which its export, its storage and its event lines share."""

import re
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._outcomes import ERROR, KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._runs import at, call_of, result_of, said

UNSTATED = Raw(b"")
Time = str | int | float | None

_INVALID_TOOL = "invalid"
_TEXTS: tuple[tuple[str, Outcome], ...] = (
    (r"The user rejected permission|The user dismissed", Outcome("refused", "user_rejected")),
    (r"The user has specified a rule which prevents", Outcome("blocked", "permission_rule")),
    (r"Tool execution (?:was )?(?:aborted|interrupted)", Outcome("interrupted", "user_interrupt")),
    (r"The \S{1,100} tool was called with invalid arguments", Outcome(NOT_RUN, "invalid_input")),
    (r"Model tried to call unavailable tool|.{0,80}No such tool", Outcome(NOT_RUN, "unknown_tool")),
)
_KNOWN = tuple((re.compile(pattern), outcome) for pattern, outcome in _TEXTS)
_TIMED_OUT = re.compile(r"terminated command after exceeding timeout|Command timed out after")
_ABORTED = re.compile(r"<shell_metadata>\s*User aborted the command")
_SHELL_NOTE = re.compile(r"\n*<(?:shell|bash)_metadata>.{0,2000}</(?:shell|bash)_metadata>\s*\Z", re.DOTALL)
_ABORT_ERROR = "MessageAbortedError"
_TAIL = 2_500


class Span(Struct, gc=False):
    """Milliseconds since the epoch."""

    start: Time = None
    end: Time = None
    created: Time = None
    completed: Time = None


class Metadata(Struct, gc=False):
    """What the harness knows of a call."""

    exit: int | None = None


class State(Struct, gc=False):
    """How far a call is."""

    status: str | None = None
    input: Raw = UNSTATED
    output: str | None = None
    error: str | None = None
    metadata: Metadata | None = None
    time: Span | None = None


class Part(Struct, gc=False):
    """One part of a message."""

    id: str | None = None
    session_id: str | None = msgspec.field(default=None, name="sessionID")
    message_id: str | None = msgspec.field(default=None, name="messageID")
    type: str | None = None
    text: str | None = None
    synthetic: bool | None = None
    call_id: str | None = msgspec.field(default=None, name="callID")
    tool: str | None = None
    state: State | None = None
    time: Span | None = None


class Failure(Struct, gc=False):
    """Why a message ended early."""

    name: str | None = None


class Tokens(Struct, gc=False):
    """Tokens of a message."""

    input: int | None = None
    output: int | None = None


class Info(Struct, gc=False):
    """A message without its parts, or a session."""

    id: str | None = None
    session_id: str | None = msgspec.field(default=None, name="sessionID")
    role: str | None = None
    directory: str | None = None
    version: str | None = None
    project_id: str | None = msgspec.field(default=None, name="projectID")
    model_id: str | None = msgspec.field(default=None, name="modelID")
    agent: str | None = None
    tokens: Tokens | None = None
    time: Span | None = None
    error: Failure | None = None


def part_events(base: Event, part: Part, role: str | None, *, position: int, cwd: str | None) -> list[Event]:
    """Return the events of a part: a call with its result, or what was said; `role` None is the assistant's."""
    turn = part.message_id or base.turn_id
    if part.type == "tool" and part.state is not None:
        here = replace(base, call_id=part.call_id or part.id or f"{position}", turn_id=turn)
        return _tool_events(here, part, part.state, position=position, cwd=cwd)
    if part.type == "text" and not part.synthetic:
        span = part.time or Span()
        here = at(base, position, span.end or span.start or base.time_unix_nano, turn_id=turn)
        return said(here, "prompt" if role == "user" else "answer", part.text, key=part.id)
    if part.type == "compaction":
        return said(at(base, position, base.time_unix_nano, turn_id=turn), "compaction", "compaction", key=part.id)
    return []


def failure_events(base: Event, failure: Failure | None, *, position: int, time: object) -> list[Event]:
    """Return the turn of a message that ended early: an interruption, or an error of the model's API."""
    if failure is None or failure.name is None:
        return []
    kind = "interruption" if failure.name == _ABORT_ERROR else "api_error"
    return [replace(turn, reason=failure.name[:200]) for turn in said(at(base, position, time), kind, failure.name)]


def _tool_events(here: Event, part: Part, state: State, *, position: int, cwd: str | None) -> list[Event]:
    span = state.time or Span()
    raw = bytes(state.input)
    values: Any = msgspec.json.decode(raw) if raw else {}
    name = part.tool or ""
    if name == _INVALID_TOOL and isinstance(values, dict) and isinstance(values.get("tool"), str):
        name = values["tool"]
    call = call_of(at(here, position, span.start), name, values, cwd=cwd, raw=raw)
    if state.status not in ("completed", "error"):
        return [call]
    text = state.error if state.status == "error" else state.output
    exit_code = state.metadata.exit if state.metadata else None
    outcome = _outcome(part, state, text or "", exit_code)
    bare = _SHELL_NOTE.sub("", (text or "")[-_TAIL:])
    text = (text or "")[:-_TAIL] + bare
    return [call, result_of(at(here, position, span.end), text, outcome, exit_code=exit_code)]


def _outcome(part: Part, state: State, text: str, exit_code: int | None) -> Outcome | None:
    """Return what the state says; None where an exit code says more."""
    if part.tool == _INVALID_TOOL:
        return Outcome(NOT_RUN, "unknown_tool" if "unavailable tool" in text[:500] else "invalid_input")
    if state.status == "error":
        known = next((outcome for pattern, outcome in _KNOWN if pattern.match(text[:500])), None)
        return known or Outcome(ERROR, "state")
    if exit_code is not None:
        return None
    if _TIMED_OUT.search(text[-_TAIL:]) and "_metadata>" in text[-_TAIL:]:
        return Outcome(KILLED, TRANSPORT_TIMEOUT)
    return Outcome("interrupted", "user_interrupt") if _ABORTED.search(text[-_TAIL:]) else Outcome(OK)
