"""What arrived by OTLP in the store: records kept as they came, how far each spool was drained, and running counts."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from collectors.otlp.spool_files import RUN, Place, number_of, read_frames, segments

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

TABLES = """
create table if not exists raw.otlp_records (
    record_key uuid not null, received_at timestamp not null, kind varchar, name varchar, service_name varchar,
    time_unix_nano bigint, observed_time_unix_nano bigint, end_time_unix_nano bigint,
    severity_number integer, severity_text varchar, status_code integer, status_message varchar,
    trace_id varchar, span_id varchar, parent_span_id varchar,
    body varchar, attributes varchar, details varchar, resource_attributes varchar,
    scope_name varchar, scope_version varchar
);
create table if not exists meta.spool (spool varchar primary key, segment bigint not null, "offset" bigint not null);
create table if not exists meta.otlp_counts (name varchar primary key, amount bigint not null);
"""


class RawRecord(NamedTuple):
    """A record that states no event; one row of `raw.otlp_records`. Texts hold no secrets."""

    record_key: bytes
    """16 bytes; equal for resent copies."""
    received_ns: int
    kind: str
    """`log` or `span`."""
    counted_as: str
    """The row of `raw.skipped` that counts it; not stored."""
    name: str
    """The name of the event or the span."""
    service_name: str | None
    time_unix_nano: int
    """As stated, else the observed time, else when it came; of a span its start."""
    observed_time_unix_nano: int | None
    """None where the sender stated none: `received_at` is when it was seen."""
    end_time_unix_nano: int | None
    severity_number: int | None
    severity_text: str | None
    status_code: int | None
    status_message: str | None
    trace_id: str | None
    span_id: str | None
    parent_span_id: str | None
    body: str | None
    """Text as it is, other values as JSON."""
    attributes: str
    """JSON, keys sorted, bytes as base64."""
    details: str | None
    """JSON: events and links of a span."""
    resource_attributes: str
    scope_name: str
    scope_version: str


_STORED = tuple(name for name in RawRecord._fields if name not in ("received_ns", "counted_as"))
_INTS = frozenset({"time_unix_nano", "observed_time_unix_nano", "end_time_unix_nano", "received_ns"})
_SMALL = frozenset({"severity_number", "status_code"})
_COLUMNS = ", ".join(_STORED)
_INSERT = f"insert into raw.otlp_records (received_at, {_COLUMNS}) select make_timestamp_ns(received_ns), {_COLUMNS}"
# copies state the same time, so only what is held of these times has to be looked at; low and high are integers
_HELD = "(select record_key from raw.otlp_records where time_unix_nano between {low} and {high}) as held"
_COUNT_REPEATED = f"""
select (select count(*) - count(distinct record_key) from batch)
    + (select count(*) from batch semi join {_HELD} using (record_key))
"""
_FRESH = f"""
create or replace temp table fresh as
select distinct on (record_key) * from batch anti join {_HELD} using (record_key)
"""
_INT64 = 2**63 - 1


def prepare(connection: "duckdb.DuckDBPyConnection") -> None:
    """Create the tables where they are missing."""
    connection.execute(TABLES)


def place_of(connection: "duckdb.DuckDBPyConnection", spool: str) -> Place:
    """Return how far a spool was drained."""
    rows = connection.execute('select segment, "offset" from meta.spool where spool = $1', [spool]).fetchall()
    return Place(*rows[0]) if rows else Place()


def save_place(connection: "duckdb.DuckDBPyConnection", spool: str, place: Place) -> None:
    """Note how far a spool is drained; in the transaction that stores its records."""
    connection.execute("insert or replace into meta.spool values ($1, $2, $3)", [spool, *place])


def append_raw(connection: "duckdb.DuckDBPyConnection", batch: "pa.Table") -> Counter[str]:
    """Add records that the store does not hold yet; return how many were added, by what they are counted as.

    Args:
        connection: A store opened for writing.
        batch: As `to_arrow`.
    """
    low, high = _times(batch)
    connection.register("batch", batch)
    try:
        if connection.execute(_COUNT_REPEATED.format(low=low, high=high)).fetchall() == [(0,)]:
            connection.execute(f"{_INSERT} from batch")
            return _counted(connection, "batch")
        connection.execute(_FRESH.format(low=low, high=high))
        connection.execute(f"{_INSERT} from fresh")
        added = _counted(connection, "fresh")
        connection.execute("drop table fresh")
        return added
    finally:
        connection.unregister("batch")


def _times(batch: "pa.Table") -> tuple[int, int]:
    """Return the range of the stated times; all of them where a record states none and got that of its arrival."""
    import pyarrow.compute as pc

    times = batch["time_unix_nano"]
    if pc.any(pc.equal(times, batch["received_ns"])).as_py():
        return -_INT64, _INT64
    found = pc.min_max(times).as_py()
    return found["min"], found["max"]


def _counted(connection: "duckdb.DuckDBPyConnection", table: str) -> Counter[str]:
    return Counter(dict(connection.execute(f"select counted_as, count(*) from {table} group by all").fetchall()))


def add_skipped(connection: "duckdb.DuckDBPyConnection", path: str, counts: Mapping[str, int]) -> None:
    """Add to the counts of records without an event."""
    for kind, count in sorted(counts.items()):
        known = connection.execute(
            "update raw.skipped set record_count = record_count + $1 where path = $2 and kind = $3", [count, path, kind]
        ).fetchone()
        if not known or not known[0]:
            connection.execute("insert into raw.skipped values ($1, $2, $3)", [path, kind, count])


def add_counts(connection: "duckdb.DuckDBPyConnection", counts: Mapping[str, int]) -> None:
    """Add to the running counts that `counts_in` returns."""
    rows = [value for name, amount in sorted(counts.items()) if amount for value in (name, amount)]
    if rows:
        values = ", ".join(["(?, ?)"] * (len(rows) // 2))
        update = "on conflict (name) do update set amount = amount + excluded.amount"
        connection.execute(f"insert into meta.otlp_counts values {values} {update}", rows)


def counts_in(connection: "duckdb.DuckDBPyConnection") -> dict[str, int]:
    """Return what was drained into the store since it was made, by name; empty where nothing ever arrived by OTLP."""
    if not _has_table(connection, "otlp_counts"):
        return {}
    return dict(connection.execute("select name, amount from meta.otlp_counts order by name").fetchall())


class Waiting(NamedTuple):
    """What was acknowledged and is not in the store yet."""

    size_bytes: int
    oldest_ns: int | None
    """When the oldest request of it came; None where nothing waits."""


def waiting(connection: "duckdb.DuckDBPyConnection", root: Path) -> Waiting:
    """Return what waits in the spools under a folder; a collector that writes them may run or not.

    Args:
        connection: The store that they are drained into.
        root: Of the spools; nothing waits where it is missing.
    """
    size, oldest = 0, None
    for directory in sorted(root.glob(f"{RUN}*")):
        place = place_of(connection, directory.name) if _has_table(connection, "spool") else Place()
        for path in segments(directory):
            if number_of(path) < place.segment:
                continue
            offset = place.offset if number_of(path) == place.segment else 0
            size += max(path.stat().st_size - offset, 0)
            first = next(read_frames(path, offset), None)
            came = first.frame.received_at_ns if first else None
            oldest = min((time for time in (oldest, came) if time is not None), default=None)
    return Waiting(size, oldest)


def _has_table(connection: "duckdb.DuckDBPyConnection", name: str) -> bool:
    query = "select count(*) from duckdb_tables() where schema_name = 'meta' and table_name = $1"
    return connection.execute(query, [name]).fetchall() != [(0,)]


def to_arrow(records: Sequence[RawRecord]) -> "pa.Table":
    """Return rows as an Arrow table, a fraction of their size."""
    import pyarrow as pa

    def typed(name: str, values: Sequence[Any]) -> "pa.Array":
        if name == "record_key":
            return pa.array(values, pa.binary(16)).cast(pa.uuid())
        kind = pa.int64() if name in _INTS else pa.int32() if name in _SMALL else pa.string()
        return pa.nulls(len(values), kind) if values.count(None) == len(values) else pa.array(values, kind)

    columns = zip(RawRecord._fields, zip(*records, strict=True), strict=True)
    return pa.table({name: typed(name, values) for name, values in columns})
