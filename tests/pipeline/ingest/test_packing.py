import gzip
import json
import os
import threading
from collections import Counter

import pytest

from collectors.events import Reject, Skipped
from pipeline.ingest import import_paths
from pipeline.store import cell, open_store

from .conftest import LINES, a_format, call, event, events, files, whole


def test_packed_files(store, log, tmp_path_factory):
    """A packed file gives the events of the plain one; grown, only what is new."""
    packed = log.with_suffix(".ndjson.gz")
    content = b"".join(LINES)
    packed.write_bytes(gzip.compress(call(1)))
    import_paths(store, [packed])
    packed.write_bytes(gzip.compress(content))

    summary = import_paths(store, [packed])

    assert 7 == summary.added
    assert whole(tmp_path_factory, content) == events(store)
    assert 1 == import_paths(store, [packed]).unread["unchanged"]


@pytest.mark.parametrize("count", [20, 2000])
def test_a_packed_file_that_is_still_written(store, log, count):
    """A packed file that ends too early is torn: what it holds is read, the rest waits."""
    packed = log.with_suffix(".gz")
    content = gzip.compress(b"".join(call(number, stdout=os.urandom(20).hex()) for number in range(count)))
    packed.write_bytes(content[: len(content) // 2])

    summary = import_paths(store, [packed])

    assert (1, Counter()) == (summary.files_torn, summary.rejects)
    assert 0 < summary.records < count
    packed.write_bytes(content)
    import_paths(store, [packed])
    assert 2 * count == len(events(store))


def test_a_damaged_packed_file(store, log):
    """A packed file whose checksum is wrong is a reject beside what was read, and is tried again the next time."""
    packed = log.with_suffix(".gz")
    content = bytearray(gzip.compress(call(1) + call(2)))
    content[-8:-4] = b"\0\0\0\0"
    packed.write_bytes(content)

    summary = import_paths(store, [packed])

    assert (2, Counter(unreadable=1)) == (summary.records, summary.rejects)
    assert not files(store)[packed.name]["is_complete"]
    again = import_paths(store, [packed])
    assert (1, 0) == (again.files_read, again.added)
    with open_store(store) as connection:
        assert 1 == cell(connection, "select count(*) from raw.rejects")


def test_a_document_is_read_whole(store, log):
    """A format that is one document gets all of it at once, and its records are what it holds."""

    def read(lines, path, first_line=1):
        for number, _ in enumerate(json.loads(b"".join(lines)), 1):
            yield event(number, path)
        yield Skipped(kind="other", count=2)
        yield Reject(path=path, position=9, reason="bad_value")

    reader = a_format(read, unit="document", resumable=False)
    log.write_bytes(b"[1,\n2,\n3]")

    summary = import_paths(store, [log], forced=reader)

    assert (3, 6, Counter(other=2)) == (summary.events, summary.records, summary.skipped)
    assert 1 == import_paths(store, [log], forced=reader).unread["unchanged"]


def test_a_pipe_is_read_once(store, log):
    """A named pipe is read like standard input; the same stream again adds nothing."""
    os.mkfifo(log)

    def ship():
        writer = threading.Thread(target=lambda: log.write_bytes(call(1) + call(2)))
        writer.start()
        summary = import_paths(store, [log])
        writer.join()
        return summary

    assert [4, 0] == [ship().added, ship().added]
    assert 1 == len(files(store))
