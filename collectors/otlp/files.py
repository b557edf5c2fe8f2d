"""OTLP requests and telemetry files as a source of events: what `collector import` does with them."""

from collections import Counter
from collections.abc import Iterable, Iterator

from collectors.events import Event, Record, Reject
from collectors.formats._keep import without_secrets
from collectors.otlp import outfile
from collectors.otlp.clients import FORMAT, events_of, name_of
from collectors.otlp.content import Contents
from collectors.otlp.decode import decode
from collectors.otlp.facts import LOG_FORMAT, SPAN_FORMAT
from collectors.otlp.model import REJECTED, REPAIRED, Batch, Encoding, MalformedError, OtlpRecord, Signal, SpanRecord
from collectors.redact import redact

TEXT_REPAIRED = "text_repaired"
"""Flag: as the readers of other formats set it."""

_MEMBERS: dict[str, Signal] = {'"resourceLogs"': "logs", '"resourceSpans"': "traces", '"resourceMetrics"': "metrics"}
_LOOK_BYTES = 64 * 1024
_EXCERPT = 300
_OURS = (FORMAT, LOG_FORMAT, SPAN_FORMAT)


def signal_of(body: bytes) -> Signal | None:
    """Return what a request in JSON holds; None where it begins like none."""
    start = body[:_LOOK_BYTES].decode("utf-8", "replace")
    places = {signal: start.find(member) for member, signal in _MEMBERS.items()}
    found = [(place, signal) for signal, place in places.items() if place >= 0]
    return min(found)[1] if found else None


def is_protobuf(body: bytes) -> bool:
    """Return whether bytes begin like a request in protobuf: a first field that holds a resource with a name."""
    return body[:1] == b"\n" and b"service.name" in body[:4096]


def request_events(body: bytes, path: str, position: int, skipped: Counter[str]) -> Iterator[Record]:
    """Yield the events of one request, and a reject where it is none.

    Args:
        body: In either encoding; which signal it holds is found out.
        path: Of the file.
        position: Of the request in it.
        skipped: Counts the records that state no event.
    """
    try:
        batch = _decoded(body)
    except MalformedError:
        batch = None
    if batch is None:
        excerpt = redact(body[:_EXCERPT].decode("utf-8", "replace"))
        yield Reject(path=path, position=position, reason="not_a_record", excerpt=excerpt)
        return
    skipped["metric"] += batch.metric_count
    flags = (TEXT_REPAIRED,) if batch.counts[REPAIRED] else ()
    yield from _events(batch.records, path, position, skipped, flags)
    for _ in range(batch.counts[REJECTED]):
        yield Reject(path=path, position=position, reason="not_a_record")


def outfile_events(text: str, path: str, skipped: Counter[str]) -> Iterator[Record]:
    """Yield the events of a telemetry file, and a reject for each object that is broken."""
    for position, (record, broken) in enumerate(outfile.read(text), 1):
        if record is not None:
            yield from _events([record], path, position, skipped, ())
        elif broken:
            yield Reject(path=path, position=position, reason="not_json", excerpt=redact(broken))
        else:
            skipped["metric"] += 1


def _events(
    records: Iterable[OtlpRecord], path: str, position: int, skipped: Counter[str], flags: tuple[str, ...]
) -> list[Event]:
    contents, events = Contents(), []
    for record in records:
        key = contents.key(record).hex
        for found in events_of(record, name_of(record), key):
            if isinstance(found, Event):
                if found.format in _OURS:
                    found.path, found.position = path, position
                    found.flags = (*(found.flags or ()), *flags) or None
                events.append(found)
            else:
                skipped[found.kind] += found.count
    without_secrets(events)
    return events


def _decoded(body: bytes) -> Batch | None:
    signal = signal_of(body)
    if signal is not None:
        return decode(body, signal=signal, encoding="json")
    return _guessed(body) if is_protobuf(body) else None


def _guessed(body: bytes) -> Batch | None:
    """Return a request in protobuf, which does not say what it holds: what its records need tells."""
    for signal in ("traces", "logs", "metrics"):
        batch = _tried(body, signal, "protobuf")
        if batch is None:
            continue
        if signal == "traces" and not all(isinstance(each, SpanRecord) and _is_span(each) for each in batch.records):
            continue
        if signal == "logs" and not any(_has_time(each) for each in batch.records):
            continue
        if batch.count:
            return batch
    return None


def _tried(body: bytes, signal: Signal, encoding: Encoding) -> Batch | None:
    try:
        return decode(body, signal=signal, encoding=encoding)
    except MalformedError:
        return None


def _is_span(record: SpanRecord) -> bool:
    return bool(record.trace_id and record.span_id and record.name and record.start_time_unix_nano)


def _has_time(record: OtlpRecord) -> bool:
    return not isinstance(record, SpanRecord) and bool(record.time_unix_nano or record.observed_time_unix_nano)
