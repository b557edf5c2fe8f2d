"""OTLP requests in protobuf to plain records."""

from collections import Counter
from collections.abc import Iterable, Sequence

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collectors.otlp import _messages as messages
from collectors.otlp._messages import Message
from collectors.otlp.model import (
    DUPLICATE_KEYS,
    MAX_DEPTH,
    REPAIRED,
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
from collectors.otlp.values import INT64_MAX, SPAN_ID_BYTES, TRACE_ID_BYTES, id_of_bytes, json_text

_MEMO_BYTES = 160
_MEMO_SIZE = 40_000


def decode(body: bytes, signal: Signal) -> Batch:
    """Return the records of a request.

    Raises:
        MalformedError: the bytes are no such message.
    """
    reader = _Reader()
    try:
        if signal == "logs":
            return reader.logs(messages.LOG_REQUEST.FromString(body))
        if signal == "traces":
            return reader.spans(messages.SPAN_REQUEST.FromString(body))
        request = messages.METRIC_REQUEST.FromString(body)
    except DecodeError as fault:
        raise MalformedError(f"the body is no {signal} request in protobuf") from fault
    reader.batch.metric_count = sum(len(scope.records) for resource in request.resources for scope in resource.scopes)
    return reader.batch


def count(body: bytes, signal: Signal) -> int | None:
    """Return the number of records of a request that the whole schema accepts; None where it does not.

    The parser checks every message and every text in C; what it refuses, `decode` may still be able to read.
    """
    try:
        if signal == "logs":
            logs = ExportLogsServiceRequest.FromString(body)
            return sum(len(scope.log_records) for group in logs.resource_logs for scope in group.scope_logs)
        if signal == "traces":
            spans = ExportTraceServiceRequest.FromString(body)
            return sum(len(scope.spans) for group in spans.resource_spans for scope in group.scope_spans)
        metrics = ExportMetricsServiceRequest.FromString(body)
    except DecodeError:
        return None
    return sum(len(scope.metrics) for group in metrics.resource_metrics for scope in group.scope_metrics)


# Attributes repeat from record to record and from request to request: decoded pairs by their bytes.
_memo: dict[bytes, tuple[str, AnyValue]] = {}


class _Reader:
    """Reads one request; holds what was noticed on the way."""

    __slots__ = ("batch", "counts", "is_repaired")

    def __init__(self) -> None:
        self.batch = Batch()
        self.counts: Counter[str] = self.batch.counts
        self.is_repaired = False

    def logs(self, request: Message) -> Batch:
        for resource, scope, records in self._records(request):
            for record in records:
                self.batch.records.append(self._log(record, resource, scope))
                self._count_repair()
        return self.batch

    def spans(self, request: Message) -> Batch:
        for resource, scope, records in self._records(request):
            for record in records:
                self.batch.records.append(self._span(record, resource, scope))
                self._count_repair()
        return self.batch

    def _records(self, request: Message) -> Iterable[tuple[Resource, Scope, Sequence[Message]]]:
        for group in request.resources:
            attributes = self._attributes(messages.RESOURCE.FromString(group.resource).attributes)
            resource = Resource(attributes=attributes, text=json_text(attributes))
            for part in group.scopes:
                yield resource, self._scope(part.scope), part.records

    def _scope(self, data: bytes) -> Scope:
        if not data:
            return Scope()
        scope = messages.SCOPE.FromString(data)
        attributes = self._attributes(scope.attributes)
        return Scope(name=self._text(scope.name), version=self._text(scope.version), text=json_text(attributes))

    def _log(self, record: Message, resource: Resource, scope: Scope) -> LogRecord:
        return LogRecord(
            resource=resource,
            scope=scope,
            event_name=self._text(record.event_name),
            time_unix_nano=self._time(record.time),
            observed_time_unix_nano=self._time(record.observed_time),
            severity_number=record.severity,
            severity_text=self._text(record.severity_text),
            body=self._value(record.body, 1),
            attributes=self._attributes(record.attributes),
            trace_id=id_of_bytes(record.trace_id, TRACE_ID_BYTES, self.counts),
            span_id=id_of_bytes(record.span_id, SPAN_ID_BYTES, self.counts),
            flags=record.flags,
        )

    def _span(self, record: Message, resource: Resource, scope: Scope) -> SpanRecord:
        return SpanRecord(
            resource=resource,
            scope=scope,
            name=self._text(record.name),
            kind=record.kind,
            trace_id=id_of_bytes(record.trace_id, TRACE_ID_BYTES, self.counts),
            span_id=id_of_bytes(record.span_id, SPAN_ID_BYTES, self.counts),
            parent_span_id=id_of_bytes(record.parent_span_id, SPAN_ID_BYTES, self.counts),
            start_time_unix_nano=self._time(record.start),
            end_time_unix_nano=self._time(record.end),
            status_code=record.status.code,
            status_message=self._text(record.status.message),
            attributes=self._attributes(record.attributes),
            events=tuple(self._event(event) for event in record.events),
            links=tuple(self._link(link) for link in record.links),
        )

    def _event(self, event: Message) -> SpanEvent:
        return SpanEvent(
            name=self._text(event.name),
            time_unix_nano=self._time(event.time),
            attributes=self._attributes(event.attributes),
        )

    def _link(self, link: Message) -> SpanLink:
        return SpanLink(
            trace_id=id_of_bytes(link.trace_id, TRACE_ID_BYTES, self.counts),
            span_id=id_of_bytes(link.span_id, SPAN_ID_BYTES, self.counts),
            attributes=self._attributes(link.attributes),
        )

    def _attributes(self, pairs: Sequence[bytes], depth: int = 1) -> dict[str, AnyValue]:
        memo = _memo
        attributes = dict([memo.get(pair) or self._pair(pair, depth) for pair in pairs])
        if len(attributes) != len(pairs):
            self.counts[DUPLICATE_KEYS] += len(pairs) - len(attributes)
        return attributes

    def _pair(self, data: bytes, depth: int) -> tuple[str, AnyValue]:
        was_repaired, self.is_repaired = self.is_repaired, False
        pair = messages.KEY_VALUE.FromString(data)
        found = (self._text(pair.key), self._value(pair.value, depth))
        if len(data) <= _MEMO_BYTES and not self.is_repaired and not isinstance(found[1], (list, dict)):
            if len(_memo) >= _MEMO_SIZE:
                _memo.clear()
            _memo[data] = found
        self.is_repaired = self.is_repaired or was_repaired
        return found

    def _value(self, value: Message, depth: int) -> AnyValue:
        kind = value.WhichOneof("value")
        if kind is None:
            return None
        if kind == "string":
            return self._text(value.string)
        if kind not in ("array", "kvlist"):
            return getattr(value, kind)
        data = getattr(value, kind)
        if depth > MAX_DEPTH:
            # the only text there is of a message nobody has decoded
            self.counts[TOO_DEEP] += 1
            return json_text(data).strip('"')
        items = messages.ITEMS.FromString(data).items
        if kind == "kvlist":
            return self._attributes(items, depth + 1)
        return [self._value(messages.VALUE.FromString(item), depth + 1) for item in items]

    def _time(self, value: int) -> int | None:
        if value <= INT64_MAX:
            return value or None
        # past the year 2262, which no column of times can hold
        self.is_repaired = True
        return None

    def _text(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            self.is_repaired = True
            return data.decode(errors="replace")

    def _count_repair(self) -> None:
        if self.is_repaired:
            self.counts[REPAIRED] += 1
            self.is_repaired = False
