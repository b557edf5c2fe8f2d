"""The shapes of OTLP/JSON requests, typed as the protocol writes them; members it does not know are skipped."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from collectors.otlp.values import INT64_MAX, INT64_MIN

# what the patterns leave out of the range of int64 is read by `mend`
Int64 = (
    Annotated[int, Meta(ge=INT64_MIN, le=INT64_MAX)]
    | Annotated[str, Meta(pattern=r"^-?[0-9]{1,18}$|^-?[0-8][0-9]{18}$")]
    | None
)
Time = Annotated[int, Meta(ge=0, le=INT64_MAX)] | Annotated[str, Meta(pattern=r"^[0-9]{0,18}$|^[0-8][0-9]{18}$")] | None
Double = float | Literal["NaN", "Infinity", "-Infinity"] | None
Enum = Annotated[int, Meta(ge=-(2**31), lt=2**31)] | None
UInt32 = Annotated[int, Meta(ge=0, lt=2**32)] | None


class Value(Struct, rename="camel", omit_defaults=True, gc=False):
    """An AnyValue."""

    string_value: str | None = None
    int_value: Int64 = None
    bool_value: bool | None = None
    double_value: Double = None
    bytes_value: str | None = None
    array_value: "ValueList | None" = None
    kvlist_value: "KeyValueList | None" = None


class KeyValue(Struct, omit_defaults=True, gc=False):
    """One attribute."""

    key: str = ""
    value: Value | None = None


class ValueList(Struct, omit_defaults=True, gc=False):
    """An ArrayValue."""

    values: list[Value | None] | None = None


class KeyValueList(Struct, omit_defaults=True, gc=False):
    """A KeyValueList."""

    values: list[KeyValue] | None = None


Attributes = list[KeyValue] | None


class Resource(Struct, gc=False):
    """A Resource."""

    attributes: Attributes = None


class Scope(Struct, gc=False):
    """An InstrumentationScope."""

    name: str | None = None
    version: str | None = None
    attributes: Attributes = None


class Log(Struct, rename="camel", gc=False):
    """A LogRecord."""

    time_unix_nano: Time = None
    observed_time_unix_nano: Time = None
    severity_number: Enum = None
    severity_text: str | None = None
    event_name: str | None = None
    body: Value | None = None
    attributes: Attributes = None
    trace_id: str | None = None
    span_id: str | None = None
    flags: UInt32 = None


class Event(Struct, rename="camel", gc=False):
    """A Span.Event."""

    name: str | None = None
    time_unix_nano: Time = None
    attributes: Attributes = None


class Link(Struct, rename="camel", gc=False):
    """A Span.Link."""

    trace_id: str | None = None
    span_id: str | None = None
    attributes: Attributes = None


class Status(Struct, gc=False):
    """A Status."""

    code: Enum = None
    message: str | None = None


class Span(Struct, rename="camel", gc=False):
    """A Span."""

    name: str | None = None
    kind: Enum = None
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    start_time_unix_nano: Time = None
    end_time_unix_nano: Time = None
    attributes: Attributes = None
    events: list[Event] | None = None
    links: list[Link] | None = None
    status: Status | None = None


class LogScope(Struct, rename="camel", gc=False):
    """A ScopeLogs."""

    scope: Scope | None = None
    log_records: list[Log] | None = None


class LogResource(Struct, rename="camel", gc=False):
    """A ResourceLogs."""

    resource: Resource | None = None
    scope_logs: list[LogScope] | None = None


class LogRequest(Struct, rename="camel", gc=False):
    """An ExportLogsServiceRequest."""

    resource_logs: list[LogResource] | None = None


class SpanScope(Struct, gc=False):
    """A ScopeSpans."""

    scope: Scope | None = None
    spans: list[Span] | None = None


class SpanResource(Struct, rename="camel", gc=False):
    """A ResourceSpans."""

    resource: Resource | None = None
    scope_spans: list[SpanScope] | None = None


class SpanRequest(Struct, rename="camel", gc=False):
    """An ExportTraceServiceRequest."""

    resource_spans: list[SpanResource] | None = None


class Metric(Struct, gc=False):
    """A Metric; it is counted and not read."""


class MetricScope(Struct, gc=False):
    """A ScopeMetrics."""

    metrics: list[Metric] | None = None


class MetricResource(Struct, rename="camel", gc=False):
    """A ResourceMetrics."""

    scope_metrics: list[MetricScope] | None = None


class MetricRequest(Struct, rename="camel", gc=False):
    """An ExportMetricsServiceRequest."""

    resource_metrics: list[MetricResource] | None = None


LOGS = msgspec.json.Decoder(LogRequest)
SPANS = msgspec.json.Decoder(SpanRequest)
METRICS = msgspec.json.Decoder(MetricRequest)
