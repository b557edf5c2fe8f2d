"""Claude Code transcripts: one JSON object a line, versions 1.0 to 2.1.

A call is a `tool_use` block of a record of type `assistant`; its result is a `tool_result` block of
a later record of type `user`, joined by the tool-use id, with what the harness knows beside it in
`toolUseResult`. One API message is several lines that share `message.id` and repeat its usage.

Sub-agents: inline records with `isSidechain` (1.0, no id: the thread is followed to its first
record), a file `agent-<id>.jsonl` beside the session (2.0) or below `<session>/subagents/` (2.1);
their `sessionId` is the parent's and `agentId` is the actor. History that was copied keeps its
tool-use ids, which are unique everywhere, so copies join by `uid`; a record tells that it is a copy
by `forkedFrom`, by a `requestSessionId` that is another session, or by an `agentId` of a compaction.

Records of the types `progress` and `api-request-blob` repeat real records and are skipped with all
other types that hold no call. Source: real transcripts; the texts of the harness are in `_claude_outcome`.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec

from collectors.events import Record
from collectors.formats._claude_calls import assistant_events
from collectors.formats._claude_context import NAME, File, base_event
from collectors.formats._claude_records import DECODER, Line
from collectors.formats._claude_users import attachment_events, queue_events, system_events, user_events
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._skipped import count, counted

__all__ = ["CANNOT_TELL", "NAME", "RESUMABLE", "TITLE", "UNIT", "WHERE", "looks_like", "read"]

TITLE = "Claude Code transcript"
WHERE: tuple[str, ...] = ("~/.claude/projects/**/*.jsonl",)
UNIT = "line"
RESUMABLE = True
CANNOT_TELL: tuple[str, ...] = (
    "exit codes of successful calls, and of any call before 2.0.37",
    "whether a refused call was declined or interrupted",
    "a hook's block of a shell call whose text does not say so",
    "when a call began to run after it had waited for permission",
    "the duration of a call otherwise than as the time between two records",
)

_HANDLERS = {
    "assistant": assistant_events,
    "user": user_events,
    "system": system_events,
    "queue-operation": queue_events,
    "attachment": attachment_events,
}
_SPEAKERS = frozenset({"assistant", "user"})
_ONLY_HERE = frozenset(
    {
        "file-history-snapshot",
        "progress",
        "queue-operation",
        "last-prompt",
        "permission-mode",
        "agent-name",
        "custom-title",
        "ai-title",
    }
)
_SIGNS = (b'"sessionId":', b'"isSidechain":')


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts as a transcript does; a qwen-code chat has the same names but other messages."""
    lines = complete(head)
    if any(_is_own(line) for line in lines):
        return True
    # the first line may be longer than the head
    return len(lines) == 1 and all(sign in lines[0] for sign in _SIGNS) and b'"parts":' not in lines[0]


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a transcript, a reject for each line that cannot be read, and at the end what was skipped."""
    file = File(path, PurePath(path).stem, {}, Counter())
    yield from read_lines(lines, first_line, path, DECODER, functools.partial(_records, file))
    yield from counted(file.skipped)


def _records(file: File, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    kind = "not_an_object" if line is None else line.type or "untyped"
    handler = _HANDLERS.get(kind)
    if line is not None and handler is not None:
        if line.message is None and kind in _SPEAKERS:
            return [rejected(file.path, number, raw, "missing_field")]
        events = handler(line, base_event(line, file, number, flags), raw)
        if events:
            return events
    count(file.skipped, kind)
    return ()


def _is_own(line: bytes) -> bool:
    try:
        record = DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if record.type in _SPEAKERS:
        return record.session_id is not None and record.message is not None and record.message.content is not None
    return record.type in _ONLY_HERE or (record.type == "summary" and b'"leafUuid"' in line)
