"""Claude Code: an agent that leaves a transcript, where calls and results are records of their own (`claude_code`)."""

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from catalogue import Json, Reply
from world import CWD, between, digest, line, run_time, stamp, with_meta

MODEL = "claude-sonnet-4-5-20250929"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
)


@dataclass(slots=True)
class ClaudeSession:
    """One session of Claude Code, or of one of its sub-agents."""

    number: int
    now: float
    tool_version: str
    session_id: str
    agent_id: str | None = None
    """Set in the transcript of a sub-agent."""
    records: list[Json] = field(default_factory=list)
    children: list["ClaudeSession"] = field(default_factory=list)
    messages: int = 0
    parent: str | None = None

    def _key(self, *parts: object) -> tuple[object, ...]:
        return ("cc", self.number, self.agent_id, len(self.records), *parts)

    def _think(self) -> None:
        self.now += between(1.0, 2.2, *self._key("think"))

    def add(self, kind: str, **fields: object) -> str:
        """Append a record with the members every record carries; return its uuid."""
        own = str(uuid.UUID(bytes=digest(*self._key("uuid"))[:16], version=4))
        common: Json = {
            "parentUuid": self.parent,
            "isSidechain": self.agent_id is not None,
            "userType": "external",
            "cwd": CWD,
            "sessionId": self.session_id,
            "version": "2.1.40",
            "gitBranch": "main",
        }
        if self.agent_id:
            common["agentId"] = self.agent_id
        self.records.append({**common, "type": kind, **fields, "uuid": own, "timestamp": stamp(self.now)})
        self.parent = own
        return own

    def _assistant(self, blocks: Sequence[Json], stop_reason: str) -> list[str]:
        """Append one message as Claude Code does: a record for each block, all with the message's id."""
        self.messages += 1
        tag = digest(*self._key("message")).hex()[:20]
        uuids = []
        for block in blocks:
            usage = {
                "input_tokens": 1200 + 60 * self.messages,
                "cache_creation_input_tokens": 300,
                "cache_read_input_tokens": 9000,
                "output_tokens": round(between(40, 160, "tokens", tag)),
            }
            message: Json = {"id": f"msg_{tag}", "type": "message", "role": "assistant", "model": MODEL}
            message |= {"content": [block], "stop_reason": stop_reason, "stop_sequence": None, "usage": usage}
            uuids.append(self.add("assistant", message=message, requestId=f"req_{tag[:12]}"))
        return uuids

    def ask_for(self, name: str, *inputs: Json) -> list[tuple[str, str]]:
        """Append one message with a call of the tool `name` for each input; return (call id, record uuid) of each."""
        self._think()
        ids = [f"toolu_{digest(*self._key('call', place)).hex()[:24]}" for place in range(len(inputs))]
        blocks = [{"type": "tool_use", "id": i, "name": name, "input": x} for i, x in zip(ids, inputs, strict=True)]
        words = [] if self.messages else [{"type": "text", "text": "I start with a look around."}]
        return list(zip(ids, self._assistant([*words, *blocks], "tool_use")[len(words) :], strict=True))

    def answer_call(self, call: tuple[str, str], content: object, is_error: bool | None, result: object) -> None:
        """Append the record that holds the result of `call`; `is_error` None leaves the flag out."""
        block: Json = {"tool_use_id": call[0], "type": "tool_result", "content": content}
        if is_error is not None:
            block["is_error"] = is_error
        message = {"role": "user", "content": [block]}
        self.add("user", message=message, toolUseResult=result, sourceToolAssistantUUID=call[1])

    def fail_call(self, call: tuple[str, str], content: str) -> None:
        """Append a failing result with the text `content`."""
        self.answer_call(call, content, True, f"Error: {content}")

    def _bash_result(self, call: tuple[str, str], reply: Reply, took: float) -> None:
        body = with_meta(reply.body, took, self.tool_version)
        output = body if isinstance(body, str) else line(body)
        if reply.exit_code:
            self.fail_call(call, f"Exit code {reply.exit_code}\n{output}")
        else:
            shape = {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
            self.answer_call(call, output, False, shape)

    def task(self, words: str) -> None:
        """A prompt of the person."""
        self.now += between(20, 90, *self._key("task"))
        self.add("user", message={"role": "user", "content": words})

    def run(self, command: str, reply: Reply) -> None:
        """A call of Bash and its result."""
        self.together([(command, reply)])

    def call(self, tool: str, arguments: Json, reply: Reply) -> None:
        """A call of a server's tool and its result, without the flag where it succeeds."""
        asked = self.ask_for(tool, arguments)[0]
        took = run_time(reply, *self._key("took"))
        self.now += took
        body = with_meta(reply.body, took, None)
        output = body if isinstance(body, str) else line(body)
        if reply.exit_code:
            self.fail_call(asked, output)
        else:
            self.answer_call(asked, [{"type": "text", "text": output}], None, output)

    def together(self, calls: Sequence[tuple[str, Reply]]) -> None:
        """One message with a call of Bash for each command; results in the order they end."""
        inputs = [{"command": command, "description": f"Run {command.split()[0]}"} for command, _ in calls]
        asked = self.ask_for("Bash", *inputs)
        started = self.now
        replies = [reply for _, reply in calls]
        times = [run_time(reply, *self._key("took", place)) for place, reply in enumerate(replies)]
        for took, call, reply in sorted(zip(times, asked, replies, strict=True), key=lambda item: item[0]):
            self.now = started + took
            self._bash_result(call, reply, took)

    def wait(self, seconds: float) -> None:
        """A call of Bash that sleeps."""
        self.run(f"sleep {seconds:g}", Reply(0, "", seconds + 0.02))

    def say(self, words: str) -> None:
        """End the turn with `words`."""
        self._think()
        self._assistant([{"type": "text", "text": words}], "end_turn")

    def done(self, words: str) -> None:
        """The final answer of a turn."""
        self.say(words)

    def hand_over(self, words: str) -> None:
        """A final answer that names the error."""
        self.say(words)

    def human(self, words: str) -> None:
        """A prompt of the person after some minutes."""
        self.now += between(180, 420, *self._key("human"))
        self.add("user", message={"role": "user", "content": words})

    def stop(self) -> None:
        """Nothing: a transcript has no end marker."""

    def delegate(self, prompt: str, work: Callable[["ClaudeSession"], None]) -> None:
        """Let a sub-agent do `work` in a transcript of its own, within one call of the tool `Task`."""
        given = {"description": prompt, "prompt": prompt, "subagent_type": "general-purpose"}
        asked = self.ask_for("Task", given)[0]
        child = ClaudeSession(self.number, self.now + 0.3, self.tool_version, self.session_id, f"a{self.number:07x}")
        child.add("user", message={"role": "user", "content": prompt})
        work(child)
        took, self.now = child.now + 0.2 - self.now, child.now + 0.2
        content = [{"type": "text", "text": "The canary is deployed."}]
        result: Json = {"status": "completed", "agentId": child.agent_id, "content": content}
        result |= {"totalDurationMs": round(took * 1000), "totalTokens": 11_400, "totalToolUseCount": 3}
        self.answer_call(asked, content, None, result)
        self.children.append(child)
