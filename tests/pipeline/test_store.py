import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from pipeline.errors import RecoupError
from pipeline.store import STORE_VERSION, cell, open_store, records

HOLDER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "read")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path):
    """Return the path of a new, empty store."""
    path = tmp_path / "store.duckdb"
    with open_store(path, write=True):
        pass
    return path


@pytest.fixture
def held_by():
    """Return a function that lets another process hold a store; it lets go when its stdin closes."""
    holders = []

    def hold(path: Path, mode: str) -> subprocess.Popen:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(path), mode], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        holders.append(holder)
        assert "held\n" == holder.stdout.readline()
        return holder

    yield hold
    for holder in holders:
        with holder:
            holder.stdin.close()


def code_of(path, **options):
    """Return the code of the error that opening raises."""
    with pytest.raises(RecoupError) as raised, open_store(path, **options):
        pass
    return raised.value.entry.code


def test_a_new_store_has_every_schema(store):
    """The first writer makes the schemas and an empty raw layer."""
    with open_store(store) as connection:
        schemas = {name for (name,) in connection.execute("select schema_name from duckdb_schemas()").fetchall()}
        assert {"raw", "staging", "core", "marts", "meta"} <= schemas
        assert 0 == cell(connection, "select count(*) from raw.events")


def test_reading_does_not_create(tmp_path):
    """A reader without a store is told to import, and leaves no file behind."""
    assert "STORE_NOT_FOUND" == code_of(tmp_path / "none.duckdb")
    assert [] == list(tmp_path.iterdir())


def test_an_error_rolls_back(store):
    """What a failed block wrote is gone; the store is as it was."""

    def fail():
        with open_store(store, write=True) as connection:
            connection.execute("insert into raw.skipped values ('a', 'b', 1)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    with open_store(store) as connection:
        assert 0 == cell(connection, "select count(*) from raw.skipped")


def test_a_fault_in_a_query_stays_what_it_is(store):
    """The store translates what is wrong with the file, not with a query."""
    with pytest.raises(duckdb.CatalogException), open_store(store) as connection:
        connection.execute("select * from nothing")


@pytest.mark.parametrize("mode", ["read", "write"])
def test_a_writer_waits_and_gives_up(store, held_by, mode):
    """A store that another process holds, for reading or writing, is a transient error with a wait."""
    held_by(store, mode)

    with pytest.raises(RecoupError) as raised, open_store(store, write=True, wait_seconds=0.05):
        pass

    assert "STORE_LOCKED" == raised.value.entry.code
    assert raised.value.entry.retryable
    assert 50 == raised.value.context["waited_ms"]


def test_a_reader_gets_its_turn(store, held_by):
    """A reader waits for the writer to let go, and then reads."""
    holder = held_by(store, "write")
    threading.Timer(0.1, holder.stdin.close).start()

    with open_store(store) as connection:
        assert STORE_VERSION == cell(connection, "select version from meta.store")


def test_readers_do_not_wait_for_each_other(store, held_by):
    """Two readers have the store open at once."""
    held_by(store, "read")

    with open_store(store, wait_seconds=0) as connection:
        assert STORE_VERSION == cell(connection, "select version from meta.store")


def test_a_store_held_by_this_process_is_locked(store):
    """A writer beside an open reader of the same process is told so instead of failing obscurely."""
    with open_store(store):
        assert "STORE_LOCKED" == code_of(store, write=True, wait_seconds=0.02)


@pytest.mark.parametrize("content", [b"", b"{}\n", b"x" * 100_000, bytes(4096)], ids=["empty", "json", "text", "zeros"])
@pytest.mark.parametrize("write", [False, True])
def test_a_file_of_another_kind_is_refused_and_kept(tmp_path, content, write):
    """A file that is no DuckDB database is foreign, and not one byte of it changes."""
    path = tmp_path / "file.duckdb"
    path.write_bytes(content)

    assert "STORE_FOREIGN" == code_of(path, write=write)
    assert content == path.read_bytes()


@pytest.mark.parametrize("write", [False, True])
def test_a_foreign_database_is_refused_and_kept(tmp_path, write):
    """A DuckDB file with other tables is not ours: nothing is added to it."""
    path = tmp_path / "other.duckdb"
    with duckdb.connect(str(path)) as other:
        other.execute("create table prices (price integer)")

    assert "STORE_FOREIGN" == code_of(path, write=write)
    with duckdb.connect(str(path), read_only=True) as other:
        assert [("prices",)] == other.execute("select table_name from duckdb_tables() where not internal").fetchall()


def test_an_empty_database_becomes_a_store(tmp_path):
    """A DuckDB file without tables is foreign to a reader and taken over by a writer."""
    path = tmp_path / "new.duckdb"
    duckdb.connect(str(path)).close()

    assert "STORE_FOREIGN" == code_of(path)
    with open_store(path, write=True) as connection:
        assert STORE_VERSION == cell(connection, "select version from meta.store")


def test_a_newer_store_is_refused(store):
    """A store of a later schema is named as such, with both versions."""
    with open_store(store, write=True) as connection:
        connection.execute("update meta.store set version = version + 1")

    with pytest.raises(RecoupError) as raised, open_store(store):
        pass

    assert "STORE_NEWER" == raised.value.entry.code
    assert {"store": str(store), "version": STORE_VERSION + 1, "known_version": STORE_VERSION} == raised.value.context


def test_a_damaged_store_is_told_from_a_foreign_one(store):
    """A store whose blocks fail their checksum is damaged."""
    content = bytearray(store.read_bytes())
    content[4096:8300] = b"x" * 4204
    store.write_bytes(content)

    assert "STORE_DAMAGED" == code_of(store)


def test_a_folder_that_is_missing_is_not_made(tmp_path):
    """A store in a folder that does not exist cannot be written."""
    assert "STORE_UNWRITABLE" == code_of(tmp_path / "missing" / "store.duckdb", write=True)


def test_a_folder_is_no_store(tmp_path):
    """A folder given as store is an error of ours, not of DuckDB."""
    assert "STORE_UNWRITABLE" == code_of(tmp_path, write=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission(tmp_path):
    """A store in a folder that may not be written is an error of ours."""
    tmp_path.chmod(0o500)

    assert "STORE_UNWRITABLE" == code_of(tmp_path / "store.duckdb", write=True)


def test_a_full_disk(tmp_path):
    """A store that cannot be written for want of space is an error of ours."""
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("no /dev/full on this system")

    link = tmp_path / "store.duckdb"
    link.symlink_to(full)

    assert "STORE_UNWRITABLE" == code_of(link, write=True)


def test_writers_take_turns(store):
    """Several writers at once all get in, one after the other; each commits its own."""
    paths = [f"{number}" for number in range(8)]

    def write(path):
        with open_store(store, write=True) as connection:
            connection.execute("insert into raw.skipped values (?, 'kind', 1)", [path])
            time.sleep(0.01)

    script = (
        "import sys; from pathlib import Path; from pipeline.store import open_store\n"
        "with open_store(Path(sys.argv[1]), write=True) as connection:\n"
        "    connection.execute(\"insert into raw.skipped values (?, 'kind', 1)\", [sys.argv[2]])\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", script, str(store), path]) for path in paths[1:]]
    write(paths[0])

    assert [0] * len(writers) == [writer.wait() for writer in writers]
    with open_store(store) as connection:
        assert paths == [row["path"] for row in records(connection, "select path from raw.skipped order by path")]


def test_records_are_named(store):
    """Rows come as dictionaries, with the query's parameters filled in."""
    with open_store(store) as connection:
        assert [{"one": 1, "two": "b"}] == records(connection, "select 1 as one, $text as two", {"text": "b"})
