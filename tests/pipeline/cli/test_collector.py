import gzip
import json

import pytest

from collectors import FORMATS

from .conftest import call_line, failed_line


def test_import_says_what_it_did(run, log):
    """An import ends with counts of files, records and events, and the store they are in."""
    ran = run("collector", "import", log)

    assert 0 == ran.exit_code
    assert "files    1 read\n" in ran.out
    assert "events   6, 6 of them new" in ran.out
    assert "recoup.duckdb" in ran.out
    assert "" == ran.err


def test_import_for_programs(run, log):
    """With --json the counts are one envelope."""
    log.write_text(log.read_text() + "no json\n" + call_line(30)[:40])

    envelope = run("collector", "import", log, "--json").envelope

    assert envelope["ok"]
    assert {"read": 1, "torn": 1} == envelope["data"]["files"]
    assert {"read": 6, "added": 6, "duplicates": 0} == envelope["data"]["events"]
    assert {"not_json": 1} == envelope["data"]["rejects"]
    assert 2 == len(envelope["warnings"])


def test_import_again(run, store, log):
    """A second import finds the file unchanged and adds nothing."""
    data = run("collector", "import", log, "--json").envelope["data"]

    assert {"read": 0, "torn": 0, "unchanged": 1} == data["files"]
    assert 0 == data["events"]["added"]


def test_warnings_go_to_stderr(run, log):
    """What could not be read is said beside the result, not in it."""
    log.write_text(log.read_text() + "no json\n")

    ran = run("collector", "import", log)

    assert "warning: 1 records could not be read (not_json)\n" == ran.err
    assert "warning" not in ran.out


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_import_from_standard_input(spawn, log, pack):
    """A stream is recognised, unpacked and read; shipped again it adds nothing, and grown only what is new."""
    first = spawn("collector", "import", "-", "--json", feed=pack(log.read_bytes())).envelope["data"]
    again = spawn("collector", "import", "-", "--json", feed=pack(log.read_bytes())).envelope["data"]
    grown = log.read_bytes() + call_line(40).encode()
    more = spawn("collector", "import", "-", "--json", feed=pack(grown)).envelope["data"]

    assert [6, 0, 2] == [data["events"]["added"] for data in (first, again, more)]


@pytest.mark.parametrize(("feed", "code"), [(b"", "INPUT_EMPTY"), (b"hello\n", "FORMAT_UNKNOWN")])
def test_standard_input_that_is_no_log(spawn, feed, code):
    """An empty stream and one of no known format are errors like those of a named file."""
    ran = spawn("collector", "import", "-", feed=feed)

    assert code == ran.error["code"]
    assert "-" in ran.error["context"]["path"]


def test_a_format_can_be_forced(run, tmp_path):
    """A named format reads what would not be recognised."""
    path = tmp_path / "odd.log"
    path.write_text("no json\n" * 100 + failed_line(0) + call_line(9))

    assert "FORMAT_UNKNOWN" == run("collector", "import", path).error["code"]
    data = run("collector", "import", path, "--format", "envelope_log", "--json").envelope["data"]

    assert (4, {"not_json": 100}) == (data["events"]["added"], data["rejects"])


def test_an_unknown_format_name(run, log):
    """A format that does not exist is refused with the names of those that do."""
    error = run("collector", "import", log, "--format", "nothing").error

    assert [reader.NAME for reader in FORMATS] == error["context"]["formats"]


@pytest.mark.parametrize(
    ("name", "content", "code", "exit_code"),
    [
        ("missing", None, "PATH_NOT_FOUND", 5),
        ("empty", b"", "INPUT_EMPTY", 4),
        ("text", b"hello\n", "FORMAT_UNKNOWN", 2),
        ("binary", bytes(range(256)), "FORMAT_UNKNOWN", 2),
    ],
)
def test_bad_input(run, tmp_path, name, content, code, exit_code):
    """What cannot be read is an error with its ladder, and makes no store."""
    if content is not None:
        (tmp_path / name).write_bytes(content)

    ran = run("collector", "import", tmp_path / name)

    assert (exit_code, code) == (ran.exit_code, ran.error["code"])
    assert str(tmp_path / name) == ran.error["context"]["path"]
    assert not (tmp_path / "recoup.duckdb").exists()


def test_a_store_of_another_kind(run, log, tmp_path):
    """A store that is no DuckDB file is refused and left alone."""
    (tmp_path / "notes.txt").write_text("hello")

    ran = run("collector", "import", log, "--store", tmp_path / "notes.txt")

    assert "STORE_FOREIGN" == ran.error["code"]
    assert "hello" == (tmp_path / "notes.txt").read_text()


def test_the_usual_places(run, log, tmp_path):
    """Without a path, what lies in the usual places is shown on stderr and read."""
    (tmp_path / ".claude/projects/p").mkdir(parents=True)
    (tmp_path / ".claude/projects/p/s.jsonl").write_bytes(log.read_bytes())

    ran = run("collector", "import")

    assert 0 == ran.exit_code
    assert "found 1 files" in ran.err
    assert "~/.claude/projects" in ran.err
    assert "files    1 read\n" in ran.out


def test_empty_usual_places(run):
    """Without a path and without logs, the error says where was looked."""
    error = run("collector", "import").error

    assert "INPUT_EMPTY" == error["code"]
    assert any("~/.claude/projects" in place for place in error["context"]["looked_at"])


def test_a_terminal_gets_a_bar_and_keeps_the_result(on_terminal, log):
    """On a terminal the bar is gone when the result stands there."""
    ran = on_terminal("collector", "import", log)

    assert 0 == ran.exit_code
    assert "reading" in ran.out
    assert ran.out.endswith("store    recoup.duckdb\n")


def test_formats(run):
    """Every format is listed with where it lies and what it cannot tell."""
    listed = run("collector", "formats", "--json").envelope["data"]["formats"]
    text = run("collector", "formats").out

    assert [reader.NAME for reader in FORMATS] == [entry["name"] for entry in listed]
    for entry in listed:
        assert f"{entry['name']}  {entry['title']}\n" in text
        assert all(f"cannot tell {what}" in text for what in entry["cannot_tell"])


def test_status(run, store, log, tmp_path):
    """The status counts what the store holds, and tells whether the models are current."""
    (tmp_path / "more").mkdir()
    (tmp_path / "more/torn.ndjson").write_text(call_line(1, session_id="s2") + "no json\n" + call_line(2)[:30])
    (tmp_path / "more/notes.txt").write_text("hello")
    run("collector", "import", tmp_path / "more")

    data = run("collector", "status", "--json").envelope["data"]

    assert (str(store.name), store.stat().st_size) == (data["store"], data["size_bytes"])
    assert (2, 1, 1) == tuple(data["files"][f"{name}_count"] for name in ("read", "torn", "unrecognised"))
    assert {"recoup.call": 4, "recoup.result": 4} == data["events"]
    assert ({"not_json": 1}, 2, False) == (data["rejects"], data["session_count"], data["is_current"])
    assert "stale" in run("collector", "status").out

    run("analyze", "report")
    assert run("collector", "status", "--json").envelope["data"]["is_current"]


def test_status_without_a_store(run):
    """Without a store the status is the error that says how to get one."""
    ran = run("collector", "status")

    assert (4, "STORE_NOT_FOUND") == (ran.exit_code, ran.error["code"])


def test_hostile_names_in_a_status(run, log, on_terminal):
    """Kinds and reasons that come from logs cannot command the terminal."""
    log.write_text(log.read_text() + json.dumps({"type": "\x1b[31mred", "of": "nothing"}) + "\n")
    run("collector", "import", log)

    assert "\x1b[31m" not in on_terminal("collector", "status").out
