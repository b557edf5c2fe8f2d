"""Chats of Gemini CLI with one record a line, as newer versions write them.

The first line names the session; a message is written again, whole, whenever it changed (an upsert by `id`), and
`{"$set": ...}` changes the chat, its messages among it. Messages are those of `gemini_chat`: what is written twice has
one name. User messages that only hand answers to the model repeat what the calls hold.

Source: real chats of 0.4 to 0.61.
"""

import functools
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec

from collectors.events import Event, Record
from collectors.formats._gemini_calls import Part
from collectors.formats._gemini_messages import Chat, Message, Tokens, ToolCall, message_events
from collectors.formats._lines import complete, read_lines
from collectors.formats._skipped import count, counted

NAME = "gemini_chat_lines"
TITLE = "Gemini CLI chat (JSON lines)"
WHERE: tuple[str, ...] = ("~/.gemini/tmp/*/chats/*.jsonl", "~/.gemini/tmp/*/chats/*/*.jsonl")
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "exit codes of shells that ended with 0",
    "the working directory",
    "when a call began, otherwise than by its message",
)


class Patch(msgspec.Struct, gc=False):
    """What `$set` changes."""

    messages: list[Message] | None = None


class Line(msgspec.Struct, gc=False, rename="camel"):
    """A header, a message, or a change."""

    session_id: str | None = None
    project_hash: str | None = None
    kind: str | None = None
    change: Patch | None = msgspec.field(default=None, name="$set")
    rewind: str | None = msgspec.field(default=None, name="$rewindTo")
    uuid: str | None = None
    id: str | None = None
    timestamp: str | int | float | None = None
    type: str | None = None
    content: str | list[Part | str] | Part | None = None
    parts: list[Part | str] | None = None
    tool_calls: list[ToolCall] | None = None
    model: str | None = None
    tokens: Tokens | None = None


_DECODER = msgspec.json.Decoder(Line)
_TYPES = frozenset({"user", "gemini", "info", "error", "warning"})


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with a chat's header, or with messages and changes of one."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results and turns, rejects, and at the end what was skipped."""
    chat = Chat(NAME, path, PurePath(path).stem or path)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, chat))
    yield from counted(chat.skipped)


def _records(chat: Chat, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    if line is None:
        count(chat.skipped, "not_an_object")
        return ()
    events: list[Event] = []
    if line.change is not None:
        events = [event for each in line.change.messages or () for event in message_events(chat, each, number, flags)]
    elif line.id is not None or line.type is not None:
        events = message_events(chat, _message(line), number, flags)
    elif line.session_id is not None:
        chat.session = line.session_id
        chat.actor = "subagent" if line.kind == "subagent" else "main"
    if not events:
        named = "$set" if line.change is not None else "$rewindTo" if line.rewind else "header"
        count(chat.skipped, line.type or named)
    return events


def _message(line: Line) -> Message:
    return Message(
        id=line.id,
        timestamp=line.timestamp,
        type=line.type,
        content=line.content,
        parts=line.parts,
        tool_calls=line.tool_calls,
        model=line.model,
        tokens=line.tokens,
    )


def _is_own(line: bytes) -> bool:
    try:
        record = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if record.uuid is not None:
        return False
    if record.session_id is not None:
        return record.project_hash is not None and record.type is None and b'"messages"' not in line
    return record.id is not None and record.timestamp is not None and record.type == "gemini"
