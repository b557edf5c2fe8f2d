"""Logs of Claude Code's hooks, one payload a line: what a hook is given on its standard input, written down as it is.

`PreToolUse` is a call; `PostToolUse` is the result of one that succeeded and `PostToolUseFailure` of one that failed,
joined by `tool_use_id`. Payloads of 2025 have no such id and no failures: the call and its end are joined by what was
called, and by number where that repeats. Logging scripts wrap a payload in an object of their own (`raw_input`,
`payload`, ...), which may state the time; the payload does not. A file of an array is read by `claude_hooks_document`.
Source: real logs of 2025 and of 2.1.332.
"""

import functools
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec

from collectors.events import Record
from collectors.formats._claude_hooks import Log, payload_events
from collectors.formats._hook_payloads import DECODER, Payload, kind_of, unwrapped
from collectors.formats._lines import complete, read_lines
from collectors.formats._skipped import count, counted

NAME = "claude_hooks"
TITLE = "Claude Code hook log"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "when anything happened, unless the logging script wrote it down",
    "calls that never reached a tool: wrong input, unknown tools, refused ones, edits of files not read",
    "failures, in payloads of 2025",
    "which calls were made together",
    "whether the hook itself blocked the call",
)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with payloads of hooks, one a line."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results and turns, rejects, and at the end what was skipped."""
    log = Log(NAME, path, PurePath(path).stem or path)
    yield from read_lines(lines, first_line, path, DECODER, functools.partial(_records, log))
    yield from counted(log.skipped)


def _records(log: Log, line: Payload | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    if line is None:
        count(log.skipped, "not_an_object")
        return ()
    return payload_events(log, line, number, raw, flags)


def _is_own(line: bytes) -> bool:
    try:
        record = unwrapped(DECODER.decode(line))
    except (msgspec.DecodeError, RecursionError):
        return False
    return record.session_id is not None and record.hook_event_name is not None and kind_of(record) is not None
