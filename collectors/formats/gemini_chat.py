"""Chats of Gemini CLI that are one JSON document: `{sessionId, startTime, messages}`, and bare histories.

A call is an entry of a model message's `toolCalls`, which holds the result as well: what the model reads in
`result[].functionResponse.response`, a status, and the time of the end. A shell has the status `success` whatever its
exit code was; the code is a line of the output. A history (`{history}`, or a list of `{role, parts}`) has calls and
answers as parts of the Gemini API, without times and without status. Source: real chats of 2025 and 2026.
"""

import functools
from collections.abc import Iterable, Iterator

import msgspec

from collectors.events import Record
from collectors.formats._documents import read_document
from collectors.formats._gemini_messages import Chat, Content, Message, content_events, message_events
from collectors.formats._heads import fields
from collectors.formats._skipped import count, counted

NAME = "gemini_chat"
TITLE = "Gemini CLI chat (JSON)"
WHERE: tuple[str, ...] = ("~/.gemini/tmp/*/chats/*.json", "~/.gemini/tmp/*/checkpoint*.json")
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "exit codes of shells that printed none: newer versions state no 0",
    "the working directory",
    "when a call began, otherwise than by its message",
    "anything about times, and who refused what, in bare histories",
)


class Document(msgspec.Struct, rename="camel"):
    """A chat."""

    session_id: str | None = None
    kind: str | None = None
    messages: list[Message] | None = None
    history: list[Content] | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts as a chat or a history does."""
    seen = fields(head).keys()
    if {"sessionId", "projectHash"} <= seen:
        return "messages" in seen and "uuid" not in seen
    if {"messages[].id", "messages[].type", "sessionId"} <= seen:
        return "projectHash" in seen or any(name.startswith("messages[].toolCalls[].") for name in seen)
    return any({f"{place}.role", f"{place}.parts"} <= seen for place in ("history[]", "[]"))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results and turns; positions are those of messages."""
    chat = Chat(NAME, path, path)
    yield from read_document(lines, path, Document | list[Content], functools.partial(_records, chat))
    yield from counted(chat.skipped)


def _records(chat: Chat, document: Document | list[Content], flags: tuple[str, ...]) -> Iterator[Record]:
    if isinstance(document, Document):
        chat.session = document.session_id or chat.path
        chat.actor = "subagent" if document.kind == "subagent" else "main"
        for position, message in enumerate(document.messages or (), 1):
            events = message_events(chat, message, position, flags)
            if not events:
                count(chat.skipped, message.type or "untyped")
            yield from events
    contents = document if isinstance(document, list) else document.history or []
    for position, content in enumerate(contents, 1):
        found = content_events(chat, content, position, flags)
        if not found:
            count(chat.skipped, content.role or "untyped")
        yield from found
