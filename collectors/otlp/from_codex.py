"""Codex's log events.

- The name is in the attribute `event.name`; the record's own is a line of source. Times are observed ones.
- `codex.tool_result` holds the whole output, so an exit code and an envelope can be read from it. `success` is a text
  or a boolean and says only that the tool answered; where the output says that it failed, the output counts.
- A call that could not be dispatched has no `call_id`.

Source: real telemetry of 0.171.0, and session_telemetry.rs.
"""

from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._codex_output import outcome_of, read_output
from collectors.formats._events import ladder_in, turn_event
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.otlp.calls import Answered, Asked, both
from collectors.otlp.facts import Source, base_of, text, truth, values_of, whole

CONFLICT = "signal_conflict"
"""Flag: the client's flag says that the call went well, and its output that it did not."""

_AGENT = "codex"
_SHELLS = frozenset({"shell", "shell_command", "exec_command", "container.exec", "local_shell"})
_PLAIN_NAMESPACES = (None, "functions")
_NO_DISPATCH = Outcome("harness_fault", "not_dispatched")
_DENIALS = {"user": Outcome("refused", "user_rejected"), "config": Outcome("blocked", "policy")}
_USED = ("arguments", "output", "tool_name", "call_id", "success", "conversation.id", "model", "slug")


def tool_result(source: Source) -> list[Event]:
    """Return the call and its end."""
    attributes = source.record.attributes
    base = _base(source)
    said = read_output(text(attributes, "output") or "")
    is_ok = truth(attributes.get("success"))
    outcome = outcome_of(said, has_envelope=ladder_in(said.text, base) is not None)
    if outcome.status is None and is_ok is not None:
        failed = Outcome(ERROR, "success_flag") if base.call_id else _NO_DISPATCH
        outcome = Outcome(OK, "success_flag") if is_ok else failed
    is_contradicted = is_ok is True and outcome.status not in (OK, "running", None)
    answered = Answered(
        said.text,
        outcome,
        None if outcome.status is None else outcome.status in (OK, "running"),
        said.exit_code if said.exit_code != -1 else None,
        (CONFLICT,) if is_contradicted else (),
    )
    return both(source, base, _asked(source), answered, name=_call_name(base), used=_USED)


def tool_decision(source: Source) -> list[Event]:
    """Return the call that was denied; an approved one is told by its result."""
    attributes = source.record.attributes
    decision = (text(attributes, "decision") or "").lower()
    if not decision.startswith(("denied", "abort", "timed_out")):
        return []
    base = _base(source)
    outcome = _DENIALS.get((text(attributes, "source") or "").lower(), _DENIALS["user"])
    answered = Answered("", outcome, False)
    return both(source, base, _asked(source), answered, name=_call_name(base), used=_USED)


def api_request(source: Source) -> list[Event]:
    """Return a request to the model's provider that failed; of others there is nothing to tell."""
    attributes = source.record.attributes
    status = whole(attributes.get("http.response.status_code"))
    error = text(attributes, "error.message")
    if error is None and (status is None or status < 400):
        return []
    reason = str(status) if status is not None else error or "api_error"
    return [turn_event(_base(source), "api_error", source.key, slots={"reason": reason[:200]})]


def prompt(source: Source) -> list[Event]:
    """Return what a person said."""
    return [turn_event(_base(source), "prompt", source.key)]


def _base(source: Source) -> Event:
    attributes = source.record.attributes
    agent = text(attributes, "agent_name")
    base = base_of(source, session=text(attributes, "conversation.id"), agent=_AGENT)
    return replace(
        base,
        call_id=text(attributes, "call_id"),
        actor_id="main" if agent in (None, "/root") else agent,
        agent_version=text(attributes, "app.version") or base.agent_version,
    )


def _call_name(base: Event) -> str | None:
    return f"{base.session_id}/{base.call_id}" if base.call_id else None


def _asked(source: Source) -> Asked:
    attributes = source.record.attributes
    name = text(attributes, "tool_name") or ""
    namespace = text(attributes, "mcp_server") or text(attributes, "tool_namespace")
    given = values_of(attributes.get("arguments"))
    if name in _SHELLS and isinstance(given, dict):
        command = given.get("command") or given.get("cmd")
        cwd = text(given, "workdir", "cwd")
        if isinstance(command, list) and all(isinstance(word, str) for word in command):
            return Asked(name, command, None, cwd)
        if isinstance(command, str):
            return Asked(name, command, None, cwd)
    return Asked(name if namespace in _PLAIN_NAMESPACES else f"{namespace}__{name}", None, given)
