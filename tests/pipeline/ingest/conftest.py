"""Logs that an import reads, formats made up for it, and what the store holds afterwards."""

import json
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest

from collectors.conventions import COLUMNS
from collectors.events import Event
from pipeline.errors import RecoupError
from pipeline.ingest import import_paths
from pipeline.store import open_store, records

STATED = ", ".join(column for column in COLUMNS if column != "path")


def call(number, **fields):
    """Return a line of an envelope log."""
    record = {"ts": f"2026-03-01T10:00:{number % 60:02}Z", "session_id": "s", "call_id": f"c{number}", "agent": "a"}
    return json.dumps(record | {"argv": ["tool", "ls"], "exit_code": 0} | fields, ensure_ascii=False).encode() + b"\n"


LINES = [
    call(1),
    call(2, stdout="naïve 😀"),
    b"\n",
    call(3).replace(b"\n", b"\r\n"),
    b'{"event": "human", "ts": "2026-03-01T10:01:00Z", "session_id": "s"}\n',
    call(4).removesuffix(b"\n"),
]
"""Two-byte and four-byte characters, a blank line, a carriage return, and a last line without an end."""


@pytest.fixture
def store(tmp_path):
    """Return the path of a store that does not exist yet."""
    return tmp_path / "store.duckdb"


@pytest.fixture
def log(tmp_path):
    """Return the path of a log in a folder of its own."""
    (tmp_path / "logs").mkdir()
    return tmp_path / "logs" / "log.ndjson"


def events(store, path=None):
    """Return all events of a file, whatever it is called, in a fixed order; each as a text."""
    with open_store(store) as connection:
        rows = connection.execute(
            f"select {STATED} from raw.events where path = coalesce($path, path) order by all",
            {"path": None if path is None else str(path)},
        ).fetchall()
    return list(map(repr, rows))


def files(store):
    """Return what the store knows of files, by name."""
    with open_store(store) as connection:
        return {Path(row["path"]).name: row for row in records(connection, "select * from meta.files")}


def whole(tmp_path_factory, content):
    """Return the events of a file that is imported at once."""
    folder = tmp_path_factory.mktemp("whole")
    (folder / "log.ndjson").write_bytes(content)
    import_paths(folder / "store.duckdb", [folder / "log.ndjson"])
    return events(folder / "store.duckdb")


def code_of(*arguments, **options):
    """Return the code of the error that an import raises."""
    with pytest.raises(RecoupError) as raised:
        import_paths(*arguments, **options)
    return raised.value.entry.code


def a_format(read, *, unit="line", resumable=True):
    """Return a format that reads as the function says."""
    return SimpleNamespace(
        NAME="made_up",
        TITLE="Made up",
        WHERE=(),
        UNIT=unit,
        RESUMABLE=resumable,
        CANNOT_TELL=(),
        looks_like=None,
        read=read,
    )


def event(number, path):
    """Return an event of a made-up format."""
    return Event(event_name="recoup.turn", uid=f"t:{number}", session_id="s", position=number, path=path)


def one_a_line(lines, path, first_line=1):
    """Read one event from each line."""
    for number, _ in enumerate(lines, first_line):
        yield event(number, path)


def events_of_each(store):
    """Return the events of every file, as `events` does for one."""
    found = defaultdict(list)
    with open_store(store) as connection:
        for path, *row in connection.execute(f"select path, {STATED} from raw.events order by all").fetchall():
            found[path].append(repr(tuple(row)))
    return found


def column(store, name):
    """Return one column of all events."""
    with open_store(store) as connection:
        return connection.execute(f"select {name} from raw.events").fetchall()
