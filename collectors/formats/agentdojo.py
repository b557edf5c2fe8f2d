"""AgentDojo traces: one document a task, `{suite_name, pipeline_name, user_task_id, injection_task_id, messages, ...}`.

A call is an entry of an assistant's `tool_calls`, `{function, args, id}`; its result is the message with the role
`tool`, which repeats the call in `tool_call`. A failed call has an empty text and a string in `error`, `ValueError:
...`. Calls without ids are joined by their order. Source: the benchmark's public source and published runs.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._chat import ToolCall, calls_of, numbered
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._outcomes import ERROR, NOT_RUN, OK, Outcome
from collectors.formats._runs import at, base_event, opening, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "agentdojo"
TITLE = "AgentDojo trace"
WHERE: tuple[str, ...] = ("runs/*/*/*/*/*.json",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times of calls; only how long the whole task took",
    "exit codes: its tools are functions",
)

_NOT_RUN = ("ValidationError:", "ToolNotFoundError:")


class Message(Struct, gc=False):
    """One message."""

    role: str | None = None
    content: Any = None
    tool_calls: list[ToolCall] | None = None
    tool_call: ToolCall | None = None
    tool_call_id: str | None = None
    error: str | None = None


class Document(Struct, gc=False):
    """One task."""

    suite_name: str | None = None
    pipeline_name: str | None = None
    user_task_id: str | None = None
    injection_task_id: str | None = None
    attack_type: str | None = None
    messages: list[Message] | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document names a suite, a pipeline and a user task."""
    return {"suite_name", "pipeline_name", "user_task_id"} <= fields(head).keys()


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a task; a message is a record."""
    return read_document(lines, path, Document, functools.partial(_records, path))


def _records(path: str, found: Document, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    messages = found.messages or []
    named = (found.suite_name, found.pipeline_name, found.user_task_id, found.injection_task_id, found.attack_type)
    first = [(message.content, [call.id for call in message.tool_calls or ()]) for message in messages[1:4]]
    session = f"{found.suite_name}.{found.user_task_id}:{opening(named, first)}"
    base = base_event(NAME, path, session, agent_name="agentdojo", model=found.pipeline_name, flags=flags or None)
    names: Counter[str] = Counter()
    waiting: list[str] = []
    for position, message in enumerate(messages, 1):
        here = at(base, position, turn_id=f"{session}/{position}")
        events = _message(here, message, names, waiting)
        if not events:
            count(skipped, f"message:{message.role}")
        yield from events
    yield from counted(skipped)


def _message(here: Event, message: Message, names: Counter[str], waiting: list[str]) -> list[Event]:
    text = text_of(_plain(message.content))
    if message.role == "user":
        return said(here, "prompt", text)
    if message.role == "assistant":
        calls = calls_of(here, message.tool_calls, names)
        waiting[:] = [call.call_id or "" for call in calls]
        return calls + said(here, "answer", text)
    if message.role != "tool":
        return []
    stated = message.tool_call_id or (message.tool_call.id if message.tool_call else None)
    oldest = waiting.pop(0) if waiting else str(here.position)
    call_id = numbered(names, stated, is_call=False) if stated else oldest
    return [result_of(replace(here, call_id=call_id), message.error or text, _outcome(message.error))]


def _plain(content: object) -> object:
    """Return the content with its parts, `{type, content}`, as texts."""
    if not isinstance(content, list):
        return content
    return [
        part["content"] if isinstance(part, dict) and isinstance(part.get("content"), str) else part for part in content
    ]


def _outcome(error: str | None) -> Outcome:
    if not error:
        return Outcome(OK)
    return Outcome(NOT_RUN, "invalid_input") if error.startswith(_NOT_RUN) else Outcome(ERROR, "error")
