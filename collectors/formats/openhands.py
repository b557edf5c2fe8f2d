"""OpenHands conversations: V0, a list of events (or `{history}`, one a line), and V1, one event a file or a list.

V0: a call is an event with an `action` that runs something, its result the event with an `observation` whose `cause`
is the call's id; an exit code is in `extras.metadata.exit_code`, -1 while the command still runs. V1 (`kind`):
`ActionEvent` and `ObservationEvent` are joined by `tool_call_id`; `AgentErrorEvent` and `UserRejectObservation` are
results as well. `base_state.json` of V1 holds no event. Times have no offset. Source: the public source of both
versions and a saved state.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._documents import decoded, kept, pieces
from collectors.formats._heads import fields
from collectors.formats._lines import fit, rejected
from collectors.formats._outcomes import ERROR, NOT_RUN, OK, Outcome
from collectors.formats._runs import at, base_event, call_of, opening, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "openhands"
TITLE = "OpenHands conversation"
WHERE: tuple[str, ...] = ("~/.openhands/conversations/*/events/*.json", "~/.openhands/sessions/**/*.json")
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the time zone",
    "exit codes of tools other than the shell and Python",
    "whether an edit failed, beyond its words, in V0",
)

_CALLS = {
    "run": "run",
    "run_ipython": "execute_ipython_cell",
    "read": "read",
    "write": "write",
    "edit": "edit",
    "browse": "browse",
    "browse_interactive": "browser",
    "call_tool_mcp": "call_tool_mcp",
    "delegate": "delegate",
    "task_tracking": "task_tracking",
}
_STILL_RUNNING = -1
_DROPPED = frozenset({"thought", "kind", "security_risk", "confirmation_state", "is_input", "blocking", "hidden"})


class Happening(Struct, gc=False):
    """One event of either version."""

    id: int | str | None = None
    timestamp: str | int | float | None = None
    source: str | None = None
    # V0
    action: Any = None
    args: dict[str, Any] | None = None
    observation: Any = None
    cause: int | str | None = None
    content: Any = None
    extras: dict[str, Any] | None = None
    tool_call_metadata: dict[str, Any] | None = None
    # V1
    kind: str | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None
    action_id: str | None = None
    llm_response_id: str | None = None
    llm_message: dict[str, Any] | None = None
    error: str | None = None
    rejection_reason: str | None = None


class Document(Happening, gc=False):
    """One event, or a run with its history (a list of events, or of pairs of them)."""

    instance_id: str | None = None
    history: list[Any] | None = None
    persistence_dir: str | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether events have `source` and `action` or `observation` (V0), or a `kind` of V1, or a state is V1's."""
    seen = fields(head).keys()
    for prefix in ("[].", "history[].", "history[][].", ""):
        names = {name.removeprefix(prefix) for name in seen if name.startswith(prefix)}
        if {"id", "timestamp", "source"} <= names and (
            {"action", "args"} <= names or {"observation", "extras"} <= names or {"kind", "llm_message"} <= names
        ):
            return True
        if {"id", "source", "kind", "tool_call_id"} <= names:
            return True
    return {"id", "agent", "agent.llm"} <= seen and ("agent.tools" in seen or "agent.condenser" in seen)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a conversation; an event of the log is a record, numbered through the file."""
    return kept(_records(b"".join(lines), path))


def _records(content: bytes, path: str) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    position = 0
    parts = pieces(content)
    for number, part in enumerate(parts, 1):
        found, flags, fault = decoded(part, list[Happening] | Document)
        if fault is not None:
            is_torn = fault.endswith("truncated") and number == len(parts)
            yield rejected(path, number, part, fault.partition(":")[0], torn=is_torn)
            continue
        happenings = found if isinstance(found, list) else _history(found)
        name = found.instance_id if isinstance(found, Document) else None
        base = base_event(NAME, path, _session(path, name, happenings), agent_name="OpenHands", flags=flags or None)
        for happening in happenings:
            position += 1
            events = _events(base, happening, position)
            if not events:
                kind = happening.kind or happening.action or happening.observation
                count(skipped, kind if isinstance(kind, str) else "state")
            yield from events
    yield from counted(skipped)


def _history(found: Document) -> list[Happening]:
    if found.history is None:
        return [found]
    flat = [item for entry in found.history for item in (entry if isinstance(entry, list) else [entry])]
    return [_happening(item) for item in flat if isinstance(item, dict)]


def _happening(value: dict[str, Any]) -> Happening:
    """Return an entry of a history as an event, fields of other types left out."""
    found: Happening = fit(value, Happening)[0]
    return found


def _session(path: str, name: str | None, happenings: list[Happening]) -> str:
    """Return the conversation: in V1 each event is a file below `<conversation>/events`."""
    place = PurePath(path)
    if place.parent.name in ("events", "event_cache"):
        return place.parent.parent.name
    begin = [(event.timestamp, event.id, event.kind) for event in happenings[:3]]
    return f"{name or place.stem}:{opening(*begin)}"


def _events(base: Event, event: Happening, position: int) -> list[Event]:
    here = at(base, position, event.timestamp)
    return _events_v1(here, event) if event.kind is not None else _events_v0(here, event)


def _events_v0(here: Event, event: Happening) -> list[Event]:
    metadata = event.tool_call_metadata or {}
    response = metadata.get("model_response")
    step = response.get("id") if isinstance(response, dict) else None
    turn = (
        step if isinstance(step, str) else f"{here.session_id}/{event.cause if event.cause is not None else event.id}"
    )
    here = replace(here, turn_id=turn)
    args = event.args or {}
    if event.action == "message":
        kind = "prompt" if event.source == "user" else "answer"
        return said(here, kind, args.get("content"), key=str(event.id))
    if event.action == "finish":
        return said(here, "answer", args.get("final_thought") or args.get("thought"), key=str(event.id))
    if isinstance(event.action, str) and event.action in _CALLS and event.source == "agent":
        here = replace(here, call_id=str(event.id))
        return [_call(here, _CALLS[event.action], metadata.get("function_name"), args)]
    if isinstance(event.observation, str) and event.cause is not None:
        outcome, code = _outcome_v0(event)
        if outcome is not None or event.observation in _CALLS or event.observation in ("mcp", "error"):
            return [result_of(replace(here, call_id=str(event.cause)), text_of(event.content), outcome, exit_code=code)]
    return []


def _outcome_v0(event: Happening) -> tuple[Outcome | None, object]:
    if event.observation == "error":
        return Outcome(ERROR, "error_observation"), None
    if event.observation == "user_rejected":
        return Outcome("refused", "user_rejected"), None
    extras = event.extras or {}
    metadata = extras.get("metadata")
    code = metadata.get("exit_code") if isinstance(metadata, dict) else extras.get("exit_code")
    return (Outcome("running", "still_running"), None) if code == _STILL_RUNNING else (None, code)


def _events_v1(here: Event, event: Happening) -> list[Event]:
    here = replace(here, turn_id=event.llm_response_id)
    if event.kind == "MessageEvent":
        message = event.llm_message or {}
        kind = "prompt" if event.source == "user" else "answer"
        return said(here, kind, text_of(message.get("content")), key=str(event.id))
    if event.tool_call_id is None:
        return []
    here = replace(here, call_id=event.tool_call_id)
    if event.kind == "ActionEvent":
        return [_call(here, event.tool_name or "", None, event.action if isinstance(event.action, dict) else {})]
    if event.kind == "AgentErrorEvent":
        return [result_of(here, event.error or "", Outcome(NOT_RUN, "agent_error"))]
    if event.kind == "UserRejectObservation":
        return [result_of(here, event.rejection_reason or "", Outcome("refused", "user_rejected"))]
    return [_observed(here, event)] if event.kind == "ObservationEvent" else []


def _observed(here: Event, event: Happening) -> Event:
    seen = event.observation if isinstance(event.observation, dict) else {}
    metadata = seen.get("metadata")
    code = seen.get("exit_code", metadata.get("exit_code") if isinstance(metadata, dict) else None)
    text = text_of(seen.get("content") or seen.get("output") or seen.get("error"))
    if code == _STILL_RUNNING or seen.get("timeout") is True:
        return result_of(here, text, Outcome("running", "still_running"))
    if code is not None:
        return result_of(here, text, exit_code=code)
    failed = seen.get("is_error") or seen.get("error")
    return result_of(here, text, Outcome(ERROR, "is_error") if failed else Outcome(OK) if "is_error" in seen else None)


def _call(here: Event, name: str, stated: object, args: dict[str, Any]) -> Event:
    values = {key: value for key, value in args.items() if key not in _DROPPED}
    if name == "call_tool_mcp" and isinstance(values.get("name"), str):
        return call_of(here, values["name"], values.get("arguments"))
    return call_of(here, stated if isinstance(stated, str) and name != "run" else name, values)
