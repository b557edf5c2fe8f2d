"""What is to be read of each source, by which format and from where, and why the others are not."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NoReturn

from collectors import Format, sniff
from pipeline.errors import RecoupError
from pipeline.raw import FileState
from pipeline.sources import Source, said
from pipeline.streams import UNREADABLE, digest, digest_at, head_of, is_packed, opened

_HEAD_BYTES = 4096
_TAIL_BYTES = 1024

Why = Literal["unchanged", "empty", "unrecognised", "unreadable"]


@dataclass(frozen=True, slots=True)
class Job:
    """A source that is to be read, by whom, and from where."""

    source: Source
    format: Format
    start: FileState
    is_new: bool
    """Whether the store cannot hold any event of it yet."""


@dataclass(frozen=True, slots=True)
class Unread:
    """A source that is not read."""

    source: Source
    why: Why
    detail: str = ""


def look(source: Source, held: FileState | None, forced: Format | None) -> Job | Unread:
    """Decide on a file.

    Args:
        source: A file, no stream.
        held: What the store knows of it.
        forced: The format that the caller named.

    Raises:
        RecoupError: INPUT_UNREADABLE, INPUT_EMPTY, FORMAT_UNKNOWN or CODEC_MISSING, where the file was named.
    """
    if held is not None and _is_unchanged(source, held, forced):
        return Unread(source, "unchanged")
    if not source.can_be_log:
        return Unread(source, "unrecognised")
    try:
        with opened(source) as stream:
            head, _ = head_of(stream)
        return _decide(source, head, held, forced)
    except UNREADABLE as fault:
        return refuse(source, "unreadable", said(fault))
    except RecoupError as fault:
        if source.is_named:
            raise
        return Unread(source, "unreadable", fault.message)


def refuse(source: Source, why: Why, detail: str = "") -> Unread:
    """Return why a source is not read; raise it where the source was named."""
    if source.is_named:
        _raise(source, why, detail)
    return Unread(source, why, detail)


def recognised(source: Source, head: bytes, forced: Format | None) -> Format | Unread:
    """Return the format of a source that starts with `head`.

    Raises:
        RecoupError: as `look`.
    """
    if not head:
        return refuse(source, "empty")
    found = forced or sniff(head, source.label)
    return found or refuse(source, "unrecognised", "it is binary" if b"\0" in head[:_HEAD_BYTES] else "")


def _raise(source: Source, why: Why, detail: str) -> NoReturn:
    code, says = {
        "empty": ("INPUT_EMPTY", "{path} is empty"),
        "unrecognised": ("FORMAT_UNKNOWN", "no format recognises {path}"),
        "unreadable": ("INPUT_UNREADABLE", "{path} cannot be read"),
    }[why]
    message = says.format(path=source.label) + (f": {detail}" if detail else "")
    raise RecoupError(code, message, context={"path": source.label})


def _is_unchanged(source: Source, held: FileState, forced: Format | None) -> bool:
    is_same_format = held.format is not None and (forced is None or held.format == forced.NAME)
    is_same_file = (held.size_bytes, held.modified_ns) == (source.size_bytes, source.modified_ns)
    return held.is_complete and is_same_format and is_same_file


def _decide(source: Source, head: bytes, held: FileState | None, forced: Format | None) -> Job | Unread:
    found = recognised(source, head, forced)
    if isinstance(found, Unread):
        return found
    fresh = FileState(
        path=source.label,
        format=found.NAME,
        head_hash=digest(head[: min(_HEAD_BYTES, source.size_bytes)]),
        size_bytes=source.size_bytes,
        modified_ns=source.modified_ns,
    )
    if held is None or held.format is None:
        return Job(source, found, fresh, is_new=True)
    if source.path is not None and found.RESUMABLE and held.format == found.NAME:
        offset = _resumable_at(source.path, source.size_bytes, head, held)
        if offset is not None:
            resumed = replace(
                held,
                head_hash=fresh.head_hash,
                size_bytes=fresh.size_bytes,
                modified_ns=fresh.modified_ns,
                read_bytes=offset,
            )
            return Job(source, found, resumed, is_new=True)
    return Job(source, found, fresh, is_new=False)


def _resumable_at(path: Path, size: int, head: bytes, held: FileState) -> int | None:
    """Return where to go on in a file that grew; None where it was replaced, or its read end was rewritten."""
    if not held.is_complete or size <= held.size_bytes or is_packed(path):
        return None
    if (
        digest(head[: min(_HEAD_BYTES, held.size_bytes)]) != held.head_hash
        or tail_hash(path, held.read_bytes) != held.tail_hash
    ):
        return None
    return _line_start(path, held.read_bytes)


def _line_start(path: Path, offset: int) -> int | None:
    """Return the start of the next line at `offset`; None where the line before it has grown since it was read."""
    with path.open("rb") as file:
        file.seek(max(offset - 1, 0))
        around = file.read(3)
    if offset == 0 or around[:1] == b"\n":
        return offset
    if around[1:2] in (b"", b"\n"):
        return offset + len(around[1:2])
    return offset + 2 if around[1:] == b"\r\n" else None


def tail_hash(path: Path, offset: int) -> str:
    """Return the hash of the 1 KiB before `offset`."""
    size = min(_TAIL_BYTES, offset)
    return digest_at(path, offset - size, size)
