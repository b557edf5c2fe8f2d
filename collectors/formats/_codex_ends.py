"""Ends of calls as Codex's own events tell them, beside the outputs: items, commands, MCP calls and patches."""

from typing import Any

import msgspec
from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._codex_calls import signal_of
from collectors.formats._codex_output import of_code
from collectors.formats._codex_records import Duration, Item, Part, Payload
from collectors.formats._codex_state import Rollout
from collectors.formats._events import ladder_in, result_event
from collectors.formats._outcomes import ERROR, OK, Outcome

_REFUSED = Outcome("refused", "user_rejected")
_STATES = {"completed": Outcome(OK, "item_status"), "failed": Outcome(ERROR, "item_status"), "declined": _REFUSED}
_FEEDS = frozenset({"unified_exec_interaction", "unifiedExecInteraction"})
_NANOS = 1_000_000


class _Content(msgspec.Struct, gc=False):
    content: list[Part | str] | None = None
    is_error: bool | None = msgspec.field(default=None, name="isError")


class _Wrapped(msgspec.Struct, gc=False):
    ok: _Content | None = msgspec.field(default=None, name="Ok")
    err: msgspec.Raw = msgspec.field(default=msgspec.Raw(b""), name="Err")
    content: list[Part | str] | None = None
    is_error: bool | None = msgspec.field(default=None, name="isError")


_WRAPPED = msgspec.json.Decoder(_Wrapped)


def item_end(file: Rollout, item: Item, base: Event) -> list[Event]:
    """Return the end of the call that an item is about; other items are none."""
    if item.id is None or item.source in _FEEDS:
        return []
    base = replace(base, call_id=item.id)
    if item.type == "CommandExecution":
        return _command_end(file, base, item.aggregated_output, item)
    if item.type == "McpToolCall":
        return _mcp_end(file, base, item.result, item.status, item.duration)
    if item.type == "FileChange":
        text = "\n".join(text for text in (item.stdout, item.stderr) if text)
        return _end(file, base, text, _STATES.get(item.status or ""), item.duration)
    return []


def event_end(file: Rollout, payload: Payload, base: Event) -> list[Event]:
    """Return the end of the call that an event is about."""
    if payload.call_id is None or payload.source in _FEEDS:
        return []
    base = replace(base, call_id=payload.call_id)
    printed = "\n".join(text for text in (payload.stdout, payload.stderr) if text)
    if payload.type == "exec_command_end":
        return _command_end(file, base, payload.aggregated_output or printed, payload)
    if payload.type == "mcp_tool_call_end":
        return _mcp_end(file, base, payload.result, payload.status, payload.duration)
    if payload.success is None:
        return []
    outcome = Outcome(OK, "success_flag") if payload.success else Outcome(ERROR, "success_flag")
    return _end(file, base, printed, _REFUSED if payload.status == "declined" else outcome, payload.duration)


def _command_end(file: Rollout, base: Event, text: str | None, told: Item | Payload) -> list[Event]:
    text, code = text or "", told.exit_code
    ladder = ladder_in(text, base)
    outcome = _REFUSED if told.status == "declined" else None
    if outcome is None:
        outcome = (
            _STATES.get(told.status or "") if code is None else of_code(code, text, has_envelope=ladder is not None)
        )
    return _end(file, base, text, outcome, told.duration, exit_code=code)


def _mcp_end(
    file: Rollout, base: Event, raw: msgspec.Raw, status: str | None, duration: Duration | None
) -> list[Event]:
    try:
        found = _WRAPPED.decode(raw) if bytes(raw) not in (b"", b"null") else None
    except (msgspec.DecodeError, RecursionError):
        found = None
    if found is None:
        return _end(file, base, "", _STATES.get(status or ""), duration)
    if bytes(found.err) not in (b"", b"null"):
        return _end(
            file, base, bytes(found.err).decode("utf-8", "replace"), Outcome("harness_fault", "mcp_transport"), duration
        )
    told: _Content | _Wrapped = found.ok or found
    text = "\n".join(part if isinstance(part, str) else part.text or "" for part in told.content or ())
    return _end(file, base, text, Outcome(ERROR if told.is_error else OK, "is_error"), duration)


def _end(
    file: Rollout,
    base: Event,
    text: str,
    outcome: Outcome | None,
    duration: Duration | None,
    *,
    exit_code: int | None = None,
) -> list[Event]:
    if outcome is None or outcome.status is None:
        return []
    file.ended[base.call_id or ""] = outcome
    slots: dict[str, Any] = {
        "exit_code": exit_code if exit_code != -1 else None,
        "duration_ms": _milliseconds(duration),
    }
    uid = f"e:{file.scope}/{base.call_id}"
    return [result_event(base, uid, text, outcome, ladder_in(text, base), signalled_ok=signal_of(outcome), slots=slots)]


def _milliseconds(duration: Duration | None) -> int | None:
    if duration is None or duration.secs is None or not 0 <= duration.secs < 2**40:
        return None
    return duration.secs * 1000 + max(0, min(duration.nanos or 0, 10**9)) // _NANOS
