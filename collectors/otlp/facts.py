"""What clients state in attributes, read alike however each of them spells it; and what their events share."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from collectors import times
from collectors.events import Event
from collectors.formats._results import merged
from collectors.otlp import screen
from collectors.otlp.model import AnyValue, LogRecord, OtlpRecord, SpanRecord
from collectors.otlp.values import json_text

LOG_FORMAT, SPAN_FORMAT = "otlp_log", "otlp_span"
LOGS_PATH, TRACES_PATH = "/v1/logs", "/v1/traces"
"""What stands for the file of a record that was sent."""
NO_ID = ("no_call_id",)
NO_COMMAND = ("no_command",)
"""Flags: the record names no call; it does not say what was run."""
MAIN = "main"

_YES, _NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
_SESSIONS = ("gen_ai.conversation.id", "session.id", "conversation.id", "sessionId", "thread.id")
_MILLI = 1_000_000
_MAX_REST = 2_000
_PERSONAL = ("user.", "enduser.", "organization.")
"""Prefixes of attributes that say who the person is; nothing here needs them."""


class Source(NamedTuple):
    """A record, and where it came from."""

    record: OtlpRecord
    name: str
    """Resolved name of the event, or of the span."""
    key: str
    """Content key, hex: tells the record from all others where it states nothing that does."""


def text(attributes: Mapping[str, AnyValue], *names: str) -> str | None:
    """Return the first of the attributes that is a text with something in it; other values as JSON."""
    for name in names:
        value = attributes.get(name)
        if value not in (None, "", b""):
            return value if isinstance(value, str) else json_text(value)
    return None


def truth(value: AnyValue) -> bool | None:
    """Return a boolean from any of its spellings: true, "True", 1, "1"; None for anything else."""
    if isinstance(value, bool):
        return value
    said = str(value).strip().lower() if isinstance(value, (str, int)) else ""
    return True if said in _YES else False if said in _NO else None


def whole(value: AnyValue) -> int | None:
    """Return an integer from a number or the text of one; None for what is none."""
    try:
        number = float(value) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        return None
    return round(number) if number is not None and abs(number) < 2**62 else None


def values_of(arguments: AnyValue) -> AnyValue:
    """Return arguments that are JSON in a text as what they say."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return msgspec.json.decode(arguments)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return arguments or None


def base_of(source: Source, *, session: str | None = None, agent: str | None = None) -> Event:
    """Return an event of no kind yet, with what all events of one record have in common.

    Its time is the record's, of a span the end; without one, the record enters no duration.
    """
    record = source.record
    attributes = record.attributes
    is_log = isinstance(record, LogRecord)
    nano = _nano(record)
    return Event(
        event_name="",
        uid="",
        session_id=session or _session(record),
        time_unix_nano=nano,
        trace_id=record.trace_id,
        span_id=record.span_id,
        format=LOG_FORMAT if is_log else SPAN_FORMAT,
        path=LOGS_PATH if is_log else TRACES_PATH,
        actor_id=text(attributes, "agent_id", "gen_ai.agent.id") or MAIN,
        agent_name=agent or text(attributes, "gen_ai.agent.name") or record.resource.service_name,
        agent_version=text(record.resource.attributes, "service.version"),
        model=text(attributes, "gen_ai.request.model", "model"),
        flags=(times.MISSING,) if nano is None else None,
    )


def _nano(record: OtlpRecord) -> int | None:
    if isinstance(record, SpanRecord):
        return record.end_time_unix_nano or record.start_time_unix_nano
    stated = record.time_unix_nano or record.observed_time_unix_nano
    return stated or times.parse(record.attributes.get("event.timestamp")).unix_nano


def _session(record: OtlpRecord) -> str:
    found = text(record.attributes, *_SESSIONS) or text(record.resource.attributes, *_SESSIONS)
    return found or record.trace_id or text(record.resource.attributes, "service.instance.id") or "otlp"


def start_of(record: OtlpRecord, end: int | None, duration_ms: int | None) -> int | None:
    """Return when a call began: what the span says, else its end less its duration, nanoseconds."""
    if isinstance(record, SpanRecord) and record.start_time_unix_nano is not None:
        return record.start_time_unix_nano
    return None if end is None else times.began(end, duration_ms)


def milliseconds(record: OtlpRecord) -> int | None:
    """Return how long a call took: what is stated, else the length of the span."""
    stated = whole(record.attributes.get("duration_ms"))
    if stated is not None or not isinstance(record, SpanRecord):
        return stated
    start, end = record.start_time_unix_nano, record.end_time_unix_nano
    return (end - start) // _MILLI if start is not None and end is not None and end >= start else None


def rest(attributes: Mapping[str, AnyValue], *used: str) -> str | None:
    """Return as JSON what else a record said, without secrets and without who the person is."""
    left: dict[str, Any] = {
        name: value if not isinstance(value, str) else value[:_MAX_REST]
        for name, value in attributes.items()
        if value is not None and name not in used and not name.startswith(_PERSONAL)
    }
    suspects = screen.suspects(left)
    if suspects:
        left.update(zip(suspects, screen.screened([(name, left[name]) for name in suspects]), strict=True))
    return json_text(left) if left else None


def flagged(event: Event, *flags: str) -> Event:
    """Return the event with further flags."""
    return msgspec.structs.replace(event, flags=merged(event.flags, flags)) if flags else event
