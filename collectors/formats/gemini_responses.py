"""Recorded answers of the Gemini API, as Gemini CLI keeps them for its tests: `{method, response}`, one a line.

They hold what the model said and called, and nothing of what came of it: the records are counted, so that the file is
not taken for a loss. Source: recordings in Gemini CLI's public repository.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

from collectors.events import Record
from collectors.formats._lines import complete, read_lines
from collectors.formats._skipped import count, counted

NAME = "gemini_responses"
TITLE = "Recorded Gemini API responses"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = True
CANNOT_TELL: tuple[str, ...] = ("whether any call was made, and how it ended: there are only the model's answers",)


class Candidate(msgspec.Struct, gc=False):
    """One answer."""

    content: msgspec.Raw = msgspec.Raw(b"")


class Response(msgspec.Struct, gc=False):
    """One piece of a response."""

    candidates: list[Candidate] | None = None


class Line(msgspec.Struct, gc=False):
    """One request's answer."""

    method: str | None = None
    response: list[Response] | Response | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with recorded responses."""
    lines = complete(head)
    if any(_is_own(line) for line in lines):
        return True
    return len(lines) == 1 and lines[0].startswith(b'{"method":"generateContent') and b'"candidates":' in lines[0]


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield rejects, and how many responses of each method there are."""
    skipped: Counter[str] = Counter()
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, skipped))
    yield from counted(skipped)


def _records(
    skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    count(skipped, "not_an_object" if line is None else line.method or "untyped")
    return ()


def _is_own(line: bytes) -> bool:
    try:
        record = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    first = record.response[0] if isinstance(record.response, list) and record.response else record.response
    return record.method is not None and isinstance(first, Response) and first.candidates is not None
