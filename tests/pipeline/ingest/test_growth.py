import os
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.ingest import import_paths
from pipeline.store import cell, open_store

from .conftest import LINES, a_format, call, events, events_of_each, files, one_a_line, whole


def test_an_unchanged_file_is_not_opened(store, log):
    """A file of the same size and time is not even looked at, and the store is not written."""
    log.write_bytes(call(1))
    import_paths(store, [log.parent])
    times = (log.stat().st_atime_ns, log.stat().st_mtime_ns)
    log.write_bytes(call(2))
    os.utime(log, ns=times)
    before = store.stat().st_mtime_ns

    summary = import_paths(store, [log.parent])

    assert (0, 1) == (summary.files_read, summary.unread["unchanged"])
    assert before == store.stat().st_mtime_ns


def test_a_grown_file_is_read_from_where_it_stopped(store, log, tmp_path_factory):
    """Only new lines are read, under their own line numbers."""
    log.write_bytes(b"".join(LINES[:4]))
    import_paths(store, [log])
    log.write_bytes(b"".join(LINES))

    summary = import_paths(store, [log])

    assert (2, 3, 3) == (summary.records, summary.events, summary.added)
    assert whole(tmp_path_factory, b"".join(LINES)) == events(store)
    assert 5 == files(store)["log.ndjson"]["record_count"]


@pytest.mark.parametrize("step", [None, 1, 40])
def test_every_cut_heals(store, log, tmp_path_factory, step):
    """Wherever an import met a growing file, its torn end waits without a reject and comes with the next import."""
    content = b"".join(LINES)
    cuts = [log.parent / f"{cut:04}.ndjson" for cut in range(len(content) + 1)]
    for cut, path in enumerate(cuts):
        path.write_bytes(content[:cut])
    import_paths(store, [log.parent])
    if step:
        for cut, path in enumerate(cuts):
            path.write_bytes(content[: cut + step])
        import_paths(store, [log.parent])
    for path in cuts:
        path.write_bytes(content)

    import_paths(store, [log.parent])

    expected, found = whole(tmp_path_factory, content), events_of_each(store)
    assert [] == [path.name for path in cuts if expected != found[str(path)]]
    with open_store(store) as connection:
        assert 0 == cell(connection, "select count(*) from raw.rejects")
        assert 0 == cell(connection, "select count(*) from meta.files where is_torn or not is_complete")
        assert [(5, 9)] == connection.execute("select distinct record_count, event_count from meta.files").fetchall()


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_any_growth_gives_the_same_events(tmp_path_factory, data):
    """However a file grows, and however often it is imported on the way, its events are those of one import."""
    lines = data.draw(st.lists(st.sampled_from([*LINES[:5], b"no json\n"]), min_size=1, max_size=12))
    content = b"".join(lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
    batch = data.draw(st.sampled_from([1, 3, 1000]))
    folder = tmp_path_factory.mktemp("grown")
    (folder / "logs").mkdir()
    # a file of which nothing is known yet is no log in the folder
    for cut in [*cuts, len(content)]:
        (folder / "logs/log.ndjson").write_bytes(call(0) + content[:cut])
        import_paths(folder / "store.duckdb", [folder / "logs"], batch_events=batch)

    assert whole(tmp_path_factory, call(0) + content) == events(folder / "store.duckdb")


@pytest.mark.parametrize("batch", [1, 1000])
def test_files_that_grow_in_turns(store, log, tmp_path_factory, batch):
    """Sessions that are written at the same time, and imported between their lines, come out whole."""
    other = log.with_name("other.ndjson")
    contents = {log: b"", other: b""}
    for number in range(6):
        for path, session in ((log, "s"), (other, "t")):
            contents[path] += call(number, session_id=session)
            path.write_bytes(contents[path])
            import_paths(store, [log.parent], batch_events=batch)

    for path, content in contents.items():
        assert whole(tmp_path_factory, content) == events(store, path)
    assert [6, 6] == [row["record_count"] for row in files(store).values()]


def test_a_torn_end_waits(store, log):
    """An unfinished last line is no reject; the file is marked, and an import without change leaves it alone."""
    log.write_bytes(call(1) + call(2)[:30])

    summary = import_paths(store, [log])

    assert (1, 1, Counter()) == (summary.records, summary.files_torn, summary.rejects)
    assert files(store)["log.ndjson"]["is_torn"]
    assert 1 == import_paths(store, [log]).unread["unchanged"]


def test_a_finished_line_that_grows_all_the_same(store, log, tmp_path_factory):
    """A last line that looked finished and goes on is read anew; nothing of the file is lost or doubled."""
    log.write_bytes(call(1) + call(2).removesuffix(b"\n"))
    import_paths(store, [log])
    content = call(1) + call(2).removesuffix(b"\n") + b" " + call(3)
    log.write_bytes(content)

    import_paths(store, [log])

    assert set(whole(tmp_path_factory, content)) <= set(events(store))
    assert 2 == files(store)["log.ndjson"]["read_lines"]


@pytest.mark.parametrize(
    "after",
    [
        [call(number, agent="b") for number in range(40)],
        [call(number, agent="b") for number in range(2)],
        [*(call(number) for number in range(28)), call(28, agent="b"), call(29), call(30)],
    ],
    ids=["replaced", "truncated", "rewritten before the end"],
)
def test_a_changed_file_is_read_from_its_start(store, log, tmp_path_factory, after):
    """A file that did not only grow is read again; what it held before is kept, being real."""
    before = [call(number) for number in range(30)]
    log.write_bytes(b"".join(before))
    import_paths(store, [log])
    log.write_bytes(b"".join(after))

    summary = import_paths(store, [log])

    assert len(after) == summary.records
    old, new = (set(whole(tmp_path_factory, b"".join(lines))) for lines in (before, after))
    assert old | new == set(events(store))
    assert len(old | new) == len(events(store))
    assert len(after) == files(store)["log.ndjson"]["record_count"]


def test_a_touched_file_adds_nothing(store, log):
    """A file with a new time and the old content is read again, to no effect."""
    log.write_bytes(call(1))
    import_paths(store, [log])
    os.utime(log, ns=(1, 1))

    summary = import_paths(store, [log])

    assert (1, 2, 0) == (summary.files_read, summary.duplicates, summary.added)


def test_what_cannot_be_resumed_is_read_again(store, log):
    """A format that has to start anew does, and adds only what is new."""
    reader = a_format(one_a_line, resumable=False)
    log.write_bytes(b"{}\n{}\n")
    import_paths(store, [log], forced=reader)
    log.write_bytes(b"{}\n{}\n{}\n")

    summary = import_paths(store, [log], forced=reader)

    assert (3, 1) == (summary.events, summary.added)


def test_another_format_reads_an_unchanged_file(store, log):
    """Naming another format than the last time reads the file again."""
    log.write_bytes(call(1))
    import_paths(store, [log])

    assert 1 == import_paths(store, [log], forced=a_format(one_a_line)).added
