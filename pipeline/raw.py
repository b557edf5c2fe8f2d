"""The raw layer: events, rejects and skipped records as they were shipped, and how far each file was read."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from collectors.conventions import COLUMNS, FIELDS, Kind
from collectors.events import Event, Reject

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_TYPES: Mapping[Kind, str] = {
    "string": "varchar",
    "int": "bigint",
    "bool": "boolean",
    "strings": "varchar[]",
    "ints": "bigint[]",
}

TABLES = f"""
create table meta.files (
    path varchar primary key, format varchar, head_hash varchar, tail_hash varchar,
    size_bytes bigint, modified_ns bigint, read_bytes bigint, read_lines bigint,
    record_count bigint, event_count bigint, reject_count bigint, repaired_count bigint,
    is_complete boolean, is_torn boolean, received_at timestamp
);
create table raw.events (
    row_hash ubigint not null, received_at timestamp not null,
    {", ".join(f"{field.name} {_TYPES[field.kind]}" for field in FIELDS)}
);
create table raw.rejects (path varchar, position bigint, reason varchar, excerpt varchar, received_at timestamp);
create table raw.skipped (path varchar, kind varchar, record_count bigint);
"""

_INSERTED = 8192
"""Rows of an insert: fewer cost more time a row, more only memory."""
_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1
_NAMES = ", ".join(COLUMNS)
_ADD_ALL = f"""
insert into raw.events (row_hash, received_at, {_NAMES})
select hash({_NAMES}), $now, {_NAMES} from batch
"""
_ADD_UNSEEN = f"""
insert into raw.events (row_hash, received_at, {_NAMES})
with hashed as (select hash({_NAMES}) as row_hash, $now as received_at, * from batch)
select distinct on (row_hash, uid) row_hash, received_at, {_NAMES} from hashed
anti join raw.events as held using (row_hash, uid)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileState:
    """How far a file was read, and what it held so far; one row of `meta.files`."""

    path: str
    format: str | None = None
    """None where no format recognised the file."""
    head_hash: str | None = None
    """Of the first 4 KiB, or of all bytes where the file was shorter."""
    tail_hash: str | None = None
    """Of the 1 KiB before `read_bytes`."""
    size_bytes: int = 0
    modified_ns: int = 0
    read_bytes: int = 0
    """Offset behind the last line that was read; of the decompressed text where the file is compressed."""
    read_lines: int = 0
    record_count: int = 0
    """Lines that are not blank."""
    event_count: int = 0
    reject_count: int = 0
    repaired_count: int = 0
    """Records whose text was damaged and could be read all the same."""
    is_complete: bool = False
    """True where everything the file held was read; a torn last line does not count as held."""
    is_torn: bool = False
    skipped: Mapping[str, int] = field(default_factory=dict)
    """Records that hold no call, by kind; the rows of `raw.skipped`."""


_FILE_COLUMNS = tuple(name for name in FileState.__slots__ if name != "skipped")


def append_events(connection: "duckdb.DuckDBPyConnection", events: Sequence[Event], *, is_new: bool = False) -> int:
    """Add events that the store does not hold yet; return how many were added.

    An event is the same record when every slot, its place included, is equal: repeated shipping adds nothing. Copies
    of one call in several places are kept and joined by `uid` in the models, so that nothing is lost by a choice here.

    Args:
        connection: A store opened for writing.
        events: In any order.
        is_new: True where the caller knows that each event is shipped once and for the first time; saves looking.
    """
    query = _ADD_ALL if is_new else _ADD_UNSEEN
    parts = (events[start : start + _INSERTED] for start in range(0, len(events), _INSERTED))
    added = sum(_insert(connection, to_arrow(part), query) for part in parts)
    if added:
        touch(connection)
    return added


def touch(connection: "duckdb.DuckDBPyConnection") -> None:
    """Note that the raw layer changed, so that the models are built again before they are read."""
    connection.execute("update meta.store set content = content + 1")


def append_rejects(connection: "duckdb.DuckDBPyConnection", rejects: Sequence[Reject]) -> int:
    """Keep place, reason and start of records that could not be read, each once; return how many were new."""
    if not rejects:
        return 0
    return _insert(
        connection,
        _columns_to_arrow(rejects, {"path": "string", "position": "int", "reason": "string", "excerpt": "string"}),
        """
        insert into raw.rejects select distinct path, position, reason, excerpt, $now from batch
        anti join raw.rejects as held using (path, position, reason, excerpt)
        """,
    )


def file_states(connection: "duckdb.DuckDBPyConnection", paths: Collection[str] | None = None) -> dict[str, FileState]:
    """Return what is known of files, by path; of all files where `paths` is None."""
    chosen, values = ("", []) if paths is None else ("where list_contains($1, path)", [list(paths)])
    skipped: dict[str, dict[str, int]] = {}
    for path, kind, count in connection.execute(f"select * from raw.skipped {chosen}", values).fetchall():
        skipped.setdefault(path, {})[kind] = count
    rows = connection.execute(f"select {', '.join(_FILE_COLUMNS)} from meta.files {chosen}", values).fetchall()
    return {
        row[0]: FileState(**dict(zip(_FILE_COLUMNS, row, strict=True)), skipped=skipped.get(row[0], {})) for row in rows
    }


def save_file_states(connection: "duckdb.DuckDBPyConnection", states: Sequence[FileState]) -> None:
    """Replace what is known of these files."""
    if not states:
        return
    kinds = {name: _kind_of(name) for name in _FILE_COLUMNS}
    names = ", ".join(_FILE_COLUMNS)
    _insert(
        connection,
        _columns_to_arrow(states, kinds),
        f"insert or replace into meta.files ({names}, received_at) select {names}, $now from batch",
    )
    connection.execute("delete from raw.skipped where list_contains($1, path)", [[state.path for state in states]])
    rows = [(state.path, kind, count) for state in states for kind, count in sorted(state.skipped.items())]
    if rows:
        values = ", ".join(["(?, ?, ?)"] * len(rows))
        connection.execute(f"insert into raw.skipped values {values}", [value for row in rows for value in row])


def _kind_of(name: str) -> Kind:
    if name.startswith("is_"):
        return "bool"
    return "string" if name in ("path", "format", "head_hash", "tail_hash") else "int"


def _insert(connection: "duckdb.DuckDBPyConnection", batch: "pa.Table", query: str) -> int:
    """Run an insert that reads `batch`; return the number of rows."""
    connection.register("batch", batch)
    try:
        [(count,)] = connection.execute(query, {"now": datetime.now(UTC).replace(tzinfo=None)}).fetchall()
    finally:
        connection.unregister("batch")
    return int(count)


def to_arrow(events: Sequence[Event]) -> "pa.Table":
    """Return events as an Arrow table with the columns of `conventions.FIELDS`, one row an event."""
    columns = zip(*map(msgspec.structs.astuple, events), strict=True)
    values = dict(zip(Event.__struct_fields__, columns, strict=True))
    return _table({field.name: (values[field.name], field.kind) for field in FIELDS})


def _columns_to_arrow(rows: Sequence[object], kinds: Mapping[str, Kind]) -> "pa.Table":
    return _table({name: (list(map(attrgetter(name), rows)), kind) for name, kind in kinds.items()})


def _table(columns: Mapping[str, tuple[Sequence[Any], Kind]]) -> "pa.Table":
    """Return the columns as an Arrow table; a column without a value costs nothing."""
    import pyarrow as pa

    types = {
        "string": pa.string(),
        "int": pa.int64(),
        "bool": pa.bool_(),
        "strings": pa.list_(pa.string()),
        "ints": pa.list_(pa.int64()),
    }
    return pa.table({name: _array(values, types[kind]) for name, (values, kind) in columns.items()})


def _array(values: Sequence[Any], kind: "pa.DataType") -> "pa.Array":
    import pyarrow as pa

    if values.count(None) == len(values):
        return pa.nulls(len(values), kind)
    try:
        return pa.array(values, kind)
    except (UnicodeEncodeError, OverflowError, pa.ArrowInvalid):
        return pa.array([_storable(value) for value in values], kind)


def _storable(value: Any) -> Any:  # noqa: ANN401 - any slot of an event
    """Return the value as the store can hold it, so that one value of a log never costs a batch.

    Halves of surrogate pairs become U+FFFD; a number beyond 64 bits, which no column can hold, becomes null.
    """
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case int():
            return value if _INT64_MIN <= value <= _INT64_MAX else None
        case tuple():
            return tuple(_storable(item) for item in value)
        case _:
            return value
