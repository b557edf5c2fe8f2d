"""How long the statistics take over 100,000 attempts with 400 codes: `python -m tests.benchmarks.bench_statistics`.

Prints CPU seconds a model, those computed in Python marked `*`, and their sums. Nothing is asserted.
"""

import random
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from collectors.events import Event
from pipeline import models, raw
from pipeline.fits import FITS
from pipeline.parameters import Parameters
from pipeline.store import open_store

SESSIONS, CALLS, CODES = 2500, 40, 400
SECOND = 1_000_000_000
START = 1_767_600_000 * SECOND
CLASSES = ("transient", "transient", "correctable", "terminal", "terminal", "undeclared")


class Error(NamedTuple):
    """One made-up error of one tool."""

    tool: str
    code: str
    kind: str
    success: float
    wait_ms: int

    def fields(self, number: int) -> dict[str, Any]:
        """Return what a failure says."""
        said: dict[str, Any] = {"status": "error", "signalled_ok": False, "exit_code": 1, "envelope_ok": False}
        said |= {"dialect": "spec", "error_code": self.code, "code_source": "envelope"}
        said["message"] = f"failed for reason {'abc'[number % 3]} on item {number}"
        if self.kind != "undeclared":
            said["retryable"] = self.kind == "transient"
        if self.kind == "transient":
            said["retry_after_ms"] = self.wait_ms
        if self.kind == "correctable":
            fix = f"{self.tool} fix {self.code}"
            said |= {"fix_required": "fix it", "fix_command": fix, "fix_source": "fix_command", "fix_key": f"a1:{fix}"}
        return said


class Session:
    """Calls of one session, in order of time."""

    def __init__(self, number: int) -> None:
        self.name, self.now, self.events = f"s{number:05}", START + number * 600 * SECOND, list[Event]()
        self.agent, self.model, self.version = f"agent{number % 2}", f"model{number % 3}", f"1.{number * 2 // SESSIONS}"

    def call(self, tool: str, command: str, said: dict[str, Any] | None = None) -> None:
        """Add a call and its result."""
        key = f"{self.name}-{len(self.events):04}"
        place: dict[str, Any] = {"session_id": self.name, "call_id": key, "format": "made_up", "agent_name": self.agent}
        place |= {"path": f"{self.name}.jsonl", "position": len(self.events), "actor_id": "main"}
        asked: dict[str, Any] = {"tool_name": "Bash", "program": tool, "operation": " ".join(command.split()[:2])}
        asked |= {"command": command, "target": command, "turn_id": key, "model": self.model, "status_owner": "own"}
        asked |= {f"{name}_key": f"{name}:{command}" for name in ("exact", "invocation", "operation")}
        asked |= {"argv_key": f"a1:{command}", "is_context_known": True}
        self.now += SECOND
        self.events.append(Event(event_name="recoup.call", uid=f"c:{key}", time_unix_nano=self.now, **place, **asked))
        self.now += SECOND // 2
        told = {"status": "ok", "signalled_ok": True, "exit_code": 0, "duration_ms": 500, "tokens": 100}
        told |= {"tool_version": self.version} | (said or {})
        self.events.append(Event(event_name="recoup.result", uid=f"r:{key}", time_unix_nano=self.now, **place, **told))


def sessions(seed: int = 1) -> Iterator[list[Event]]:
    """Yield the events of each session."""
    dice = random.Random(seed)
    errors = [
        Error(f"tool{i % 8}", f"CODE_{i:03}", dice.choice(CLASSES), dice.choice((0, 0, 0.2, 0.6, 0.9)), 1000)
        for i in range(CODES)
    ]
    for number in range(SESSIONS):
        session = Session(number)
        while len(session.events) < 2 * CALLS:
            if dice.random() < 0.55:
                session.call("tool0", f"tool0 list {dice.randrange(1000)}")
            else:
                fail(session, dice.choice(errors), dice)
        yield session.events


def fail(session: Session, error: Error, dice: random.Random) -> None:
    """Add a failure and up to three tries to get past it."""
    command, said = f"{error.tool} do{dice.randrange(4)} {dice.randrange(10**6)}", error.fields(dice.randrange(100))
    session.call(error.tool, command, said)
    for _ in range(dice.randrange(4)):
        if error.kind == "correctable" and dice.random() < 0.6:
            session.call(error.tool, f"{error.tool} fix {error.code}")
        session.now += int(error.wait_ms * dice.choice((0.3, 1.1, 1.1, 2, 4)) * 1_000_000)
        if dice.random() < error.success:
            session.call(error.tool, command)
            return
        session.call(error.tool, command, said)


def main() -> None:
    """Build the store and print what each model costs."""
    with TemporaryDirectory() as folder, open_store(Path(folder) / "recoup.duckdb", write=True) as connection:
        for events in sessions():
            raw.append_events(connection, events, is_new=True)
        models.rebuild(connection, Parameters())
        spent: dict[str, float] = {}
        for name in models.MODELS:
            begun = time.process_time()
            models.build_one(connection, name, Parameters())
            spent[name] = time.process_time() - begun
    for name, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"{seconds:7.3f} s {'*' if name in FITS else ' '} {name}")
    print(f"{sum(spent.values()):7.3f} s   all {len(spent)} models")
    print(f"{sum(seconds for name, seconds in spent.items() if name in FITS):7.3f} s * the statistics in Python")


if __name__ == "__main__":
    main()
