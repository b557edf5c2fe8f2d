"""Logs of Claude Code's hooks that are one JSON array of payloads, as logging scripts keep them.

What a payload says is told in `claude_hooks`. Source: real logs of 2025.
"""

import functools
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec

from collectors.events import Record
from collectors.formats._claude_hooks import Log, payload_events
from collectors.formats._documents import decoded, read_document
from collectors.formats._heads import fields
from collectors.formats._hook_payloads import Payload
from collectors.formats._skipped import count, counted
from collectors.formats.claude_hooks import CANNOT_TELL

__all__ = ["CANNOT_TELL", "NAME", "RESUMABLE", "TITLE", "UNIT", "WHERE", "looks_like", "read"]

NAME = "claude_hooks_document"
TITLE = "Claude Code hook log (JSON array)"
WHERE: tuple[str, ...] = ()
UNIT = "document"
RESUMABLE = False

_SIGNS = ("", ".raw_input", ".hook_input", ".payload", ".data", ".input", ".event")


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts as an array of payloads does."""
    if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] != b"[":
        return False
    seen = fields(head)
    return any({f"[]{sign}.hook_event_name", f"[]{sign}.session_id"} <= seen.keys() for sign in _SIGNS)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls, results and turns, rejects, and at the end what was skipped."""
    log = Log(NAME, path, PurePath(path).stem or path)
    yield from read_document(lines, path, list[msgspec.Raw], functools.partial(_records, log))
    yield from counted(log.skipped)


def _records(log: Log, payloads: list[msgspec.Raw], flags: tuple[str, ...]) -> Iterator[Record]:
    for number, raw in enumerate(payloads, 1):
        payload, more, fault = decoded(bytes(raw), Payload)
        if fault is None:
            yield from payload_events(log, payload, number, bytes(raw), (*flags, *more))
        else:
            count(log.skipped, "not_an_object")
