"""The store: one DuckDB file, opened for a moment, written in batches, never held by a daemon."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from pipeline.errors import RecoupError
from pipeline.raw import TABLES

STORE_VERSION = 1
LOCK_WAIT_SECONDS = 10.0
"""Readers and writers take turns; measured beside a busy writer a turn comes within 60 ms."""

_SCHEMA = f"""
create schema raw; create schema staging; create schema core; create schema marts; create schema meta;
create table meta.store (version integer not null, content bigint not null, built bigint, built_with bigint);
insert into meta.store values ({STORE_VERSION}, 0, null, null);
{TABLES}
"""
_SETTINGS = """
set autoinstall_known_extensions = false; set autoload_known_extensions = false; set TimeZone = 'UTC';
"""
_UNWRITABLE = ("permission denied", "no such file", "no space", "read-only file system", "is a directory", "quota")


def spool_beside(store: Path) -> Path:
    """Return the folder where `collector serve` keeps what a store does not hold yet, unless it is told another."""
    return store.with_name(store.name + ".spool")


@contextmanager
def open_store(
    path: Path, *, write: bool = False, wait_seconds: float | None = None
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the store at `path`, waiting at most `wait_seconds` for another process to let go of it.

    Args:
        path: The DuckDB file. With `write` it is created where it is missing.
        write: Open for writing; the block is one transaction that commits when it ends without an error.
        wait_seconds: Upper bound of the wait for the file's lock; None is `LOCK_WAIT_SECONDS`.

    Raises:
        RecoupError: STORE_NOT_FOUND, STORE_LOCKED, STORE_FOREIGN, STORE_DAMAGED, STORE_NEWER, STORE_UNWRITABLE or
            MEMORY_EXHAUSTED.
    """
    if not write and not path.exists():
        raise RecoupError("STORE_NOT_FOUND", f"there is no store at {path}", context={"store": str(path)})
    connection = _connect(path, write=write, wait_seconds=LOCK_WAIT_SECONDS if wait_seconds is None else wait_seconds)
    try:
        connection.execute(_SETTINGS)
        _prepare(connection, path, write=write)
        if write:
            connection.execute("begin")
        yield connection
        if write:
            connection.execute("commit")
    except duckdb.Error as fault:
        raise _translated(path, fault) or fault from fault
    finally:
        connection.close()


def _connect(path: Path, *, write: bool, wait_seconds: float) -> duckdb.DuckDBPyConnection:
    deadline = time.monotonic() + wait_seconds
    pause = 0.005
    while True:
        try:
            return duckdb.connect(str(path), read_only=not write)
        except duckdb.Error as fault:
            if not _is_lock(fault):
                raise _translated(path, fault) or _foreign(path) from fault
            if time.monotonic() >= deadline:
                raise RecoupError(
                    "STORE_LOCKED",
                    f"another process held the store {path} for {wait_seconds:g} s",
                    context={"store": str(path), "waited_ms": round(wait_seconds * 1000)},
                ) from fault
        time.sleep(pause)
        pause = min(pause * 2, 0.1)


def _is_lock(fault: duckdb.Error) -> bool:
    """Tell a file that is held: by another process, or by this one in the other mode."""
    text = str(fault)
    return "Could not set lock" in text or "different configuration than existing connections" in text


def _translated(path: Path, fault: duckdb.Error) -> RecoupError | None:
    """Return our error for what DuckDB says of the file or the machine; None for a fault in a query."""
    context = {"store": str(path)}
    reason = str(fault).strip().partition("\n")[0][:200]
    told = reason.lower()
    if isinstance(fault, duckdb.OutOfMemoryException):
        return RecoupError("MEMORY_EXHAUSTED", f"the store {path} ran out of room: {reason}", context=context)
    if "database file with version number" in told:
        return RecoupError("STORE_NEWER", f"the store {path} was written by a newer DuckDB", context=context)
    if "corrupt" in told or "checksum" in told:
        return RecoupError("STORE_DAMAGED", f"the store {path} is damaged: {reason}", context=context)
    if "not a valid duckdb database" in told:
        return _foreign(path)
    if isinstance(fault, duckdb.IOException) and any(sign in told for sign in _UNWRITABLE):
        return RecoupError(
            "STORE_UNWRITABLE", f"the store {path} cannot be opened or written: {reason}", context=context
        )
    return None


def _foreign(path: Path) -> RecoupError:
    return RecoupError("STORE_FOREIGN", f"{path} is not a recoup store", context={"store": str(path)})


def _prepare(connection: duckdb.DuckDBPyConnection, path: Path, *, write: bool) -> None:
    """Create the tables of an empty file, and refuse a file that is not ours or of a later version."""
    if cell(connection, "select count(*) from duckdb_tables() where not internal") == 0 and write:
        connection.execute(f"begin; {_SCHEMA} commit;")
    try:
        version = cell(connection, "select version from meta.store")
    except (duckdb.CatalogException, duckdb.BinderException) as fault:
        raise _foreign(path) from fault
    if version is None or version > STORE_VERSION:
        raise RecoupError(
            "STORE_NEWER",
            f"the store {path} has schema version {version}; this recoup knows up to {STORE_VERSION}",
            context={"store": str(path), "version": version, "known_version": STORE_VERSION},
        )


def cell(connection: duckdb.DuckDBPyConnection, query: str) -> Any:  # noqa: ANN401 - one cell, of any type
    """Return the first value of the query's first row; None where there is none."""
    # all of it is fetched: what is left of a result blocks the connection
    rows = connection.execute(query).fetchall()
    return rows[0][0] if rows else None


def records(
    connection: duckdb.DuckDBPyConnection, query: str, values: Mapping[str, object] | None = None
) -> list[dict[str, Any]]:
    """Return the rows of a query as dictionaries, in its order; `values` are those of its named parameters."""
    cursor = connection.execute(query, dict(values or {}))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
