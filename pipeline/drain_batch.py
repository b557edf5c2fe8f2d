"""From frames of a spool to rows: what the records of requests become in the store."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from collectors.events import Event, Reject, Skipped
from collectors.formats._keep import without_secrets
from collectors.otlp.clients import events_of, name_of
from collectors.otlp.content import Contents
from collectors.otlp.decode import decode
from collectors.otlp.facts import LOGS_PATH, TRACES_PATH
from collectors.otlp.model import MalformedError, OtlpRecord, SpanRecord
from collectors.otlp.spool_files import Frame
from collectors.otlp.values import json_text
from pipeline import otlp_store, raw
from pipeline.otlp_rows import Rows

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_SECOND = 1_000_000_000
_LATE, _EARLY = 24 * 3600 * _SECOND, 5 * 60 * _SECOND
"""A record whose time is further from its arrival is counted as skewed, and kept."""

CHUNK_RECORDS = 8_000
"""Rows held as Python objects, some two kilobytes each."""
SKEWED = "skewed"
_PATHS = {"logs": LOGS_PATH, "traces": TRACES_PATH, "metrics": "/v1/metrics"}


@dataclass(slots=True)
class DrainBatch:
    """What was read from a spool and is not stored yet."""

    events: list[Event] = field(default_factory=list)
    rows: Rows = field(default_factory=Rows)
    tables: "list[pa.Table]" = field(default_factory=list)
    """Full chunks of rows."""
    rejects: list[Reject] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    count: int = 0
    """Records, whatever became of them."""

    def add(self, frame: Frame) -> None:
        """Read a frame."""
        try:
            found = decode(frame.body, signal=frame.signal, encoding=frame.encoding)
        except MalformedError as fault:
            # it was read when it came, so this is a defect; the frame must not stop those behind it
            path = _PATHS[frame.signal]
            self.rejects.append(Reject(path=path, position=0, reason="unreadable", excerpt=str(fault)))
            self.counts["unreadable"] += 1
            return
        self.count += found.count
        self.counts.update(found.counts)
        self.counts["records"] += found.count
        self.counts["requests"] += 1
        contents = Contents()
        for record in found.records:
            self._add(record, contents, frame.received_at_ns)
        if len(self.rows) >= CHUNK_RECORDS:
            self._end_chunk()

    def _end_chunk(self) -> None:
        if len(self.rows):
            self.tables.append(otlp_store.to_arrow(self.rows.finished()))
            self.rows = Rows()

    def store(self, connection: "duckdb.DuckDBPyConnection") -> Counter[str]:
        """Write everything, each record once however often it came; return what was counted, in all."""
        self._end_chunk()
        without_secrets(self.events)
        added = raw.append_events(connection, self.events)
        raw_count = sum(table.num_rows for table in self.tables)
        kept: Counter[str] = Counter()
        for table in self.tables:
            kept += otlp_store.append_raw(connection, table)
        raw.append_rejects(connection, self.rejects)
        otlp_store.add_skipped(connection, LOGS_PATH, kept)
        if kept and not added:
            raw.touch(connection)
        counts = Counter(self.counts)
        counts["events"] = added
        counts["kept_raw"] = kept.total()
        counts["duplicates"] = len(self.events) - added + raw_count - kept.total()
        otlp_store.add_counts(connection, counts)
        return counts

    def _add(self, record: OtlpRecord, contents: Contents, received_ns: int) -> None:
        text = json_text(record.attributes)
        key = contents.key(record, text)
        stated = _time(record)
        if stated is not None and not -_LATE <= stated - received_ns <= _EARLY:
            self.counts[SKEWED] += 1
        name = name_of(record)
        found = self._found(record, name, key)
        if found[0].__class__ is Event:
            self.events += found  # type: ignore[arg-type]  # a record states events, or is counted
        else:
            self.rows.add(record, key, received_ns, found[0].kind, name, text)  # type: ignore[union-attr]  # as above

    def _found(self, record: OtlpRecord, name: str, key: bytes) -> Sequence[Event | Skipped]:
        try:
            return events_of(record, name, key.hex)
        except Exception:  # noqa: BLE001  # a defect of a reader costs its event; the record is kept as it came
            self.counts["reader_failed"] += 1
            return [Skipped(kind="reader failed", count=1)]


def _time(record: OtlpRecord) -> int | None:
    if isinstance(record, SpanRecord):
        return record.end_time_unix_nano
    return record.time_unix_nano or record.observed_time_unix_nano
