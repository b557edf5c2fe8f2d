"""Log events of Gemini CLI and of Qwen Code, which grew out of it.

- `tool_call` is a call and its end, with `decision` in the same record; there is no id of the call.
- `success` says that the tool answered; a shell's exit code stands in `metadata`, and only where it is not 0.
- `error_type` is one of a fixed list (ToolErrorType).

Source: real telemetry of Gemini CLI 0.61.0, telemetry/types.ts, tools/tool-error.ts; Qwen Code's documentation.
"""

from collections.abc import Mapping

from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._events import ladder_in, turn_event
from collectors.formats._outcomes import ERROR, OK, Outcome, of_exit
from collectors.otlp.calls import Answered, Asked, both
from collectors.otlp.facts import Source, base_of, text, truth, values_of, whole
from collectors.otlp.model import AnyValue

_SHELLS = frozenset({"run_shell_command", "shell"})
_INVALID = Outcome("not_run", "invalid_input")
_BLOCKED = Outcome("blocked", "policy")
_ENDS: Mapping[str, Outcome] = {
    "invalid_tool_params": _INVALID,
    "path_not_in_workspace": _INVALID,
    "tool_not_registered": Outcome("not_run", "unknown_tool"),
    "execution_denied": _BLOCKED,
    "policy_violation": _BLOCKED,
    "tool_blocked": _BLOCKED,
    "unhandled_exception": Outcome("harness_fault", "harness"),
    "execution_failed": Outcome(ERROR, "tool_error"),
}
_REFUSED = Outcome("refused", "user_rejected")
_CANCELLED = Outcome("cancelled", "harness")
_FAILED = Outcome(ERROR, "success_flag")
_USED = ("function_args", "function_name", "success", "error", "error.message", "error.type", "session.id", "sessionId")


def tool_call(source: Source) -> list[Event]:
    """Return the call and its end."""
    attributes = source.record.attributes
    base = base_of(source)
    # the first prompt's id is the session's own
    base = replace(base, turn_id=text(attributes, "response_id", "prompt_id"))
    said = text(attributes, "error", "error.message") or ""
    code = _exit_code(attributes)
    is_ok = truth(attributes.get("success"))
    outcome = _outcome(attributes, is_ok, code, said, has_envelope=ladder_in(said, base) is not None)
    signalled = is_ok if code is None else code == 0
    answered = Answered(said, outcome, signalled, code)
    call_id = text(attributes, "call_id", "gen_ai.tool.call.id", "gen_ai.tool.call_id")
    base = replace(base, call_id=call_id)
    name = f"{base.session_id}/{call_id}" if call_id else None
    return both(source, base, _asked(attributes), answered, name=name, used=_USED)


def api_error(source: Source) -> list[Event]:
    """Return the failure of a request to the model's provider."""
    attributes = source.record.attributes
    reason = text(attributes, "status_code", "http.status_code", "error.type") or "api_error"
    return [turn_event(base_of(source), "api_error", source.key, slots={"reason": reason[:200]})]


def prompt(source: Source) -> list[Event]:
    """Return what a person said."""
    return [turn_event(base_of(source), "prompt", source.key)]


def _asked(attributes: Mapping[str, AnyValue]) -> Asked:
    name = text(attributes, "function_name") or ""
    given = values_of(attributes.get("function_args"))
    if name in _SHELLS and isinstance(given, dict) and isinstance(given.get("command"), str):
        return Asked(name, given["command"], None, text(given, "directory", "dir_path"))
    server = text(attributes, "mcp_server_name")
    return Asked(f"mcp__{server}__{name}" if server else name, None, given)


def _exit_code(attributes: Mapping[str, AnyValue]) -> int | None:
    metadata = values_of(attributes.get("metadata"))
    return whole(metadata.get("exitCode")) if isinstance(metadata, dict) else None


def _outcome(
    attributes: Mapping[str, AnyValue], is_ok: bool | None, code: int | None, said: str, *, has_envelope: bool
) -> Outcome:
    if attributes.get("decision") == "reject":
        return _REFUSED
    if attributes.get("status") == "cancelled":
        return _CANCELLED
    by_exit = of_exit(code, said, has_envelope=has_envelope)
    if by_exit is not None:
        return by_exit
    if is_ok is None:
        return Outcome(None, "unstated")
    return Outcome(OK) if is_ok else _ENDS.get(text(attributes, "error_type", "error.type") or "", _FAILED)
