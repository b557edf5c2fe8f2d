"""OpenCode sessions: the document of `opencode export`, or one file of its storage: a session, a message, a part.

A call is a part of type `tool` with its state in it: input, output or error, times in milliseconds. A command that
failed has the status `completed`, and its code is in `state.metadata.exit`; a tool that does not exist is called
`invalid`, also `completed`. Names of records are unique, so an export, the event lines of a run and the files of the
storage join. Source: an export of 1.18 and storage files of 1.3.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._opencode import Failure, Info, Part, Span, Tokens, failure_events, part_events
from collectors.formats._runs import at, base_event
from collectors.formats._skipped import count, counted

NAME = "opencode"
TITLE = "OpenCode export and storage"
WHERE: tuple[str, ...] = ("~/.local/share/opencode/storage/**/*.json",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "which session started that of a sub-agent",
    "how long a call waited for permission",
    "in one file of the storage: who said a text, and the directory",
)


# whether a stored text is a person's stands in another file
_TELLING = frozenset({"tool", "compaction"})


class Message(Struct, gc=False):
    """A message with its parts."""

    info: Info | None = None
    parts: list[Part] | None = None


class Document(Part, gc=False):
    """An export, or any file of the storage: they have few names in common."""

    info: Info | None = None
    messages: list[Message] | None = None
    role: str | None = None
    error: Failure | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document is an export with `info` and `messages`, or names a session as the storage does."""
    seen = fields(head)
    if "info.id" in seen and ("info.projectID" in seen or "messages[].info.sessionID" in seen):
        return True
    if "id" in seen and "part" not in seen and ("messageID" in seen or "sessionID" in seen or "message_id" in seen):
        return "type" in seen or "role" in seen
    if seen.get("id", "").startswith(("prt_", "p_")) and "type" in seen:
        return True
    return {"id", "projectID", "directory", "time.created"} <= seen.keys()


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a session; a part is a record, and so is a message that ended early."""
    return read_document(lines, path, Document, functools.partial(_records, path))


def _records(path: str, found: Document, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    if found.messages is None and found.info is None:
        yield from _stored(found, path, flags, skipped)
    else:
        yield from _exported(found, path, flags, skipped)
    yield from counted(skipped)


def _exported(found: Document, path: str, flags: tuple[str, ...], skipped: Counter[str]) -> Iterator[Event]:
    session = found.info or Info()
    own = session.id or next((m.info.session_id for m in found.messages or () if m.info and m.info.session_id), None)
    base = base_event(
        NAME, path, own or "unnamed", agent_name="opencode", agent_version=session.version, flags=flags or None
    )
    position = 0
    for message in found.messages or ():
        info = message.info or Info()
        here = _of_message(base, info)
        for part in message.parts or ():
            position += 1
            events = part_events(
                here, replace(part, message_id=info.id), info.role, position=position, cwd=session.directory
            )
            if not events:
                count(skipped, f"part:{part.type}")
            yield from events
        if info.error is not None:
            position += 1
            span = info.time or Span()
            yield from failure_events(here, info.error, position=position, time=span.completed or span.created)


def _stored(found: Document, path: str, flags: tuple[str, ...], skipped: Counter[str]) -> Iterator[Event]:
    base = base_event(NAME, path, found.session_id or found.id or "unnamed", agent_name="opencode", flags=flags or None)
    events = part_events(base, found, None, position=1, cwd=None) if found.type in _TELLING else []
    events += failure_events(base, found.error, position=1, time=found.time and found.time.created)
    if not events:
        count(skipped, f"part:{found.type}" if found.type else f"message:{found.role}" if found.role else "session")
    yield from events


def _of_message(base: Event, info: Info) -> Event:
    usage = info.tokens or Tokens()
    span = info.time or Span()
    is_agent = info.role == "assistant"
    return at(
        base,
        1,
        span.created,
        turn_id=info.id,
        model=info.model_id,
        input_tokens=_whole(usage.input) if is_agent else None,
        output_tokens=_whole(usage.output) if is_agent else None,
    )


def _whole(value: int | None) -> int | None:
    return value if value is not None and 0 <= value < 2**61 else None
