import csv
import io
import json
import subprocess
import sys

import pytest

from pipeline.errors import REGISTRY

from .conftest import call_line, failed_line

READER = """
import sys, duckdb
connection = duckdb.connect(sys.argv[1], read_only=True)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def other_reader(store):
    """Return a function that lets another process read the store, so that nobody can write to it."""
    readers = []

    def hold():
        reader = subprocess.Popen(
            [sys.executable, "-c", READER, str(store)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        readers.append(reader)
        assert "held\n" == reader.stdout.readline()

    yield hold
    for reader in readers:
        with reader:
            reader.stdin.close()


def test_report_for_people(run, store):
    """The report names the code and needs no colour to be read."""
    ran = run("analyze", "report")

    assert 0 == ran.exit_code
    assert "RATE_LIMITED" in ran.out
    assert "\x1b" not in ran.out


def test_report_on_a_terminal(on_terminal, store):
    """On a terminal the report may have colours, unless NO_COLOR asks for none."""
    assert "RATE_LIMITED" in on_terminal("analyze", "report").out
    assert "\x1b[3" not in on_terminal("analyze", "report", NO_COLOR="1").out


def test_report_for_programs(run, store):
    """--format json is the bare report, and --json the same in an envelope."""
    bare = json.loads(run("analyze", "report", "--format", "json").out)
    envelope = run("analyze", "report", "--json").envelope

    assert bare == envelope["data"]
    assert ["RATE_LIMITED"] == [code["error_code"] for code in bare["codes"]]
    assert (3, 6) == (bare["coverage"]["records"], bare["coverage"]["events"])


def test_report_to_a_file(run, store, tmp_path):
    """--output writes the report there and says so; a place that cannot be written is an error."""
    ran = run("analyze", "report", "--format", "json", "--output", tmp_path / "report.json")

    assert "wrote" in ran.out
    assert "codes" in json.loads((tmp_path / "report.json").read_text())
    failed = run("analyze", "report", "--output", tmp_path / "missing" / "report.txt")
    assert (4, "OUTPUT_UNWRITABLE") == (failed.exit_code, failed.error["code"])


def test_report_follows_the_store(run, store, log):
    """A report after another import counts what is new."""
    run("analyze", "report")
    log.write_text(log.read_text() + failed_line(30, code="QUOTA_SPENT"))
    run("collector", "import", log)

    codes = run("analyze", "report", "--json").envelope["data"]["codes"]

    assert {"RATE_LIMITED", "QUOTA_SPENT"} == {code["error_code"] for code in codes}


def test_a_current_store_is_only_read(run, store, other_reader, monkeypatch):
    """Where the models are current, a report needs no right to write; where they are stale, it does."""
    monkeypatch.setattr("pipeline.store.LOCK_WAIT_SECONDS", 0.05)
    run("analyze", "report")
    other_reader()

    assert 0 == run("analyze", "report").exit_code
    assert 0 == run("analyze", "sql", "select 1").exit_code


def test_a_stale_store_has_to_be_written(run, store, other_reader, monkeypatch):
    """A store whose models are stale and that another process reads is a transient error."""
    monkeypatch.setattr("pipeline.store.LOCK_WAIT_SECONDS", 0.05)
    other_reader()

    ran = run("analyze", "report")

    assert (12, "STORE_LOCKED", True) == (ran.exit_code, ran.error["code"], ran.error["retryable"])


def test_report_of_one_tool(run, store):
    """--tool leaves out the others, and a tool that was never called is an error."""
    codes = run("analyze", "report", "--tool", "tool", "--json").envelope["data"]["codes"]

    assert ["tool"] == [code["tool"] for code in codes]
    assert "SUBJECT_NOT_FOUND" == run("analyze", "report", "--tool", "other").error["code"]


def test_report_of_a_period(run, store):
    """--since and --until bound the sessions that are counted."""
    for bounds, count in {
        ("--since", "2026-02-01"): 1,
        ("--until", "2026-02-01"): 0,
        ("--since", "2026-03-02"): 0,
    }.items():
        data = run("analyze", "report", *bounds, "--json").envelope["data"]
        assert count == data["summary"]["sessions"]


def test_explain_a_code(run, store):
    """The evidence for a code is its episodes, attempt by attempt, with what was waited and what came of it."""
    ran = run("analyze", "explain", "RATE_LIMITED")

    assert 0 == ran.exit_code
    assert "RATE_LIMITED of tool, declared transient" in ran.out
    assert "2 failures in 1 episode, 1 of them recovered" in ran.out
    assert "1 2026-03-01 10:00:00  tool push web" in ran.out
    assert "-> error RATE_LIMITED, exit 11: too many requests" in ran.out
    assert "says retryable: true; retry after 5.0 s" in ran.out
    assert 2 == ran.out.count("reissue after 10 s: unchanged, fair")
    assert "calls.ndjson:3" in ran.out


def test_explain_an_episode(run, store):
    """An episode is found by its id or the start of it."""
    [episode] = run("analyze", "explain", "RATE_LIMITED", "--json").envelope["data"]["episodes"]

    for subject in (episode["episode_id"], episode["episode_id"][:3]):
        data = run("analyze", "explain", subject, "--json").envelope["data"]
        assert ([], [episode]) == (data["codes"], data["episodes"])
    assert [None, "unchanged", "unchanged"] == [step["reissue_kind"] for step in episode["steps"]]
    assert "recovered" in episode["outcome"]


def test_explain_shows_the_fix_that_ran(run, tmp_path):
    """The run of a fix_command stands between the attempts, with the verdict on its loop."""
    rungs = {"retryable": False, "retry_after_ms": None, "fix_required": "Sync", "fix_command": "tool sync"}
    lines = [failed_line(0, "STALE", **rungs), call_line(5, argv=["tool", "sync"]), failed_line(9, "STALE", **rungs)]
    (tmp_path / "fix.ndjson").write_text("".join(lines))
    run("collector", "import", tmp_path / "fix.ndjson")

    ran = run("analyze", "explain", "STALE")

    assert "1 of 1 closed loop failed" in ran.out
    assert "2 2026-03-01 10:00:05  tool sync\n     the fix_command, run: closed loop failed" in ran.out
    assert "fix_required: Sync; fix_command: tool sync" in ran.out


def test_explain_limits_itself(run, tmp_path):
    """Of many episodes the first are shown, and how many are left."""
    lines = [failed_line(number, session=f"s{number}") for number in range(8)]
    (tmp_path / "many.ndjson").write_text("".join(lines))
    run("collector", "import", tmp_path / "many.ndjson")

    ran = run("analyze", "explain", "RATE_LIMITED", "--limit", "3")

    assert 3 == ran.out.count("\nepisode ")
    assert "5 more episodes" in ran.out


def test_explain_what_is_not_there(run, store):
    """An unknown subject is an error that lists the codes there are."""
    ran = run("analyze", "explain", "NOTHING")

    assert (5, "SUBJECT_NOT_FOUND") == (ran.exit_code, ran.error["code"])
    assert ["RATE_LIMITED"] == ran.error["context"]["known_codes"]
    assert "SUBJECT_NOT_FOUND" == run("analyze", "explain", "RATE_LIMITED", "--tool", "other").error["code"]


HOSTILE = "\x1b[2Jgone \x07\x9b31m \u202e reversed [bold]not markup[/bold]"


@pytest.mark.parametrize(
    "arguments",
    [("explain", "RATE_LIMITED"), ("sql", "select message from core.attempts"), ("report", "--full")],
    ids=lambda arguments: arguments[0],
)
def test_hostile_text_cannot_command_a_terminal(run, on_terminal, tmp_path, arguments):
    """Escape sequences, bells and bidirectional overrides of a log are shown, not obeyed; markup stays text."""
    (tmp_path / "hostile.ndjson").write_text(failed_line(0, message=HOSTILE) + failed_line(20, message=HOSTILE))
    run("collector", "import", tmp_path / "hostile.ndjson")

    out = on_terminal("analyze", *arguments, NO_COLOR="1").out

    for forbidden in ("\x1b[2J", "\x07", "\x9b", "\u202e"):
        assert forbidden not in out
    assert arguments[0] == "report" or "[bold]not markup[/bold]" in out


def test_sql_as_ndjson_and_csv(run, store):
    """Piped, rows are NDJSON; CSV is for the asking; nulls, lists and times survive."""
    query = (
        "select 1 as one, null as none, ['a', 'b'] as many, started_at from core.attempts order by started_at limit 1"
    )

    [row] = map(json.loads, run("analyze", "sql", query).out.splitlines())
    assert {"one": 1, "none": None, "many": ["a", "b"], "started_at": "2026-03-01T10:00:00Z"} == row

    [row] = csv.DictReader(io.StringIO(run("analyze", "sql", query, "--format", "csv").out))
    assert {"one": "1", "none": "", "many": '["a", "b"]', "started_at": "2026-03-01T10:00:00Z"} == row


def test_sql_for_programs(run, store):
    """With --json the rows are in an envelope, with the names of their columns."""
    data = run("analyze", "sql", "select tool, count(*) as n from core.attempts group by all", "--json").envelope[
        "data"
    ]

    assert {"columns": ["tool", "n"], "rows": [["tool", 3]]} == data


def test_sql_as_a_table(on_terminal, store):
    """On a terminal rows are a table with a heading."""
    out = on_terminal("analyze", "sql", "select tool, 42 as answer from core.attempts limit 1").out

    assert "answer" in out
    assert "42" in out


def test_sql_from_standard_input(spawn, store):
    """A dash reads the query from standard input."""
    assert '{"n": 3}\n' == spawn("analyze", "sql", "-", feed=b"select count(*) as n from core.attempts").out


REFUSED = (
    "",
    "selec 1",
    "select * from nothing",
    "select 1; select 2",
    "select 'x'::int",
    "delete from raw.events",
    "create table raw.mine (i int)",
    "copy (select 1) to 'out.csv'",
    "select * from read_text('calls.ndjson')",
    "attach 'other.duckdb'",
    "install httpfs",
    "set enable_external_access = true",
    "select ?",
)


def test_sql_that_cannot_be_run(run, store, tmp_path):
    """What is wrong, writes, or reaches for other files is refused with what DuckDB says of it."""
    run("analyze", "report")
    content, names = store.read_bytes(), set(tmp_path.iterdir())

    for query in REFUSED:
        ran = run("analyze", "sql", query)
        assert (2, "SQL_INVALID") == (ran.exit_code, ran.error["code"]), query
        assert ran.error["message"]

    assert (content, names) == (store.read_bytes(), set(tmp_path.iterdir()))


def test_errors_are_the_registry(run):
    """Our own errors are listed whole, for programs and for people, without a store."""
    listed = run("analyze", "errors", "--json").envelope["data"]["errors"]
    text = run("analyze", "errors").out

    assert [(entry.code, entry.exit_code, entry.declared_class) for entry in REGISTRY] == [
        (entry["code"], entry["exit_code"], entry["class"]) for entry in listed
    ]
    for entry in REGISTRY:
        assert f"{entry.code}  exit {entry.exit_code}, {entry.declared_class}\n  {entry.meaning}\n" in text
