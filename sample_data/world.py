"""The made-up world: its seed, its clock, and what a story needs of an agent."""

import hashlib
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Protocol

from catalogue import Json, Reply

SEED = "recoup sample world 1"
CWD = "/srv/demo/shop"


def digest(*parts: object) -> bytes:
    """Return 32 bytes that depend on `parts` and the seed only: every made-up id and duration comes from here."""
    return hashlib.sha256("|".join([SEED, *map(str, parts)]).encode()).digest()


def between(low: float, high: float, *parts: object) -> float:
    """Return a number in [low, high], to the millisecond."""
    share = int.from_bytes(digest(*parts)[:4], "big") / 0xFFFFFFFF
    return round(low + (high - low) * share, 3)


def stamp(seconds: float) -> str:
    """Return `seconds` since the Unix epoch as ISO 8601 with milliseconds and Z."""
    moment = datetime.fromtimestamp(round(seconds * 1000) / 1000, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def line(record: Json) -> str:
    """Return `record` as one compact line."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def run_time(reply: Reply, *parts: object) -> float:
    """Return the seconds a call takes."""
    return between(0.15, 1.9, "run", *parts) if reply.seconds is None else reply.seconds


def with_meta(body: Json | str, seconds: float, version: str | None) -> Json | str:
    """Return an envelope with its `meta` filled in; any other body unchanged."""
    if isinstance(body, str) or "meta" not in body:
        return body
    meta: Json = {"duration_ms": round(seconds * 1000)} | ({} if version is None else {"tool_version": version})
    return {**body, "meta": meta}


class Session(Protocol):
    """What a story needs of an agent, whichever records the agent leaves."""

    number: int
    tool_version: str

    def task(self, words: str) -> None:
        """A person (or a queue) gives the next task."""

    def run(self, command: str, reply: Reply) -> None:
        """The agent thinks, then runs `command`."""

    def call(self, tool: str, arguments: Json, reply: Reply) -> None:
        """The agent thinks, then calls a server's tool."""

    def together(self, calls: Sequence[tuple[str, Reply]]) -> None:
        """The agent runs several commands in one turn."""

    def wait(self, seconds: float) -> None:
        """The agent waits as an error told it to."""

    def done(self, words: str) -> None:
        """The agent ends the task without naming an error."""

    def hand_over(self, words: str) -> None:
        """The agent ends the task by handing the error to a person."""

    def human(self, words: str) -> None:
        """A person steps in after some minutes."""

    def stop(self) -> None:
        """The log ends here, without an end marker."""
