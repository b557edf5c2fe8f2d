import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
import typer

from pipeline.cli.main import moment, program
from pipeline.cli.main import run as run_program
from pipeline.errors import ENTRIES

from .conftest import command_line, environment

HEAVY = (
    "duckdb",
    "pyarrow",
    "pandas",
    "numpy",
    "matplotlib",
    "rich",
    "tree_sitter",
    "msgspec",
    "opentelemetry",
    "grpc",
)
COMMANDS = [
    ("collector", "import"),
    ("collector", "formats"),
    ("collector", "status"),
    ("analyze", "report"),
    ("analyze", "check"),
    ("analyze", "explain"),
    ("analyze", "sql"),
    ("analyze", "errors"),
]


@pytest.mark.parametrize("arguments", [(), ("--help",), ("--version",)], ids=["imported", "help", "version"])
def test_a_program_starts_light(arguments):
    """Neither importing a program nor asking for help loads what only the work needs."""
    script = (
        "import sys\n"
        "from pipeline.cli import analyze, collector\n"
        f"arguments = {list(arguments)!r}\n"
        "codes = [main(arguments) for main in (analyze.main, collector.main)] if arguments else []\n"
        "sys.stderr.write(' '.join(sys.modules))\n"
        "sys.exit(sum(codes))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, env=environment(), text=True, check=True)

    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "typer" in loaded
    assert set() == loaded & set(HEAVY)


@pytest.mark.parametrize("name", ["analyze", "collector"])
def test_help_shows_commands_and_examples(run, name):
    """The help of a program names each command and shows how it is used."""
    ran = run(name, "--help")

    assert 0 == ran.exit_code
    assert "Examples:" in ran.out
    for owner, command in COMMANDS:
        assert owner != name or f"\n  {command} " in ran.out


@pytest.mark.parametrize(("name", "command"), COMMANDS)
def test_every_command_has_help(run, name, command):
    """Each command explains itself and takes --json."""
    ran = run(name, command, "--help")

    assert 0 == ran.exit_code
    assert f"Usage: {name} {command}" in ran.out
    assert "--json" in ran.out


@pytest.mark.parametrize("name", ["analyze", "collector"])
def test_version(run, name):
    """Both programs tell their version."""
    ran = run(name, "--version")

    assert 0 == ran.exit_code
    assert ran.out.startswith("recoup ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze", "reprot"),
        ("analyze", "report", "--fomat", "json"),
        ("analyze", "report", "--format", "pdf"),
        ("analyze", "report", "--since", "yesterday"),
        ("analyze", "explain"),
        ("analyze", "explain", "A", "--limit", "0"),
        ("analyze", "sql"),
        ("collector", "status", "extra"),
        ("collector", "import", "--format", "nothing", "x"),
    ],
    ids=" ".join,
)
def test_what_is_not_understood(run, arguments):
    """A wrong argument is one envelope on stdout with exit 2, whose message begins small and ends without a stop."""
    ran = run(*arguments)

    assert 2 == ran.exit_code
    assert "ARGUMENT_INVALID" == ran.error["code"]
    assert ran.error["fix_required"]
    assert ran.error["message"][0].islower()
    assert not ran.error["message"].endswith(".")
    assert "" == ran.err


def test_no_command(run):
    """Without a command the help is shown beside the envelope."""
    ran = run("analyze")

    assert 2 == ran.exit_code
    assert "ARGUMENT_INVALID" == ran.error["code"]
    assert "Examples:" in ran.err


def test_a_failure_names_command_and_version(run, monkeypatch):
    """The envelope's meta says what was run, by which version, how long it took, and in whose trace."""
    monkeypatch.setenv("TOOL_TRACE_ID", "abc")

    meta = run("analyze", "report").envelope["meta"]

    assert {"command", "tool_version", "schema_version", "duration_ms", "trace_id"} == set(meta)
    assert ("analyze report", "abc") == (meta["command"], meta["trace_id"])


def test_the_fix_of_a_missing_store(run, tmp_path, monkeypatch):
    """The static fix stands where it acts on the same store, and not where another one was named."""
    assert "collector import" == run("analyze", "report").error["fix_command"]
    monkeypatch.setenv("RECOUP_STORE", str(tmp_path / "other.duckdb"))
    assert "collector import" == run("analyze", "report").error["fix_command"]

    for arguments in (("--store", "x.duckdb"), ("--store=x.duckdb",)):
        ran = run("analyze", "report", *arguments)
        assert ENTRIES["STORE_NOT_FOUND"].exit_code == ran.exit_code
        assert "fix_command" not in ran.error
        assert ran.error["fix_required"]


def test_the_fix_of_a_missing_store_helps(run, log, tmp_path):
    """After the fix_command exits 0, the call that failed does not fail that way again: the loop closes."""
    transcripts = tmp_path / ".claude/projects/p"
    transcripts.mkdir(parents=True)
    (transcripts / "s.jsonl").write_bytes(log.read_bytes())
    assert "STORE_NOT_FOUND" == run("analyze", "report").error["code"]
    fix = run("analyze", "report").error["fix_command"].split()

    assert 0 == run(*fix).exit_code
    assert 0 == run("analyze", "report").exit_code
    assert 0 == run(*fix).exit_code


def test_a_failure_on_a_terminal(on_terminal):
    """People get two short lines instead of an envelope."""
    ran = on_terminal("analyze", "report")

    assert ENTRIES["STORE_NOT_FOUND"].exit_code == ran.exit_code
    assert (
        "error: there is no store at recoup.duckdb (STORE_NOT_FOUND)\nhint: import logs first: `collector import`\n"
        == ran.out
    )


def test_an_envelope_on_a_terminal(on_terminal):
    """With --json the envelope comes on a terminal as well."""
    ran = on_terminal("analyze", "report", "--json")

    assert "STORE_NOT_FOUND" == json.loads(ran.out.splitlines()[0])["error"]["code"]


def test_hostile_names_do_not_reach_the_terminal(on_terminal):
    """What is repeated of an argument cannot move the cursor or set colours."""
    ran = on_terminal("collector", "import", "no\x1b[2Jsuch\x07file")

    assert "PATH_NOT_FOUND" in ran.out
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


@pytest.fixture
def broken():
    """Return a function that makes a program whose only command fails as it is told."""

    def make(fault):
        app = program("Fails.", "")

        @app.callback()
        def options() -> None:
            """Take nothing."""

        @app.command()
        def fail() -> None:
            """Fail."""
            raise fault

        return app

    return make


@pytest.mark.parametrize(
    ("fault", "code", "exit_code"),
    [
        (KeyError("x"), "INTERNAL_FAULT", 1),
        (KeyboardInterrupt(), "INTERRUPTED", 130),
        (typer.Abort(), "INTERRUPTED", 130),
        (MemoryError(), "MEMORY_EXHAUSTED", 4),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_whatever_happens_is_an_envelope(broken, capsys, fault, code, exit_code):
    """A defect, Ctrl-C and a lack of memory end as errors with their ladder, never as a traceback."""
    assert exit_code == run_program(broken(fault), "tool", ["fail"])

    out, err = capsys.readouterr()
    assert code == json.loads(out)["error"]["code"]
    assert "Traceback" not in out + err


def test_a_defect_names_its_place(broken, capsys):
    """The envelope of a defect says where it lies and by which version."""
    run_program(broken(KeyError("x")), "tool", ["fail"])

    context = json.loads(capsys.readouterr().out)["error"]["context"]
    assert "KeyError" == context["fault"]
    assert context["place"].startswith("pipeline/cli/test_main.py:")
    assert "version" in context


def test_a_reader_that_leaves(store):
    """Where the reader of a pipe leaves early, the program ends silently with the exit code of SIGPIPE."""
    query = "select repeat('x', 1000) from range(100000)"
    process = subprocess.Popen(
        command_line("analyze", "sql", query, "--store", store),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    )
    with process:
        process.stdout.readline()
        process.stdout.close()
        assert b"" == process.stderr.read()
    assert 141 == process.returncode


def test_moments():
    """Dates, times with and without a zone, and spans back from now are moments in time."""
    assert datetime(2026, 3, 1, tzinfo=UTC) == moment("2026-03-01")
    assert datetime(2026, 3, 1, 12, 30, tzinfo=UTC) == moment("2026-03-01T12:30")
    assert datetime(2026, 3, 1, 10, 30, tzinfo=UTC) == moment("2026-03-01T12:30+02:00")
    for span, back in {"30m": timedelta(minutes=30), "12h": timedelta(hours=12), "7d": timedelta(days=7)}.items():
        assert abs(datetime.now(UTC) - back - moment(span)) < timedelta(minutes=1)


@pytest.mark.parametrize("text", ["", "yesterday", "7y", "999999w", "2026-13-01", "-1d"])
def test_what_is_no_moment(text):
    """Anything else is refused with the forms that are understood."""
    with pytest.raises(typer.BadParameter, match="7d"):
        moment(text)
