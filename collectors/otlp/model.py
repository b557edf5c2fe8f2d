"""What an OTLP request holds, as plain records, whatever encoding it came in."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import msgspec

Signal = Literal["logs", "traces", "metrics"]
Encoding = Literal["protobuf", "json"]

AnyValue: TypeAlias = Any
"""A decoded value: str, bool, int, float, bytes, None, and lists and dicts of such."""

SIGNALS: tuple[Signal, ...] = ("logs", "traces", "metrics")

REPAIRED = "repaired"
"""Records of which a text was no UTF-8 or a value had a type that OTLP does not give it; they are kept."""
REJECTED = "rejected"
"""Records that are no objects; they are lost, and the client is told."""
DUPLICATE_KEYS = "duplicate_keys"
"""Attributes whose key came twice in one list; the last one counts."""
TOO_DEEP = "too_deep"
"""Values nested deeper than `MAX_DEPTH`; what lies below is kept as text."""
BAD_IDS = "bad_ids"
"""Trace and span ids of a wrong length or form; taken as absent, as the protocol demands."""

MAX_DEPTH = 32
"""Levels of arrays and maps that are decoded."""


class MalformedError(ValueError):
    """The bytes are no OTLP request in the stated encoding."""


class Resource(msgspec.Struct, frozen=True, gc=False):
    """Who sent the records."""

    attributes: dict[str, AnyValue]
    text: str
    """The attributes as JSON with sorted keys."""

    @property
    def service_name(self) -> str | None:
        """`service.name`, where it is a text."""
        value = self.attributes.get("service.name")
        return value if isinstance(value, str) else None


class Scope(msgspec.Struct, frozen=True, gc=False):
    """The instrumentation scope."""

    name: str = ""
    version: str = ""
    text: str = "{}"
    """The scope's attributes as JSON with sorted keys."""


class LogRecord(msgspec.Struct, kw_only=True, gc=False):
    """One log record. Times are nanoseconds since the epoch as sent; None is the protocol's 0, unknown."""

    resource: Resource
    scope: Scope
    event_name: str
    """The field as sent; `names.resolve` tells the event's name."""
    time_unix_nano: int | None
    observed_time_unix_nano: int | None
    severity_number: int
    severity_text: str
    body: AnyValue
    attributes: dict[str, AnyValue]
    trace_id: str | None
    """32 lower-case hex digits; None where absent or invalid."""
    span_id: str | None
    flags: int


class SpanEvent(msgspec.Struct, kw_only=True, gc=False):
    """One event of a span."""

    name: str
    time_unix_nano: int | None
    attributes: dict[str, AnyValue]


class SpanLink(msgspec.Struct, kw_only=True, gc=False):
    """One link of a span."""

    trace_id: str | None
    span_id: str | None
    attributes: dict[str, AnyValue]


class SpanRecord(msgspec.Struct, kw_only=True, gc=False):
    """One span. Times are nanoseconds since the epoch; None is the protocol's 0, unknown."""

    resource: Resource
    scope: Scope
    name: str
    kind: int
    """0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer."""
    trace_id: str | None
    span_id: str | None
    parent_span_id: str | None
    start_time_unix_nano: int | None
    end_time_unix_nano: int | None
    status_code: int
    """0 unset, 1 ok, 2 error."""
    status_message: str
    attributes: dict[str, AnyValue]
    events: tuple[SpanEvent, ...]
    links: tuple[SpanLink, ...]


OtlpRecord = LogRecord | SpanRecord


@dataclass(slots=True)
class Batch:
    """The records of one request, and what was noticed while they were read."""

    records: list[OtlpRecord] = field(default_factory=list)
    metric_count: int = 0
    """Metrics are counted, not read."""
    counts: Counter[str] = field(default_factory=Counter)
    """By the names of this module."""

    @property
    def count(self) -> int:
        """Records and metrics that were read."""
        return len(self.records) + self.metric_count
