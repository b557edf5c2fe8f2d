"""Both programs, run in this process as their users run them, and as real processes."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from pipeline.cli import analyze, collector

ROOT = Path(__file__).parents[3]
PROGRAMS = {"analyze": analyze.main, "collector": collector.main}


class Ran(NamedTuple):
    """What a program did."""

    exit_code: int
    out: str
    err: str

    @property
    def envelope(self) -> dict:
        """The one line of stdout, as JSON."""
        [line] = self.out.splitlines()
        return json.loads(line)

    @property
    def error(self) -> dict:
        """The error of the envelope, after checking that the envelope is a failure's."""
        envelope = self.envelope
        assert {"ok", "data", "error", "warnings", "meta"} == set(envelope)
        assert (False, None) == (envelope["ok"], envelope["data"])
        return envelope["error"]


@pytest.fixture(autouse=True)
def _place(tmp_path, monkeypatch):
    """Work in an empty folder that is also the home, without settings from outside."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RECOUP_STORE", "TOOL_TRACE_ID"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(capfd):
    """Return a function that runs a program in this process, its stdout and stderr being no terminals."""

    def call(program, *arguments):
        capfd.readouterr()
        exit_code = PROGRAMS[program]([str(argument) for argument in arguments])
        return Ran(exit_code, *capfd.readouterr())

    return call


def command_line(program, *arguments):
    """Return the command line of a program."""
    start = f"import sys; from pipeline.cli.{program} import main; sys.exit(main())"
    return [sys.executable, "-c", start, *map(str, arguments)]


def environment(**more):
    """Return an environment in which the checkout is importable."""
    return os.environ | {"PYTHONPATH": str(ROOT), "COLUMNS": "100", "TERM": "xterm-256color"} | more


@pytest.fixture
def spawn():
    """Return a function that runs a program as a process, fed with bytes."""

    def call(program, *arguments, feed=b"", **more):
        done = subprocess.run(
            command_line(program, *arguments), input=feed, capture_output=True, env=environment(**more), check=False
        )
        return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call


@pytest.fixture
def on_terminal():
    """Return a function that runs a program on a terminal; what it shows there is `out`."""

    def call(program, *arguments, **more):
        leader, follower = pty.openpty()
        process = subprocess.Popen(
            command_line(program, *arguments), stdin=follower, stdout=follower, stderr=follower, env=environment(**more)
        )
        os.close(follower)
        shown = b""
        with os.fdopen(leader, "rb", buffering=0) as screen:
            while more_shown := _read(screen):
                shown += more_shown
        return Ran(process.wait(), shown.decode().replace("\r\n", "\n"), "")

    return call


def _read(screen):
    try:
        return screen.read(65536)
    except OSError:  # Linux: the other end was closed
        return b""


def call_line(number, **fields):
    """Return a line of an envelope log: a call of `tool` that worked."""
    record = {
        "ts": f"2026-03-01T10:{number // 60:02}:{number % 60:02}Z",
        "session_id": "s1",
        "call_id": f"c{number}",
        "agent": "ada",
        "argv": ["tool", "push", "web"],
        "exit_code": 0,
        "envelope": {"ok": True, "data": None, "error": None, "warnings": [], "meta": {}},
    }
    return json.dumps(record | fields) + "\n"


def failed_line(number, code="RATE_LIMITED", message="too many requests", session="s1", **rungs):
    """Return a line of an envelope log: the same call, failed."""
    error = {"code": code, "message": message, "retryable": True, "retry_after_ms": 5000} | rungs
    envelope = {"ok": False, "data": None, "error": error, "warnings": [], "meta": {}}
    return call_line(number, session_id=session, exit_code=11, envelope=envelope)


@pytest.fixture
def log(tmp_path):
    """Return the path of a log: a failure, a fair reissue that fails again, and one that works."""
    path = tmp_path / "calls.ndjson"
    path.write_text(failed_line(0) + failed_line(10) + call_line(20))
    return path


@pytest.fixture
def store(run, log, tmp_path):
    """Return the path of the default store, holding the log."""
    assert 0 == run("collector", "import", log).exit_code
    return tmp_path / "recoup.duckdb"
