from collections import Counter

import pipeline.reading
from pipeline.ingest import import_paths
from pipeline.store import open_store

from .conftest import call, column, events, files


def test_an_import_counts_what_it_did(store, log):
    """Records, events, rejects, skipped kinds and files add up, in the summary and in the store."""
    log.write_bytes(call(1) + b"no json\n\n" + b'{"of": "no shape"}\n' + call(2))
    (log.parent / "notes.md").write_text("# notes")
    (log.parent / "empty.ndjson").touch()

    summary = import_paths(store, [log.parent])

    assert (1, {"empty": 1, "unrecognised": 1}) == (summary.files_read, dict(summary.unread))
    assert (4, 4, 4, 0) == (summary.records, summary.events, summary.added, summary.duplicates)
    assert Counter(not_json=1) == summary.rejects
    assert 1 == summary.skipped.total()
    known = files(store)
    assert {"log.ndjson", "notes.md"} == set(known)
    counts = {name: known["log.ndjson"][name] for name in ("record_count", "event_count", "reject_count", "read_lines")}
    assert {"record_count": 4, "event_count": 4, "reject_count": 1, "read_lines": 5} == counts
    assert known["notes.md"]["format"] is None


def test_malformed_lines_cost_only_themselves(store, log):
    """Bytes that are no record become rejects with their place; the lines around them are read."""
    log.write_bytes(call(1) + b"\xff\xfe garbage\n" + b'{"cut": \n' + call(2))

    import_paths(store, [log])

    with open_store(store) as connection:
        assert [(2,), (3,)] == connection.execute("select position from raw.rejects order by position").fetchall()
    assert 4 == len(events(store))


def test_repaired_records_are_counted(store, log):
    """A record whose text was damaged is read, and counted as repaired."""
    log.write_bytes(call(1) + call(2).replace(b'"tool"', b'"to\xffol"'))

    summary = import_paths(store, [log])

    assert (1, 4, 0) == (summary.repaired, summary.events, summary.rejects.total())
    assert 1 == files(store)["log.ndjson"]["repaired_count"]


def test_a_twenty_megabyte_line(store, log):
    """One huge line is read like any other."""
    log.write_bytes(call(1) + call(2, stdout="x" * 20_000_000) + call(3))

    assert 6 == import_paths(store, [log]).events


def test_a_line_beyond_all_bounds(store, log, monkeypatch):
    """A line longer than the limit is one reject; what follows keeps its line number."""
    monkeypatch.setattr(pipeline.reading, "MAX_LINE_BYTES", 1000)
    log.write_bytes(call(1) + call(2, stdout="x" * 5000) + call(3))

    summary = import_paths(store, [log])

    assert (Counter(too_large=1), 3) == (summary.rejects, summary.records)
    assert log.stat().st_size == files(store)["log.ndjson"]["read_bytes"]
    assert {1, 3} == {position for (position,) in column(store, "position")}
