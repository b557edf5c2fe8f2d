"""The writer: from a spool to the store, each record once."""

import shutil
import threading
import time

import duckdb
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from collectors.otlp.spool import Spool
from collectors.otlp.spool_files import Frame, segments
from pipeline.drain import Drain
from pipeline.errors import RecoupError


def body_of(*names, time_unix_nano=7):
    """Return a request of a record a name."""
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for name in names:
        scope.log_records.add(event_name=name, time_unix_nano=time_unix_nano)
    return request.SerializeToString()


def append(spool, *bodies):
    """Append and wait until all are on disk."""
    arrived = threading.Semaphore(0)
    for body in bodies:
        frame = Frame("logs", "protobuf", time.time_ns(), 0, 0, body)
        spool.append(frame, lambda fault: arrived.release())
    for _ in bodies:
        assert arrived.acquire(timeout=20)


def drained(drain):
    """Drain until nothing is left; return the reports."""
    reports = []
    while (report := drain.step()) is not None:
        reports.append(report)
    return reports


def names_in(store):
    """Return the names of the records that are stored."""
    with duckdb.connect(str(store), read_only=True) as connection:
        return [name for (name,) in connection.execute("select name from raw.otlp_records order by name").fetchall()]


@pytest.fixture
def store(tmp_path):
    """Return where the store will be."""
    return tmp_path / "store.duckdb"


@pytest.fixture
def spool(tmp_path):
    """Return a spool with small segments."""
    spool = Spool(tmp_path / "spool", segment_bytes=200)
    yield spool
    spool.close()


def test_what_is_drained_is_deleted(store, spool):
    """Records are stored in order, ended segments deleted, and the report says what became of them."""
    drain = Drain(store, spool.directory.parent, spool.directory)
    for number in range(20):
        append(spool, body_of(f"n{number:02}", f"m{number:02}"))
    assert len(segments(spool.directory)) > 2
    reports = drained(drain)
    assert sum(report.counts["kept_raw"] for report in reports) == 40
    assert names_in(store) == sorted(
        [*(f"n{number:02}" for number in range(20)), *(f"m{number:02}" for number in range(20))]
    )
    assert len(segments(spool.directory)) == 1
    assert reports[-1].oldest_ns is None


def test_a_writer_that_dies_after_its_commit_repeats_nothing(store, spool, tmp_path):
    """The place is committed with the records: a writer that comes to a spool not yet tidied up goes on behind it."""
    append(spool, body_of("a"), body_of("b"))
    copy = tmp_path / "copy"
    shutil.copytree(spool.directory, copy)
    drained(Drain(store, spool.directory.parent, spool.directory))
    for path in segments(spool.directory):
        path.unlink()
    for path in segments(copy):
        shutil.copy(path, spool.directory)
    following = Drain(store, spool.directory.parent, spool.directory)
    assert all(report.counts.get("records", 0) == 0 for report in drained(following))
    assert names_in(store) == ["a", "b"]


@pytest.mark.parametrize("stated", [0, 1, pytest.param(time.time_ns(), id="now")])
def test_a_copy_that_comes_later_is_recognised(store, spool, stated):
    """A request that is sent again after other records, with times or without, adds nothing."""
    drain = Drain(store, spool.directory.parent, spool.directory)
    for body in (body_of("a", time_unix_nano=stated), body_of("b"), body_of("a", time_unix_nano=stated)):
        append(spool, body)
        drained(drain)
    assert names_in(store) == ["a", "b"]


def test_two_writers_of_one_spool_store_each_record_once(store, spool):
    """A writer that outlived its receiver and the next one's may drain the same spool at once."""
    both = [Drain(store, spool.directory.parent, spool.directory) for _ in range(2)]
    append(spool, *(body_of(f"n{number:02}") for number in range(10)))
    threads = [threading.Thread(target=drained, args=(drain,)) for drain in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names_in(store) == [f"n{number:02}" for number in range(10)]


def test_what_a_dead_receiver_left_is_adopted(store, spool):
    """The spool of a receiver that lives is left alone; once it has ended, it is drained and deleted."""
    append(spool, body_of("left"))
    stranger = Drain(store, spool.directory.parent, None)
    assert drained(stranger) == []
    spool.close()
    assert len(drained(stranger)) == 1
    assert names_in(store) == ["left"]
    assert not spool.directory.exists()


def test_a_body_that_cannot_be_read_is_a_reject(store, spool):
    """A frame that holds no request, which only a defect can bring about, stops nothing and is on record."""
    append(spool, body_of("before"), b"\xff\xff", body_of("behind"))
    drained(Drain(store, spool.directory.parent, spool.directory))
    assert names_in(store) == ["before", "behind"]
    with duckdb.connect(str(store), read_only=True) as connection:
        assert connection.execute("select path, reason from raw.rejects").fetchall() == [("/v1/logs", "unreadable")]


def test_a_store_of_somebody_else_keeps_the_spool(store, spool):
    """Where the store cannot be written nothing is taken from the spool, and the next step tries again."""
    with duckdb.connect(str(store)) as foreign:
        foreign.execute("create table t (a integer)")
    append(spool, body_of("a"))
    drain = Drain(store, spool.directory.parent, spool.directory)
    for _ in range(2):
        with pytest.raises(RecoupError) as refused:
            drain.step()
        assert refused.value.entry.code == "STORE_FOREIGN"
    store.unlink()
    drained(drain)
    assert names_in(store) == ["a"]
