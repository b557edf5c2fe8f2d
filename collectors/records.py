"""Events as OpenTelemetry log records and back, without loss.

A slot that the LogRecord has a field for travels there, every other one as the attribute that
`conventions.FIELDS` names. A result also carries the derived `error.type` and `recoup.outcome`, for
readers that know only the semantic conventions; they are ignored on the way back.
"""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from collectors.conventions import FIELDS, RESULT, TURN, Kind
from collectors.events import Event

if TYPE_CHECKING:
    from opentelemetry._logs import LogRecord

ILL_TYPED = "attribute_ill_typed"
"""Flag: an attribute had a type that its slot cannot hold and is kept under `attributes`."""

TRACE_ATTRIBUTE, SPAN_ATTRIBUTE = "recoup.trace_id", "recoup.span_id"
"""Where an id travels that is no W3C id and so has no place in the record's own field."""

DERIVED = frozenset({"error.type", "recoup.outcome"})

_Value: TypeAlias = Any  # of an attribute, whatever it is
_SLOTS = tuple((field.name, field.attribute) for field in FIELDS if field.attribute is not None)
_BY_ATTRIBUTE: Mapping[str, tuple[str, Kind]] = {
    field.attribute: (field.name, field.kind) for field in FIELDS if field.attribute is not None
}
_TRACE_ID = re.compile(r"(?!0{32})[0-9a-f]{32}")
_SPAN_ID = re.compile(r"(?!0{16})[0-9a-f]{16}")
_OUTCOMES = {
    "ok": "success",
    "error": "error",
    "refused": "denied",
    "blocked": "denied",
    "cancelled": "cancelled",
    "interrupted": "cancelled",
    "not_run": "error",
    "harness_fault": "error",
}
_WARN, _INFO = 13, 9
_INT64 = 2**63


def to_attributes(event: Event) -> dict[str, Any]:
    """Return the attributes of an event's log record: the stated slots, and the derived ones of a result."""
    attributes = {}
    for slot, attribute in _SLOTS:
        value = getattr(event, slot)
        if value is not None:
            attributes[attribute] = value
    if event.trace_id is not None and not _TRACE_ID.fullmatch(event.trace_id):
        attributes[TRACE_ATTRIBUTE] = event.trace_id
    if event.span_id is not None and not _SPAN_ID.fullmatch(event.span_id):
        attributes[SPAN_ATTRIBUTE] = event.span_id
    if event.event_name == RESULT:
        attributes["recoup.outcome"] = _outcome(event)
        if attributes["recoup.outcome"] in ("error", "timeout"):
            attributes["error.type"] = _error_type(event)
    return attributes


def severity_of(event: Event) -> int:
    """Return the severity number: 13 (WARN) for what went wrong, 9 (INFO) for the rest."""
    if event.event_name == RESULT:
        return _WARN if _outcome(event) in ("error", "timeout") else _INFO
    return _WARN if event.event_name == TURN and event.turn_kind == "api_error" else _INFO


def to_log_record(event: Event) -> "LogRecord":
    """Return the event as a log record with a top-level event name and no body.

    Times that were not stated are 0, as the protocol writes "unknown": left out, the API would put
    the present in their place.
    """
    from opentelemetry._logs import LogRecord, SeverityNumber
    from opentelemetry.context import Context
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    trace = int(event.trace_id, 16) if event.trace_id and _TRACE_ID.fullmatch(event.trace_id) else 0
    span = int(event.span_id, 16) if event.span_id and _SPAN_ID.fullmatch(event.span_id) else 0
    place = NonRecordingSpan(SpanContext(trace, span, is_remote=True, trace_flags=TraceFlags(0)))
    return LogRecord(
        timestamp=event.time_unix_nano or 0,
        observed_timestamp=event.observed_time_unix_nano or 0,
        context=set_span_in_context(place, Context()),
        severity_number=SeverityNumber(severity_of(event)),
        body=None,
        attributes=to_attributes(event),
        event_name=event.event_name,
    )


def from_log_record(record: "LogRecord") -> Event:
    """Return the event that a log record states; the inverse of `to_log_record`."""
    return from_attributes(
        record.event_name or "",
        dict(record.attributes or {}),
        time_unix_nano=record.timestamp or None,
        observed_time_unix_nano=record.observed_timestamp or None,
        trace_id=f"{record.trace_id:032x}" if record.trace_id else None,
        span_id=f"{record.span_id:016x}" if record.span_id else None,
    )


def from_attributes(
    event_name: str,
    attributes: Mapping[str, Any],
    *,
    time_unix_nano: int | None,
    observed_time_unix_nano: int | None,
    trace_id: str | None,
    span_id: str | None,
) -> Event:
    """Return the event that the fields and attributes of a log record state.

    Attributes of no slot are added to the JSON of `attributes`; so are values that their slot
    cannot hold, and the event is flagged. `uid` and `session_id` are empty where they are missing.
    """
    slots: dict[str, Any] = {}
    others: dict[str, Any] = {}
    is_ill_typed = False
    for name, value in attributes.items():
        if name in _BY_ATTRIBUTE:
            slot, kind = _BY_ATTRIBUTE[name]
            slots[slot] = _fit(value, kind)
            if slots[slot] is None and value is not None:
                others[name] = value
                is_ill_typed = True
        elif name not in DERIVED and name not in (TRACE_ATTRIBUTE, SPAN_ATTRIBUTE):
            others[name] = value
    if others:
        slots["attributes"] = _with_others(slots.get("attributes"), others)
    if is_ill_typed:
        slots["flags"] = tuple(dict.fromkeys((*(slots.get("flags") or ()), ILL_TYPED)))
    return Event(
        event_name=event_name,
        uid=slots.pop("uid", None) or "",
        session_id=slots.pop("session_id", None) or "",
        time_unix_nano=time_unix_nano,
        observed_time_unix_nano=observed_time_unix_nano,
        trace_id=trace_id or _fit(attributes.get(TRACE_ATTRIBUTE), "string"),
        span_id=span_id or _fit(attributes.get(SPAN_ATTRIBUTE), "string"),
        **slots,
    )


def _fit(value: _Value, kind: Kind) -> _Value:
    """Return the value as its slot holds it; None where it cannot."""
    if kind == "string":
        return value if isinstance(value, str) else None
    if kind == "bool":
        return value if isinstance(value, bool) else None
    if kind == "int":
        return value if isinstance(value, int) and not isinstance(value, bool) and -_INT64 <= value < _INT64 else None
    if not isinstance(value, (list, tuple)):
        return None
    item: Kind = "string" if kind == "strings" else "int"
    held = tuple(_fit(member, item) for member in value)
    return held if None not in held else None


def _with_others(text: str | None, others: Mapping[str, Any]) -> str:
    """Return the JSON of `attributes` with further members; text that is no object is kept beside them."""
    try:
        stated = msgspec.json.decode(text) if text else {}
    except msgspec.DecodeError:
        stated = text
    held = stated if isinstance(stated, dict) else {"recoup.attributes": stated}
    return msgspec.json.encode({**held, **others}).decode()


def _outcome(event: Event) -> str:
    if event.status == "killed":
        return "timeout" if event.status_reason == "timeout" or event.error_code == "X_TRANSPORT_TIMEOUT" else "error"
    return _OUTCOMES.get(event.status or "", "unknown")


def _error_type(event: Event) -> str:
    if event.error_code:
        return event.error_code
    return f"exit_{event.exit_code}" if event.exit_code else "_OTHER"
