"""Records without an event as rows of `raw.otlp_records`, their texts without secrets."""

from functools import lru_cache

import msgspec

from collectors.otlp import screen
from collectors.otlp.model import AnyValue, LogRecord, OtlpRecord, SpanRecord
from collectors.otlp.values import json_text
from pipeline.otlp_store import RawRecord

_TEXTS = ("body", "details", "status_message")


class Rows:
    """Rows of one batch; the search for secrets is made over all of them at once."""

    __slots__ = ("_rows", "_suspects")

    def __init__(self) -> None:
        self._rows: list[RawRecord] = []
        self._suspects: list[tuple[int, str, str, AnyValue]] = []
        """Row, field, key of an attribute or empty, and value."""

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, record: OtlpRecord, key: bytes, received_ns: int, counted_as: str, name: str, text: str, /) -> None:
        """Take a record.

        Args:
            record: As decoded.
            key: Its content key.
            received_ns: When it came.
            counted_as: What it is counted as.
            name: Of the event or the span.
            text: Its attributes as `json_text`.
        """
        head = (key, received_ns, "log", counted_as, name)
        row = _of_log(record, head, text) if isinstance(record, LogRecord) else _of_span(record, head, text)
        number = len(self._rows)
        self._rows.append(row)
        attributes = record.attributes
        for name in screen.suspects(attributes):
            self._suspects.append((number, "attributes", name, attributes[name]))
        for field in _TEXTS:
            value = getattr(row, field)
            if value is not None and screen.is_suspect(value):
                self._suspects.append((number, field, "", value))

    def finished(self) -> list[RawRecord]:
        """Return the rows without secrets."""
        values = screen.screened([(key, value) for _, _, key, value in self._suspects])
        changed: dict[int, dict[str, AnyValue]] = {}
        for (number, field, key, before), after in zip(self._suspects, values, strict=True):
            if after is before:
                continue
            if field == "attributes":
                changed.setdefault(number, {})[key] = after
            else:
                self._rows[number] = self._rows[number]._replace(**{field: after})
        for number, replaced in changed.items():
            row = self._rows[number]
            self._rows[number] = row._replace(attributes=_with(row.attributes, replaced))
        return self._rows


@lru_cache(maxsize=1024)
def _safe(text: str) -> str:
    """Return the JSON of a resource's attributes without secrets; resources repeat."""
    return screen.redacted([text])[0]


def _with(text: str, replaced: dict[str, AnyValue]) -> str:
    return json_text({**msgspec.json.decode(text), **replaced})


_Head = tuple[bytes, int, str, str, str]


def _of_log(record: LogRecord, head: _Head, text: str) -> RawRecord:
    body, resource, scope = record.body, record.resource, record.scope
    observed = record.observed_time_unix_nano
    # by position: names would cost as much as all the rest
    return RawRecord(
        *head,
        resource.service_name,
        record.time_unix_nano or observed or head[1],
        observed,
        None,  # end_time_unix_nano
        record.severity_number or None,
        record.severity_text or None,
        None,  # status_code
        None,  # status_message
        record.trace_id,
        record.span_id,
        None,  # parent_span_id
        body if body is None or body.__class__ is str else json_text(body),
        text,
        None,  # details
        _safe(resource.text),
        scope.name,
        scope.version,
    )


def _of_span(record: SpanRecord, head: _Head, text: str) -> RawRecord:
    resource, scope = record.resource, record.scope
    start, end = record.start_time_unix_nano, record.end_time_unix_nano
    key, received_ns, _, counted_as, name = head
    return RawRecord(
        key,
        received_ns,
        "span",
        counted_as,
        name,
        resource.service_name,
        start or end or received_ns,
        None,  # observed_time_unix_nano
        end,
        None,  # severity_number
        None,  # severity_text
        record.status_code,
        record.status_message or None,
        record.trace_id,
        record.span_id,
        record.parent_span_id,
        None,  # body
        text,
        json_text({"events": record.events, "links": record.links}) if record.events or record.links else None,
        _safe(resource.text),
        scope.name,
        scope.version,
    )
