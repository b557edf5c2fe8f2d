import pytest

import pipeline.store
from pipeline.errors import RecoupError
from pipeline.ingest import import_paths
from pipeline.store import cell, open_store

from .conftest import a_format, call, code_of, events, files, one_a_line, whole


@pytest.mark.parametrize("batch", [1, 2, 7, 1000])
def test_the_batch_does_not_matter(store, log, tmp_path_factory, batch):
    """The same events are stored whatever the size of a batch."""
    content = b"".join(call(number) for number in range(25))
    log.write_bytes(content)
    (log.parent / "other.ndjson").write_bytes(call(1, session_id="t"))

    import_paths(store, [log.parent], batch_events=batch)

    assert whole(tmp_path_factory, content) == events(store, log)
    assert {"log.ndjson": 50, "other.ndjson": 2} == {name: row["event_count"] for name, row in files(store).items()}


def test_readers_work_beside_an_import(store, log):
    """Between its batches an import does not hold the store: a reader sees what was committed so far."""
    seen = []

    def read(lines, path, first_line=1):
        for found in one_a_line(lines, path, first_line):
            yield found
            if store.exists():
                with open_store(store, wait_seconds=0) as connection:
                    seen.append(cell(connection, "select count(*) from raw.events"))

    log.write_bytes(b"{}\n" * 6)
    import_paths(store, [log], forced=a_format(read), batch_events=1)

    assert [2, 2, 4, 4, 6] == seen


@pytest.mark.parametrize("stop", [KeyboardInterrupt, RecoupError("STORE_LOCKED", "held")])
def test_an_import_that_is_stopped_goes_on(store, log, stop):
    """What was committed before stays, and the next import completes the file without doubling it."""

    def read(lines, path, first_line=1):
        for found in one_a_line(lines, path, first_line):
            yield found
            if found.position == 5:
                raise stop

    log.write_bytes(b"{}\n" * 8)
    with pytest.raises((KeyboardInterrupt, RecoupError)):
        import_paths(store, [log], forced=a_format(read), batch_events=1)
    assert not files(store)["log.ndjson"]["is_complete"]
    assert 4 == len(events(store))

    summary = import_paths(store, [log], forced=a_format(one_a_line))

    assert (8, 4, 4) == (summary.events, summary.added, summary.duplicates)
    assert 8 == len(events(store))


def test_two_imports_of_one_file_at_once(store, log):
    """An import that began before another one finished does not store the same events again."""

    def read(lines, path, first_line=1):
        import_paths(store, [path], forced=a_format(one_a_line))
        yield from one_a_line(lines, path, first_line)

    log.write_bytes(b"{}\n{}\n")

    summary = import_paths(store, [log], forced=a_format(read))

    assert (2, 0) == (summary.events, summary.added)
    assert 2 == len(events(store))


def test_a_locked_store(store, log, monkeypatch):
    """An import that does not get the store in time is a transient error."""
    log.write_bytes(call(1))
    import_paths(store, [log])
    log.write_bytes(call(1) + call(2))
    monkeypatch.setattr(pipeline.store, "LOCK_WAIT_SECONDS", 0.02)

    with open_store(store):
        assert "STORE_LOCKED" == code_of(store, [log])

    assert 2 == import_paths(store, [log]).added
