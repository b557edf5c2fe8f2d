import gzip
from collections import Counter

import pytest

from pipeline.errors import RecoupError
from pipeline.ingest import import_paths
from pipeline.store import open_store

from .conftest import a_format, call, code_of, column, event, files


def test_a_defect_in_a_reader_costs_one_line(store, log):
    """A reader that fails on a line loses that line; what it held back, and all after it, is read."""

    def read(lines, path, first_line=1):
        held = []
        for number, line in enumerate(lines, first_line):
            if line == b"{}\n":
                held.append(event(number, path))
            else:
                raise KeyError(line)
            if len(held) == 4:
                yield from held
                held = []
        yield from held

    log.write_bytes(b"{}\n" * 6 + b'{"a": 1}\n' + b"{}\n" * 5)

    summary = import_paths(store, [log], forced=a_format(read))

    assert (11, 12, Counter(unreadable=1)) == (summary.events, summary.records, summary.rejects)
    with open_store(store) as connection:
        [(position, excerpt)] = connection.execute("select position, excerpt from raw.rejects").fetchall()
    assert 7 == position
    assert "KeyError at test_refusals.py" in excerpt
    assert set(range(1, 13)) - {7} == {number for (number,) in column(store, "position")}


def test_a_reader_that_cannot_even_begin(store, log):
    """A reader that fails at once ends the file with a reject, not the import."""

    def read(lines, path, first_line=1):
        raise RuntimeError
        yield

    log.write_bytes(b"{}\n")
    (log.parent / "other").write_bytes(b"{}\n")

    summary = import_paths(store, [log.parent], forced=a_format(read))

    assert (2, Counter(unreadable=2)) == (summary.files_read, summary.rejects)
    assert not files(store)["other"]["is_complete"]


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"", "INPUT_EMPTY"), (b"hello\n", "FORMAT_UNKNOWN"), (bytes(range(256)) * 9, "FORMAT_UNKNOWN")],
    ids=["empty", "text", "binary"],
)
def test_a_named_file_that_is_no_log(store, log, content, code):
    """What is named and cannot be read is an error that names it, and no store is made."""
    log.write_bytes(content)

    with pytest.raises(RecoupError, match=str(log)) as raised:
        import_paths(store, [log])

    assert code == raised.value.entry.code
    assert not store.exists()


def test_nothing_is_read_where_one_path_is_wrong(store, log):
    """All named paths are looked at before the first is read."""
    log.write_bytes(call(1))

    assert "PATH_NOT_FOUND" == code_of(store, [log, log.parent / "none"])
    (log.parent / "text").write_text("hello")
    assert "FORMAT_UNKNOWN" == code_of(store, [log, log.parent / "text"])
    assert not store.exists()


def test_a_folder_without_logs(store, log):
    """A folder that holds nothing to read is an error, not a silent success."""
    (log.parent / "notes.txt").write_text("hello")

    assert "INPUT_EMPTY" == code_of(store, [log.parent])
    assert not store.exists()


def test_progress_reaches_the_whole(store, log):
    """Progress ends where it said it would, for plain and packed files."""
    log.write_bytes(b"".join(call(number, stdout="x" * 4000) for number in range(1000)))
    log.with_suffix(".gz").write_bytes(gzip.compress(call(1)))
    told = []

    import_paths(store, [log.parent], on_progress=lambda done, total: told.append((done, total)))

    size = sum(path.stat().st_size for path in log.parent.iterdir())
    assert (size, size) == told[-1]
    assert len(told) > 3
    assert sorted(told) == told
