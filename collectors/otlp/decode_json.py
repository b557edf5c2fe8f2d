"""OTLP requests in JSON to plain records.

The fast lane is a typed decoder that accepts what the protocol writes. What it refuses is mended
(`mend`) and decoded by the same types, so that one odd value does not cost the other records.
`google.protobuf.json_format` is of no use here: it reads the hex of ids as base64 and refuses unknown members.
"""

from collections import Counter
from typing import Any

import msgspec

from collectors.otlp import _shapes as shapes
from collectors.otlp import mend
from collectors.otlp.model import (
    DUPLICATE_KEYS,
    MAX_DEPTH,
    TOO_DEEP,
    AnyValue,
    Batch,
    LogRecord,
    MalformedError,
    Resource,
    Scope,
    Signal,
    SpanEvent,
    SpanLink,
    SpanRecord,
)
from collectors.otlp.values import SPAN_ID_BYTES, TRACE_ID_BYTES, bytes_of_base64, id_of_text, json_text

_Request = shapes.LogRequest | shapes.SpanRequest | shapes.MetricRequest
_DECODERS: dict[Signal, msgspec.json.Decoder[Any]] = {
    "logs": shapes.LOGS,
    "traces": shapes.SPANS,
    "metrics": shapes.METRICS,
}


def count(body: bytes, signal: Signal) -> int | None:
    """Return the number of records of a request in which every value has its type; None of another one."""
    try:
        return _count(_DECODERS[signal].decode(body))
    except (msgspec.DecodeError, RecursionError):
        return None


def decode(body: bytes, signal: Signal) -> Batch:
    """Return the records of a request.

    Raises:
        MalformedError: the body is no JSON object.
    """
    batch = Batch()
    decoder = _DECODERS[signal]
    try:
        request = decoder.decode(body)
    except (msgspec.DecodeError, RecursionError):
        request = _mended(body, signal, batch.counts)
    if isinstance(request, shapes.LogRequest):
        _read_logs(request, batch)
    elif isinstance(request, shapes.SpanRequest):
        _read_spans(request, batch)
    else:
        batch.metric_count = _count(request)
    return batch


def _mended(body: bytes, signal: Signal, counts: Counter[str]) -> _Request:
    try:
        request: _Request = _DECODERS[signal].decode(mend.mended(body, counts))
    except (msgspec.DecodeError, ValueError, RecursionError) as fault:
        raise MalformedError(f"the body is no {signal} request in JSON") from fault
    return request


def _count(request: _Request) -> int:
    if isinstance(request, shapes.LogRequest):
        logs = [part for group in request.resource_logs or () for part in group.scope_logs or ()]
        return sum(len(part.log_records or ()) for part in logs)
    if isinstance(request, shapes.SpanRequest):
        spans = [part for group in request.resource_spans or () for part in group.scope_spans or ()]
        return sum(len(part.spans or ()) for part in spans)
    metrics = [part for group in request.resource_metrics or () for part in group.scope_metrics or ()]
    return sum(len(part.metrics or ()) for part in metrics)


def _read_logs(request: shapes.LogRequest, batch: Batch) -> None:
    for group in request.resource_logs or ():
        resource = _resource(group.resource, batch.counts)
        for part in group.scope_logs or ():
            scope = _scope(part.scope, batch.counts)
            batch.records += [_log(record, resource, scope, batch.counts) for record in part.log_records or ()]


def _read_spans(request: shapes.SpanRequest, batch: Batch) -> None:
    for group in request.resource_spans or ():
        resource = _resource(group.resource, batch.counts)
        for part in group.scope_spans or ():
            scope = _scope(part.scope, batch.counts)
            batch.records += [_span(record, resource, scope, batch.counts) for record in part.spans or ()]


def _resource(resource: shapes.Resource | None, counts: Counter[str]) -> Resource:
    attributes = _attributes(resource.attributes, counts) if resource else {}
    return Resource(attributes=attributes, text=json_text(attributes))


def _scope(scope: shapes.Scope | None, counts: Counter[str]) -> Scope:
    if scope is None:
        return Scope()
    attributes = _attributes(scope.attributes, counts)
    return Scope(name=scope.name or "", version=scope.version or "", text=json_text(attributes))


def _log(record: shapes.Log, resource: Resource, scope: Scope, counts: Counter[str]) -> LogRecord:
    return LogRecord(
        resource=resource,
        scope=scope,
        event_name=record.event_name or "",
        time_unix_nano=_time(record.time_unix_nano),
        observed_time_unix_nano=_time(record.observed_time_unix_nano),
        severity_number=record.severity_number or 0,
        severity_text=record.severity_text or "",
        body=_value(record.body, counts, 1),
        attributes=_attributes(record.attributes, counts),
        trace_id=id_of_text(record.trace_id, TRACE_ID_BYTES, counts),
        span_id=id_of_text(record.span_id, SPAN_ID_BYTES, counts),
        flags=record.flags or 0,
    )


def _span(record: shapes.Span, resource: Resource, scope: Scope, counts: Counter[str]) -> SpanRecord:
    status = record.status or shapes.Status()
    return SpanRecord(
        resource=resource,
        scope=scope,
        name=record.name or "",
        kind=record.kind or 0,
        trace_id=id_of_text(record.trace_id, TRACE_ID_BYTES, counts),
        span_id=id_of_text(record.span_id, SPAN_ID_BYTES, counts),
        parent_span_id=id_of_text(record.parent_span_id, SPAN_ID_BYTES, counts),
        start_time_unix_nano=_time(record.start_time_unix_nano),
        end_time_unix_nano=_time(record.end_time_unix_nano),
        status_code=status.code or 0,
        status_message=status.message or "",
        attributes=_attributes(record.attributes, counts),
        events=tuple(_event(event, counts) for event in record.events or ()),
        links=tuple(_link(link, counts) for link in record.links or ()),
    )


def _event(event: shapes.Event, counts: Counter[str]) -> SpanEvent:
    return SpanEvent(
        name=event.name or "",
        time_unix_nano=_time(event.time_unix_nano),
        attributes=_attributes(event.attributes, counts),
    )


def _link(link: shapes.Link, counts: Counter[str]) -> SpanLink:
    return SpanLink(
        trace_id=id_of_text(link.trace_id, TRACE_ID_BYTES, counts),
        span_id=id_of_text(link.span_id, SPAN_ID_BYTES, counts),
        attributes=_attributes(link.attributes, counts),
    )


def _time(value: int | str | None) -> int | None:
    return int(value) or None if value else None


def _attributes(pairs: list[shapes.KeyValue] | None, counts: Counter[str], depth: int = 1) -> dict[str, AnyValue]:
    if not pairs:
        return {}
    attributes = {}
    for pair in pairs:
        value = pair.value
        text = value.string_value if value is not None else None
        attributes[pair.key] = text if text is not None else _value(value, counts, depth)
    if len(attributes) != len(pairs):
        counts[DUPLICATE_KEYS] += len(pairs) - len(attributes)
    return attributes


def _value(value: shapes.Value | None, counts: Counter[str], depth: int) -> AnyValue:
    if value is None:
        return None
    if value.string_value is not None:
        return value.string_value
    if value.int_value is not None:
        return int(value.int_value)
    if value.bool_value is not None:
        return value.bool_value
    if value.double_value is not None:
        return float(value.double_value)
    if value.bytes_value is not None:
        data = bytes_of_base64(value.bytes_value)
        return data if data is not None else value.bytes_value
    return _nested(value, counts, depth)


def _nested(value: shapes.Value, counts: Counter[str], depth: int) -> AnyValue:
    if value.array_value is None and value.kvlist_value is None:
        return None
    if depth > MAX_DEPTH:
        counts[TOO_DEEP] += 1
        return msgspec.json.encode(value).decode()
    if value.array_value is not None:
        return [_value(item, counts, depth + 1) for item in value.array_value.values or ()]
    return _attributes(value.kvlist_value.values, counts, depth + 1) if value.kvlist_value else {}
