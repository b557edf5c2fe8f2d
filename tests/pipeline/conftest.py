"""Stores of hand-made events, for tests of what stands on the models."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import duckdb
import pytest

from collectors.events import Event
from pipeline import models, raw, store
from pipeline.parameters import Parameters

SECOND = 1_000_000_000
MONDAY = 1_767_600_000 * SECOND
"""2026-01-05 08:00 UTC."""


class Session:
    """One agent's session, told call by call; a clock moves as it is told."""

    def __init__(self, events: list[Event], name: str, agent: str, start_ns: int) -> None:
        self.events, self.name, self.agent, self.now, self.count = events, name, agent, start_ns, 0

    def wait(self, seconds: float) -> "Session":
        """Let time pass."""
        self.now += int(seconds * SECOND)
        return self

    def ok(self, command: str, **result: Any) -> "Session":
        """Tell of a call that worked."""
        return self._call(command, {"status": "ok", "signalled_ok": True, "exit_code": 0, "envelope_ok": True} | result)

    def fail(self, command: str, code: str | None = None, **result: Any) -> "Session":
        """Tell of a call that failed; with a code, through an envelope with the given fields."""
        told: dict[str, Any] = {"status": "error", "signalled_ok": False, "exit_code": 1, "tokens": 100}
        if code is not None:
            told |= {"envelope_ok": False, "dialect": "spec", "error_code": code, "code_source": "envelope"}
            told["message"] = code.lower().replace("_", " ")
        if "fix_command" in result:
            told |= {"fix_source": "fix_command", "fix_key": _argv_key(result["fix_command"])}
        return self._call(command, told | result)

    def say(self, kind: str = "answer", *, mentions: tuple[str, ...] = ()) -> "Session":
        """Tell of a message: a prompt, an answer, a hand-over."""
        self.count += 1
        self.wait(1)
        self.events.append(
            Event(
                event_name="recoup.turn",
                uid=f"t:{self.name}-{self.count}",
                session_id=self.name,
                time_unix_nano=self.now,
                turn_kind=kind,
                mentions=mentions or None,
                **self._place(),
            )
        )
        return self

    def end(self) -> "Session":
        """Tell that the session ended."""
        self.count += 1
        self.wait(1)
        self.events.append(
            Event(
                event_name="recoup.session_end",
                uid=f"e:{self.name}-{self.count}",
                session_id=self.name,
                time_unix_nano=self.now,
                **self._place(),
            )
        )
        return self

    def _call(self, command: str, result: dict[str, Any]) -> "Session":
        self.count += 1
        key = f"{self.name}-{self.count:04}"
        shared: dict[str, Any] = {"session_id": self.name, "call_id": key, **self._place()}
        program, *rest = command.split(" ") if " " in command else (command, "run")
        call: dict[str, Any] = {
            "tool_name": "Bash",
            "program": program,
            "operation": result.pop("operation", rest[0]),
            "target": json.dumps(rest[1:]),
            "command": command,
            "exact_key": f"e1:{command}",
            "invocation_key": f"i1:{command}",
            "operation_key": f"o1:{command}",
            "argv_key": _argv_key(command),
            "status_owner": "own",
            "is_context_known": True,
            "turn_id": key,
        }
        call |= {name: result.pop(name) for name in tuple(result) if name in call}
        self.wait(1)
        self.events.append(Event(event_name="recoup.call", uid=f"c:{key}", time_unix_nano=self.now, **shared, **call))
        self.wait(result.get("duration_ms", 500) / 1000)
        told: dict[str, Any] = {"duration_ms": 500} | result
        self.events.append(Event(event_name="recoup.result", uid=f"r:{key}", time_unix_nano=self.now, **shared, **told))
        return self

    def _place(self) -> dict[str, Any]:
        return {
            "format": "made_up",
            "path": f"logs/{self.name}.jsonl",
            "position": self.count,
            "agent_name": self.agent,
            "actor_id": "main",
        }


def _argv_key(command: str) -> str:
    return "a1:" + " ".join(command.split())


class World:
    """Sessions being told, one hour apart, and the store they end in."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.connection, self.events, self.count = connection, [], 0

    def session(self, agent: str = "ada") -> Session:
        """Begin another session."""
        self.count += 1
        return Session(self.events, f"s{self.count:03}", agent, MONDAY + self.count * 3600 * SECOND)

    def build(self, parameters: Parameters | None = None) -> duckdb.DuckDBPyConnection:
        """Return the connection to a store that holds what was told, with its models built."""
        raw.append_events(self.connection, self.events)
        models.rebuild(self.connection, parameters or Parameters())
        self.connection.execute("commit; begin;")
        return self.connection

    def quota(self, count: int = 24) -> None:
        """Tell of sessions in which one fair reissue of an error that calls itself retryable fails."""
        declared = {"retryable": True, "retry_after_ms": 2000, "exit_code": 11}
        for _ in range(count):
            session = self.session().fail("tool report", "QUOTA_EXHAUSTED", **declared).wait(3)
            session.fail("tool report", "QUOTA_EXHAUSTED", **declared).ok("tool status").end()

    def loops(self, code: str = "CONFIG_STALE", *, closed: int = 0, failed: int = 0) -> None:
        """Tell of sessions in which the fix of a code runs and clears it, or does not."""
        declared = {"retryable": False, "fix_required": "Sync", "fix_command": "tool config sync", "exit_code": 4}
        for number in range(closed + failed):
            session = self.session().fail("tool deploy", code, **declared).ok("tool config sync")
            if number < closed:
                session.ok("tool deploy").end()
            else:
                session.fail("tool deploy", code, **declared).ok("tool status").end()


@pytest.fixture(scope="session")
def make_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], World]]:
    """A function that returns an empty world over a real store; building its models is what costs time."""
    with ExitStack() as stack:

        def make() -> World:
            path = tmp_path_factory.mktemp("world") / "recoup.duckdb"
            connection = stack.enter_context(store.open_store(path, write=True))
            connection.execute("set threads = 1")
            return World(connection)

        yield make


@pytest.fixture
def world(make_world: Callable[[], World]) -> World:
    """An empty world."""
    return make_world()


@pytest.fixture(scope="session")
def void(make_world: Callable[[], World]) -> World:
    """A world without events, built; it is shared and not to be changed."""
    world = make_world()
    world.build()
    return world


@pytest.fixture(scope="session")
def busy(make_world: Callable[[], World]) -> World:
    """A little of everything, by two agents and of three tools, built; it is shared and not to be changed."""
    world = make_world()
    world.quota()
    world.loops(closed=5, failed=3)
    for _ in range(3):
        lie = {"retryable": False, "signalled_ok": True, "exit_code": 0}
        world.session().fail("tool status", "STATUS_UNREADABLE", **lie).end()
    for agent in ("ada", "bob", "ada", "bob", "ada", "bob"):
        session = world.session(agent)
        session.fail("tool promote", "PERMISSION_DENIED", retryable=False, exit_code=7).wait(20).ok("tool promote")
        session.fail("make test", message="2 tests failed", fingerprint="f1:2d1c").ok("make test").end()
    told = {"status": None, "exit_code": 0, "signalled_ok": True, "envelope_ok": None, "status_owner": "masked"}
    world.session().ok("tool docs check", **told, looks_failed=True).ok("tool status", status="refused").end()
    world.build()
    return world
