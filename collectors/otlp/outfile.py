"""The telemetry file of Gemini CLI and Qwen Code: the SDK's own objects, pretty-printed one after another.

They are no OTLP: times are `[seconds, nanoseconds]`, attributes a plain object, those of the resource a list of pairs;
logs, spans and metrics are mixed. Versions differ in `body` and `_body`, `attributes` and `_rawAttributes`.
"""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

from collectors.otlp.model import AnyValue, LogRecord, OtlpRecord, Resource, Scope, SpanEvent, SpanRecord
from collectors.otlp.values import SPAN_ID_BYTES, TRACE_ID_BYTES, id_of_text, json_text

Json: TypeAlias = Any
"""What a JSON parser returns."""

_DECODER = json.JSONDecoder(strict=False)
_SECOND = 1_000_000_000
_KINDS = 6


def looks_like(head: bytes) -> bool:
    """Return whether a file begins with such an object."""
    start = head[:4096]
    return (
        start.lstrip()[:1] == b"{"
        and (b'"hrTime"' in start or b'"_spanContext"' in start)
        and b"resourceLogs" not in start
    )


def read(text: str) -> Iterator[tuple[OtlpRecord | None, str]]:
    """Yield each log record and span; None for an object that is neither, and the text that cannot be read, if any."""
    place = 0
    while True:
        place = _next_brace(text, place)
        if place < 0:
            return
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (json.JSONDecodeError, RecursionError):
            # objects begin at the start of a line; whatever is broken ends at the next one
            end = text.find("\n{", place + 1)
            yield None, text[place : place + 300]
            if end < 0:
                return
            place = end + 1
            continue
        place = end
        yield _record(value), ""


def _next_brace(text: str, place: int) -> int:
    while place < len(text) and text[place] != "{":
        place += 1
    return place if place < len(text) else -1


def _record(value: Json) -> OtlpRecord | None:
    if not isinstance(value, dict):
        return None
    if "hrTime" in value:
        return _log(value)
    return _span(value) if "startTime" in value and "name" in value else None


def _log(value: dict[str, Json]) -> LogRecord:
    context = _object(value.get("spanContext"))
    return LogRecord(
        resource=_resource(value),
        scope=_scope(value),
        event_name=str(value.get("eventName") or ""),
        time_unix_nano=_time(value.get("hrTime")),
        observed_time_unix_nano=_time(value.get("hrTimeObserved")),
        severity_number=value["severityNumber"] if isinstance(value.get("severityNumber"), int) else 0,
        severity_text=str(value.get("severityText") or ""),
        body=value.get("body", value.get("_body")),
        attributes=_object(value.get("attributes")),
        trace_id=_id(context.get("traceId"), TRACE_ID_BYTES),
        span_id=_id(context.get("spanId"), SPAN_ID_BYTES),
        flags=0,
    )


def _span(value: dict[str, Json]) -> SpanRecord:
    context = _object(value.get("_spanContext") or value.get("spanContext"))
    parent = _object(value.get("parentSpanContext"))
    status = _object(value.get("status"))
    kind = value.get("kind")
    return SpanRecord(
        resource=_resource(value),
        scope=_scope(value),
        name=str(value["name"]),
        # the SDK counts kinds from 0, the protocol from 1
        kind=kind + 1 if isinstance(kind, int) and 0 <= kind < _KINDS else 0,
        trace_id=_id(context.get("traceId"), TRACE_ID_BYTES),
        span_id=_id(context.get("spanId"), SPAN_ID_BYTES),
        parent_span_id=_id(parent.get("spanId") or value.get("parentSpanId"), SPAN_ID_BYTES),
        start_time_unix_nano=_time(value.get("startTime")),
        end_time_unix_nano=_time(value.get("endTime")),
        status_code=status["code"] if isinstance(status.get("code"), int) else 0,
        status_message=str(status.get("message") or ""),
        attributes=_object(value.get("attributes")),
        events=tuple(_event(event) for event in value.get("events") or () if isinstance(event, dict)),
        links=(),
    )


def _event(value: dict[str, Json]) -> SpanEvent:
    return SpanEvent(
        name=str(value.get("name") or ""),
        time_unix_nano=_time(value.get("time")),
        attributes=_object(value.get("attributes")),
    )


def _resource(value: dict[str, Json]) -> Resource:
    stated = _object(value.get("resource"))
    pairs = stated.get("_rawAttributes")
    attributes = _object(stated.get("attributes") or stated.get("_attributes"))
    if isinstance(pairs, list):
        attributes = {str(pair[0]): pair[1] for pair in pairs if isinstance(pair, list) and len(pair) == 2}
    return Resource(attributes=attributes, text=json_text(attributes))


def _scope(value: dict[str, Json]) -> Scope:
    stated = _object(value.get("instrumentationScope"))
    return Scope(name=str(stated.get("name") or ""), version=str(stated.get("version") or ""))


def _object(value: Json) -> dict[str, AnyValue]:
    return value if isinstance(value, dict) else {}


def _time(value: Json) -> int | None:
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(part, int) for part in value):
        return None
    nano: int = value[0] * _SECOND + value[1]
    return nano if 0 < nano < 2**63 else None


def _id(value: Json, size: int) -> str | None:
    return id_of_text(value, size, Counter()) if isinstance(value, str) else None
