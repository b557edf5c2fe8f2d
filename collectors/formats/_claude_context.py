"""What every event of a Claude Code record shares: where it was read, who spoke and when."""

from collections import Counter
from dataclasses import dataclass

from msgspec.structs import replace

from collectors import times
from collectors.conventions import TURN
from collectors.events import Event
from collectors.formats._claude_records import UNSTATED, Line
from collectors.formats._results import content_id, digest

NAME = "claude_code"
AGENT = "claude-code"
MAIN = "main"
COPIED = "copied"
"""Flag: the record is a copy of one in another session or thread, and says so."""

NO_ID = ("no_call_id",)
"""Flags of a call or result whose id was made from its content."""
COMPACTION_AGENT = "acompact-"
_NOTHING = (b"", b"null")


@dataclass(frozen=True, slots=True)
class File:
    """What is known of the file while it is read."""

    path: str
    stem: str
    roots: dict[str, str]
    """First record of the thread that an inline sidechain record belongs to, by record uuid."""
    skipped: Counter[str]


def base_event(line: Line, file: File, position: int, flags: tuple[str, ...]) -> Event:
    """Return an event of no kind yet, with what all events of one record have in common."""
    nano = times.usual_nano(line.timestamp)
    if nano is None:
        nano, flag = times.parse(line.timestamp)
        flags = (*flags, flag) if flag is not None else flags
    agent = line.agent_id
    if agent is not None or line.request_session_id is not None or line.forked_from is not UNSTATED:
        flags = (*flags, COPIED) if _is_copy(line) else flags
    return Event(
        event_name="",
        uid="",
        session_id=line.session_id or file.stem,
        time_unix_nano=nano,
        format=NAME,
        path=file.path,
        position=position,
        actor_id=agent or (_thread(line, file) if line.is_sidechain else MAIN),
        agent_name=AGENT,
        agent_version=line.version,
        flags=flags or None,
    )


def call_id(stated: str | None, raw: bytes, index: int) -> str:
    """Return the tool-use id, else an id of the line's content and the block's place in it."""
    return stated or f"{content_id(raw)}:{index}"


def turn(
    kind: str,
    line: Line,
    base: Event,
    text: str,
    *,
    reason: str | None = None,
    mentions: tuple[str, ...] | None = None,
    is_question: bool | None = None,
    attributes: str | None = None,
) -> Event:
    """Return a turn of the kind; its text only tells it from others and is not kept.

    The record's own uuid would not do as uid: a resumed session repeats its history under fresh
    uuids. The message id, else the exact time, with the text tells a repetition from a second
    message, and the session keeps apart what two sessions have in common.
    """
    said = (line.message.id if line.message else None) or line.timestamp or line.uuid
    uid = f"t:{kind}:{base.session_id}:{digest(f'{said}|{text}'.encode('utf-8', 'replace'))}"
    return replace(
        base,
        event_name=TURN,
        uid=uid,
        turn_kind=kind,
        reason=reason,
        mentions=mentions,
        is_question=is_question,
        attributes=attributes,
    )


def _thread(line: Line, file: File) -> str:
    """Return the thread of an inline sidechain record, named after its first record."""
    parent = line.parent_uuid
    root = (file.roots.get(parent, parent) if parent else line.uuid) or ""
    if line.uuid:
        file.roots[line.uuid] = root
    return f"sidechain:{root}"


def _is_copy(line: Line) -> bool:
    return (
        (line.request_session_id is not None and line.request_session_id != line.session_id)
        or (line.agent_id is not None and line.agent_id.startswith(COMPACTION_AGENT))
        or bytes(line.forked_from) not in _NOTHING
    )
