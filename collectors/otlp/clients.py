"""From the records of OTLP requests to events: one table of clients' events, one of conventions for spans.

What is in neither table is counted and kept as it came. A call that a client tells of twice, in a log
record and in a span without a common id, is taken from one of them only: from the record that has the
call's id, else from the one that says more.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from collectors.conventions import CALL, DECLARATION, EVENT_NAMES, RESULT, SESSION_END, TURN
from collectors.events import Event, Skipped
from collectors.otlp import from_claude, from_codex, from_gemini, from_spans, names
from collectors.otlp.facts import LOGS_PATH, Source
from collectors.otlp.model import AnyValue, LogRecord, OtlpRecord
from collectors.records import from_attributes

FORMAT = "otlp"

Reader = Callable[[Source], list[Event]]

LOG_EVENTS: Mapping[str, Reader] = {
    "claude_code.tool_result": from_claude.tool_result,
    "claude_code.tool_decision": from_claude.tool_decision,
    "claude_code.api_error": from_claude.api_error,
    "claude_code.user_prompt": from_claude.prompt,
    "claude_code.assistant_response": from_claude.answer,
    "codex.tool_result": from_codex.tool_result,
    "codex.tool_decision": from_codex.tool_decision,
    "codex.api_request": from_codex.api_request,
    "codex.user_prompt": from_codex.prompt,
    "gemini_cli.tool_call": from_gemini.tool_call,
    "gemini_cli.api_error": from_gemini.api_error,
    "gemini_cli.user_prompt": from_gemini.prompt,
    "qwen-code.tool_call": from_gemini.tool_call,
    "qwen-code.api_error": from_gemini.api_error,
    "qwen-code.user_prompt": from_gemini.prompt,
}
SPANS: Mapping[str, Reader] = {
    "claude_code.tool": from_claude.tool_span,
    "claude_code.tool.execution": from_claude.execution_span,
}
TOLD_BY_LOGS = frozenset({"gemini-cli", "qwen-code"})
"""Services whose spans of tools tell what their log records tell, with no id in common."""

_PREFIXES = {CALL: "c", RESULT: "r", TURN: "t", SESSION_END: "s", DECLARATION: "d"}
_LONGEST_KIND = 80
_KNOWN = ("claude_code.", "codex.", "gemini_cli.", "qwen-code.", "copilot_chat.", "gen_ai.", "github.copilot.")


def name_of(record: OtlpRecord) -> str:
    """Return the name of the event or the span; empty where none is stated."""
    return names.resolve(record) if isinstance(record, LogRecord) else record.name


def events_of(record: OtlpRecord, name: str, content_key: Callable[[], str]) -> Sequence[Event | Skipped]:
    """Return the events that a record states, or what it is counted as.

    Args:
        record: A log record or a span.
        name: As `name_of`.
        content_key: Returns what tells the record from all others, for one that states no natural key.
    """
    found: Sequence[Event] = ()
    if isinstance(record, LogRecord):
        if name in EVENT_NAMES:
            return [_own(record, name, content_key)]
        reader = LOG_EVENTS.get(name)
        if reader is not None:
            found = reader(Source(record, name, content_key()))
    elif name in SPANS:
        found = SPANS[name](Source(record, name, content_key()))
    elif record.attributes and record.resource.service_name not in TOLD_BY_LOGS:
        convention = from_spans.convention_of(record)
        if convention is not None:
            found = from_spans.tool_span(Source(record, name, content_key()), convention)
    return found or _skipped(name if name.startswith(_KNOWN) else "", isinstance(record, LogRecord))


@lru_cache(maxsize=1024)
def _skipped(name: str, is_log: bool) -> tuple[Skipped]:
    """Return what a record without an event is counted as; few kinds, whatever senders call their spans."""
    kind = name if name and len(name) <= _LONGEST_KIND else "other log record" if is_log else "other span"
    return (Skipped(kind=kind, count=1),)


def _own(record: LogRecord, name: str, content_key: Callable[[], str]) -> Event:
    event = from_attributes(
        name,
        record.attributes,
        time_unix_nano=record.time_unix_nano,
        observed_time_unix_nano=record.observed_time_unix_nano,
        trace_id=record.trace_id,
        span_id=record.span_id,
    )
    if not event.session_id:
        event.session_id = _first(
            record.attributes.get("session.id"),
            event.trace_id,
            record.resource.attributes.get("session.id"),
            record.resource.attributes.get("service.instance.id"),
        )
    if not event.uid:
        natural = f"{event.session_id}:{event.call_id}" if event.call_id else f"h:{content_key()}"
        event.uid = f"{_PREFIXES[name]}:{natural}"
    if event.format is None:
        event.format, event.path = FORMAT, event.path or LOGS_PATH
    return event


def _first(*values: AnyValue) -> str:
    return next((value for value in values if isinstance(value, str) and value), "otlp")
