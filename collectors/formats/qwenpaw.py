"""QwenPaw sessions: one document, `agent.memory.content` a list of pairs `[message, marks]`.

A message is `{id, name, role, content, timestamp}`. A call is a part `tool_use` (`id`, `name`, `input`, and as it was
written `raw_input`) of an assistant's message, its result a part `tool_result` with the same `id` (`output`) of a
message with the role `system`. The shell is called `execute_shell_command`. Times are local and name no zone. The
document names no session: it is called by its file and by how it began. Source: sessions as fixtures of public readers,
and such a reader.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._documents import read_document
from collectors.formats._events import shell_call
from collectors.formats._heads import fields
from collectors.formats._lines import fit
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, call_of, opening, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "qwenpaw"
TITLE = "QwenPaw session"
WHERE: tuple[str, ...] = ("~/.qwenpaw/workspaces/*/sessions/**/*.json",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the time zone",
    "whether a call failed, beyond its words and its envelope",
    "exit codes, tokens, the model and the directory",
)

NO_ID = "no_call_id"
_SHELL = "execute_shell_command"


class Message(Struct, gc=False):
    """What was said."""

    id: str | None = None
    role: str | None = None
    content: Any = None
    timestamp: str | int | float | None = None


class Memory(Struct, gc=False):
    """What the agent remembers."""

    content: list[Any] | None = None


class Agent(Struct, gc=False):
    """The agent of the session."""

    name: str | None = None
    memory: Memory | None = None


class Document(Struct, gc=False):
    """One session."""

    agent: Agent | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document has an `agent` with a memory: of messages, or an empty one beside a toolkit."""
    seen = fields(head).keys()
    if "agent.memory.content" not in seen:
        return False
    return {"agent.memory.content[][].role", "agent.memory.content[][].content"} <= seen or "agent.toolkit" in seen


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a session; a message is a record."""
    return read_document(lines, path, Document, functools.partial(_records, path))


def _records(path: str, found: Document, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    agent = found.agent or Agent()
    messages = [_message(entry) for entry in (agent.memory or Memory()).content or ()]
    first = [(message.id, message.timestamp) for message in messages[:1] if message is not None]
    session = f"{PurePath(path).stem}:{opening(*first)}"
    base = base_event(NAME, path, session, agent_name=agent.name or "QwenPaw", flags=flags or None)
    for position, message in enumerate(messages, 1):
        events: list[Event] = []
        if message is not None:
            key = message.id or str(position)
            events = _events(at(base, position, message.timestamp, turn_id=f"{session}/{key}"), message, key)
        if not events:
            count(skipped, "not_a_message" if message is None else f"message:{message.role}")
        yield from events
    yield from counted(skipped)


def _message(entry: object) -> Message | None:
    """Return the message of a pair, fields of other types left out."""
    value = entry[0] if isinstance(entry, list) and entry else None
    found: Message | None = fit(value, Message)[0] if isinstance(value, dict) else None
    return found


def _events(here: Event, message: Message, key: str) -> list[Event]:
    content = message.content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    events = []
    for index, part in enumerate(parts):
        if part.get("type") == "tool_use":
            events.append(_call(_named(here, part, f"{key}.{index}"), part))
        elif part.get("type") == "tool_result":
            events.append(result_of(_named(here, part, f"{key}.{index}"), _printed(part.get("output"))))
    kind = {"user": "prompt", "assistant": "answer"}.get(message.role or "")
    if kind is None:
        return events
    text = text_of([part for part in parts if part.get("type") == "text"] if parts else content)
    return events + said(here, kind, text, key=key)


def _call(here: Event, part: dict[str, Any]) -> Event:
    name = part.get("name") if isinstance(part.get("name"), str) else ""
    values, written = part.get("input"), part.get("raw_input")
    command = values.get("command") if name == _SHELL and isinstance(values, dict) else None
    if isinstance(command, str):
        return shell_call(here, f"c:{here.session_id}/{here.call_id}", str(name), command, cwd=None)
    return call_of(here, str(name), written if isinstance(written, str) and written.strip() else values)


def _named(here: Event, part: dict[str, Any], place: str) -> Event:
    stated = part.get("id")
    if isinstance(stated, str) and stated:
        return replace(here, call_id=stated)
    return replace(here, call_id=place, flags=merged(here.flags, (NO_ID,)))


def _printed(output: object) -> str:
    text = text_of(output)
    return msgspec.json.encode(output).decode() if output and not text and isinstance(output, (dict, list)) else text
