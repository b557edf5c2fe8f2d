"""Claude Code's log events and spans.

- `claude_code.tool_result` is a call and its end. `success` and `duration_ms` are texts; the command and the text of
  the error are there only with OTEL_LOG_TOOL_DETAILS=1, and of a shell even then only `Shell command failed`.
- A call that was rejected has no result, only `claude_code.tool_decision`.
- `claude_code.tool` spans are always unset, also of failed calls; `claude_code.tool.execution` says how it ended.
- MCP tools are called `mcp_tool` unless the details are on (claude-code#22308); that is no name.
- `api_error` comes after the last attempt only, and is no error of a tool.

Source: real telemetry of 2.1.332, and the product's monitoring documentation.
"""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._events import turn_event
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._turns import is_question, mentions
from collectors.otlp.calls import Answered, Asked, both, called, ended
from collectors.otlp.facts import Source, base_of, text, truth, values_of
from collectors.otlp.model import AnyValue, SpanRecord

AGENT = "claude-code"
_SHELLS = frozenset({"Bash", "bash"})
_UNNAMED = "mcp_tool"
_HIDDEN = frozenset({"<REDACTED>"})
_USED = ("tool_input", "tool_parameters", "error", "session.id", "tool_name", "tool_use_id", "success", "model")
_ENDS: Mapping[str, Outcome] = {
    "AbortError": Outcome("interrupted", "user_interrupt"),
    "InputValidationError": Outcome("not_run", "invalid_input"),
}
_FAILED = Outcome(ERROR, "success_flag")
_REFUSED = Outcome("refused", "user_rejected")
_BLOCKS = {"hook": Outcome("blocked", "hook"), "config": Outcome("blocked", "permission_rule")}


def tool_result(source: Source) -> list[Event]:
    """Return the call and its end."""
    attributes = source.record.attributes
    base = _base(source)
    is_ok = truth(attributes.get("success"))
    kind = text(attributes, "error_type") or ""
    outcome = Outcome(None, "unstated") if is_ok is None else Outcome(OK) if is_ok else _ENDS.get(kind, _FAILED)
    answered = Answered(text(attributes, "error") or "", outcome, is_ok)
    return both(source, base, _asked(attributes), answered, name=_call_name(base, attributes), used=_USED)


def tool_decision(source: Source) -> list[Event]:
    """Return the call that was rejected and never ran; an accepted one is told by its result."""
    attributes = source.record.attributes
    if attributes.get("decision") != "reject":
        return []
    base = _base(source)
    outcome = _BLOCKS.get(text(attributes, "source") or "", _REFUSED)
    answered = Answered("", outcome, False)
    return both(source, base, _asked(attributes), answered, name=_call_name(base, attributes), used=_USED)


def api_error(source: Source) -> list[Event]:
    """Return the failure of a request to the model's provider."""
    attributes = source.record.attributes
    base = replace(_base(source), model=text(attributes, "model"))
    reason = text(attributes, "status_code", "error") or "api_error"
    return [turn_event(base, "api_error", _said(source), slots={"reason": reason[:200]})]


def prompt(source: Source) -> list[Event]:
    """Return what a person said."""
    return [turn_event(_base(source), "prompt", _said(source))]


def answer(source: Source) -> list[Event]:
    """Return what the agent said; its text is there only where the user turned that on."""
    said = text(source.record.attributes, "response")
    slots: dict[str, Any] = {"model": text(source.record.attributes, "model")}
    if said is not None and said not in _HIDDEN:
        slots |= {"mentions": mentions(said), "is_question": is_question(said)}
    return [turn_event(_base(source), "answer", _said(source), slots=slots)]


def tool_span(source: Source) -> list[Event]:
    """Return the call; how it ended is told by its child."""
    attributes = source.record.attributes
    base = _base(source)
    command = text(attributes, "full_command")
    path = text(attributes, "file_path")
    name = text(attributes, "gen_ai.tool.name", "tool_name") or ""
    asked = Asked(name, command, None if path is None or command else {"file_path": path})
    return [called(source, base, asked, name=_call_name(base, attributes))]


def execution_span(source: Source) -> list[Event]:
    """Return how a call ended."""
    attributes = source.record.attributes
    base = _base(source)
    is_ok = truth(attributes.get("success"))
    if is_ok is None and isinstance(source.record, SpanRecord):
        is_ok = source.record.status_code != 2
    outcome = Outcome(OK) if is_ok else _ENDS.get(text(attributes, "error_class") or "", _FAILED)
    answered = Answered(text(attributes, "error") or "", outcome, is_ok)
    return [ended(source, base, answered, name=_call_name(base, attributes), used=_USED)]


def _base(source: Source) -> Event:
    attributes = source.record.attributes
    base = base_of(source, agent=AGENT)
    return replace(
        base,
        call_id=text(attributes, "tool_use_id", "gen_ai.tool.call.id"),
        turn_id=text(attributes, "request_id"),
    )


def _call_name(base: Event, attributes: Mapping[str, AnyValue]) -> str | None:
    """Return the tool-use id, which is global; older versions number a session's events instead."""
    if base.call_id:
        return base.call_id
    number = text(attributes, "event.sequence")
    return f"{base.session_id}/sequence:{number}" if number is not None else None


def _said(source: Source) -> str:
    return text(source.record.attributes, "event.sequence") or source.key


def _asked(attributes: Mapping[str, AnyValue]) -> Asked:
    name = text(attributes, "tool_name") or ""
    details = values_of(attributes.get("tool_parameters"))
    details = details if isinstance(details, dict) else {}
    if name == _UNNAMED and details.get("mcp_tool_name"):
        name = f"mcp__{details.get('mcp_server_name')}__{details['mcp_tool_name']}"
    given = values_of(attributes.get("tool_input"))
    if name in _SHELLS:
        command = given.get("command") if isinstance(given, dict) else None
        command = command or details.get("full_command")
        return Asked(name, command if isinstance(command, str) else None)
    return Asked(name, None, given)
