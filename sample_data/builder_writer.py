"""builder-bot: an agent behind a wrapper that logs every call with its envelope (`envelope_log`)."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field

from catalogue import Json, Reply
from world import CWD, between, run_time, stamp, with_meta


@dataclass(slots=True)
class BuilderSession:
    """One session of builder-bot; a record is stamped at the end of its call."""

    number: int
    now: float
    tool_version: str
    records: list[Json] = field(default_factory=list)
    turn: int = 0
    calls: int = 0
    is_stopped: bool = False

    def _add(self, **fields: object) -> None:
        start = {"ts": stamp(self.now), "session_id": f"bb-{self.number:02d}", "agent": "builder-bot"}
        self.records.append({**start, **fields})

    def _think(self) -> None:
        self.turn += 1
        self.now += between(1.0, 2.2, "think", "bb", self.number, self.turn)

    def _log(self, asked: Json, reply: Reply, took: float) -> None:
        self.calls += 1
        version = self.tool_version if "tool" in asked.get("argv", ())[:2] else None
        body = with_meta(reply.body, took, version)
        is_text = isinstance(body, str)
        output = {("stderr" if reply.exit_code else "stdout"): body} if is_text else {}
        self._add(
            turn=self.turn,
            call_id=f"bb-{self.number:02d}-{self.calls:03d}",
            **asked,
            cwd=CWD,
            exit_code=None if "tool" in asked else reply.exit_code,
            envelope=None if is_text else body,
            **output,
            duration_ms=round(took * 1000),
            **({} if version is None else {"tool_version": version}),
            model="builder-lm-2",
            tokens=round(between(180, 900, "tokens", "bb", self.number, self.calls)),
        )

    def task(self, words: str) -> None:
        """A pause; the queue that gives tasks leaves no record."""
        self.now += between(20, 90, "task", "bb", self.number, self.turn, words)

    def run(self, command: str, reply: Reply) -> None:
        """One record with the command's argv."""
        self.together([(command, reply)])

    def call(self, tool: str, arguments: Json, reply: Reply) -> None:
        """One record with the tool and its arguments; a server has no exit code."""
        self._think()
        took = run_time(reply, "bb", self.number, self.calls)
        self.now += took
        self._log({"tool": tool, "arguments": arguments}, reply, took)

    def together(self, calls: Sequence[tuple[str, Reply]]) -> None:
        """One record for each command, in the order they end, all of one turn."""
        self._think()
        started = self.now
        times = [run_time(reply, "bb", self.number, self.calls, place) for place, (_, reply) in enumerate(calls)]
        for took, (command, reply) in sorted(zip(times, calls, strict=True), key=lambda item: item[0]):
            self.now = started + took
            needs_shell = any(sign in command for sign in "|<>;&")
            self._log({"command": command} if needs_shell else {"argv": shlex.split(command)}, reply, took)

    def wait(self, seconds: float) -> None:
        """A pause without a record."""
        self.now += seconds + between(0.1, 0.6, "wait", "bb", self.number, self.turn)

    def done(self, words: str) -> None:
        """No record."""

    def hand_over(self, words: str) -> None:
        """A `handover` event."""
        self.now += 1.5
        self._add(event="handover", reason=words)

    def human(self, words: str) -> None:
        """A `human` event after some minutes."""
        self.now += between(180, 420, "human", "bb", self.number, self.turn)
        self._add(event="human", reason=words)

    def stop(self) -> None:
        """No `session_end` will be written."""
        self.is_stopped = True

    def finish(self) -> None:
        """Write the end marker where the session has one."""
        if not self.is_stopped:
            self.now += 3
            self._add(event="session_end", reason="completed")
