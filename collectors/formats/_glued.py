"""Records that were written on one line without a break between them, taken apart."""

import json
from collections.abc import Iterable, Iterator

import msgspec

SALVAGED = "salvaged"
"""Flag: the record stood on a line with others."""

_MAX_PARTS = 1000
_DECODER = json.JSONDecoder(strict=False)


def unglued(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines; one with several records comes as an array of them, so that each keeps its number."""
    for line in lines:
        if b"}{" in line and len(parts := _parts(line.strip())) > 1:
            yield b"[%b]\n" % b",".join(parts)
        else:
            yield line


def parts_of(raw: bytes) -> list[bytes]:
    """Return the records of a line that `unglued` made; what broke off behind them is a JSON string."""
    if raw[:2] != b"[{":
        return []
    try:
        return [bytes(part) for part in msgspec.json.decode(raw, type=list[msgspec.Raw])]
    except (msgspec.DecodeError, RecursionError):
        return []


def _parts(text: bytes) -> list[bytes]:
    rest, start = text.decode("utf-8", "replace"), 0
    found: list[bytes] = []
    while start < len(rest):
        end = _end_of(rest, start) if len(found) < _MAX_PARTS else start
        if end == start:
            # what is no record, or one too many, comes as text: it is rejected, not lost
            found.append(json.dumps(rest[start:]).encode())
            break
        found.append(rest[start:end].encode("utf-8", "replace"))
        start = end
        while start < len(rest) and rest[start].isspace():
            start += 1
    return found


def _end_of(text: str, start: int) -> int:
    """Return where the record that starts there ends; the start where there is none."""
    try:
        return _DECODER.raw_decode(text, start)[1]
    except (ValueError, RecursionError):
        return start
