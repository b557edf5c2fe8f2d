"""LiveMCPBench results: a list of `{task_id, question, judge, response, messages}`; messages as OpenAI's API has them.

The agent has two tools: `route` finds MCP tools, `execute-tool` calls one, `{server_name, tool_name, params}`, which
is then the call's tool. A tool's answer is what Python prints of an MCP result, `meta=None content=[TextContent(...)]
isError=False`; its flag is `isError`. `Tool call timed out.` is the client's own. Source: the published runs.
"""

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from collectors.events import Record
from collectors.formats._chat import Function, Message, chat_events
from collectors.formats._documents import read_document
from collectors.formats._events import decoded
from collectors.formats._heads import fields
from collectors.formats._outcomes import ERROR, KILLED, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._runs import at, base_event, opening
from collectors.formats._skipped import count, counted

NAME = "livemcpbench"
TITLE = "LiveMCPBench results"
WHERE: tuple[str, ...] = ()
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times",
    "the failure of answers that are cut before their `isError`",
    "the agent's model, which only the file's name tells",
)

_EXECUTE = frozenset({"execute-tool", "execute_tool", "execute"})
_FLAG = re.compile(r"\bisError=(True|False)\s*\Z")
_TEXT = re.compile(r"TextContent\(type='text', text=('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")")
_MAX_TEXT = 200_000
_TIMED_OUT = "Tool call timed out"
_OUTCOMES = {"True": Outcome(ERROR, "isError"), "False": Outcome(OK)}


class Task(Struct, gc=False):
    """One task."""

    task_id: str | None = None
    question: str | None = None
    messages: list[Message] | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document is a list of tasks with `question`, `judge` or `response`, and `messages`."""
    seen = fields(head).keys()
    return {"[].task_id", "[].messages", "[].messages[].role"} <= seen and ("[].response" in seen or "[].judge" in seen)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of all tasks, one session each; a message is a record, numbered through the file."""
    return read_document(lines, path, list[Task], functools.partial(_records, path))


def _records(path: str, found: list[Task], flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    position = 0
    for task in found:
        messages = task.messages or []
        first = [(message.content, [call.id for call in message.tool_calls or ()]) for message in messages[1:4]]
        session = f"{task.task_id}:{opening(*first)}"
        base = base_event(NAME, path, session, agent_name="livemcpbench", flags=flags or None)
        names: Counter[str] = Counter()
        for message in messages:
            position += 1
            _unwrap(message)
            events = chat_events(at(base, position, turn_id=f"{session}/{position}"), message, _told, names)
            if not events:
                count(skipped, f"message:{message.role}")
            yield from events
    yield from counted(skipped)


def _unwrap(message: Message) -> None:
    """Put the MCP tool in the place of the one that executes it."""
    for call in message.tool_calls or ():
        function = call.function
        if not isinstance(function, Function) or function.name not in _EXECUTE:
            continue
        values = decoded(function.arguments) if isinstance(function.arguments, str) else function.arguments
        if isinstance(values, dict) and isinstance(values.get("tool_name"), str):
            server = values.get("server_name")
            name = f"{server}__{values['tool_name']}" if isinstance(server, str) else values["tool_name"]
            call.function = Function(name=name, arguments=values.get("params"))


def _told(text: str) -> tuple[str, Outcome | None]:
    if text.startswith(_TIMED_OUT):
        return text, Outcome(KILLED, TRANSPORT_TIMEOUT)
    flag = _FLAG.search(text[-40:])
    texts = [_unquoted(match[1]) for match in _TEXT.finditer(text[:_MAX_TEXT])] if text.startswith("meta=") else []
    return "\n".join(texts) or text, _OUTCOMES[flag[1]] if flag else None


def _unquoted(literal: str) -> str:
    try:
        return str(ast.literal_eval(literal))
    except (ValueError, SyntaxError):
        return literal[1:-1]
