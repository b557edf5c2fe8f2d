"""The content key of a record: what tells it from every other one, and a resent copy as the same.

OTLP has no idempotency key (opentelemetry-proto#218 was closed), so the key is a hash of everything
the sender stated, taken before a time is filled in or a secret is taken out. A sender that gets no
answer sends the same bytes again and gives the same keys. Records of one request that are equal in
everything are so many records: their number among equals is part of the key.
"""

from hashlib import blake2b

from collectors.otlp.model import LogRecord, OtlpRecord, SpanRecord
from collectors.otlp.values import json_text

KEY_BYTES = 16


class Contents:
    """The content keys of one request."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[bytes, int] = {}

    def key(self, record: OtlpRecord, attributes: str | None = None) -> bytes:
        """Return the key of the request's next record; to be asked once for each.

        Args:
            record: As decoded.
            attributes: Its attributes as `json_text`, where the caller has them.
        """
        text = attributes if attributes is not None else json_text(record.attributes)
        fields = _log_fields(record) if isinstance(record, LogRecord) else _span_fields(record)
        scope = record.scope
        stated = f"{record.resource.text}\0{scope.name}\0{scope.version}\0{scope.text}\0{fields}\0{text}"
        key = blake2b(stated.encode(), digest_size=KEY_BYTES).digest()
        number = self._seen.get(key, 0) + 1
        self._seen[key] = number
        return key if number == 1 else blake2b(key + number.to_bytes(4, "big"), digest_size=KEY_BYTES).digest()


def _log_fields(record: LogRecord) -> str:
    body = record.body if isinstance(record.body, str) else json_text(record.body)
    return (
        f"{record.time_unix_nano}\0{record.observed_time_unix_nano}\0{record.severity_number}\0{record.severity_text}\0"
        f"{record.event_name}\0{record.trace_id}\0{record.span_id}\0{body}"
    )


def _span_fields(record: SpanRecord) -> str:
    return (
        f"{record.trace_id}\0{record.span_id}\0{record.parent_span_id}\0{record.name}\0{record.kind}\0"
        f"{record.start_time_unix_nano}\0{record.end_time_unix_nano}\0{record.status_code}\0{record.status_message}\0"
        f"{json_text([record.events, record.links])}"
    )
