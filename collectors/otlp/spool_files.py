"""The files of a spool: frames in numbered segments, read back up to the first that is not whole.

A frame is a header (magic, checksum, length of the body, what it is, when it came, what was found
when it was checked) and the body. The checksum is over the rest of the header and the body.
"""

import struct
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, NamedTuple

from collectors.otlp.model import SIGNALS, Encoding, Signal

LOCK = "lock"
RUN = "run-"
"""How the names of directories begin that hold a run's segments."""
_SUFFIX = ".segment"
_MAGIC = b"\xf5RCP"
_HEAD = struct.Struct("<4sI")
_REST = struct.Struct("<IBBqII")
HEADER_BYTES = _HEAD.size + _REST.size
MAX_BODY_BYTES = 1 << 30
_ENCODINGS: tuple[Encoding, ...] = ("protobuf", "json")


class Frame(NamedTuple):
    """One request that was accepted."""

    signal: Signal
    encoding: Encoding
    received_at_ns: int
    rejected: int
    repaired: int
    body: bytes
    """Decompressed."""


class Place(NamedTuple):
    """A position in a spool's directory; the start is segment 0."""

    segment: int = 0
    offset: int = 0


class Found(NamedTuple):
    """A frame, and where the next one begins."""

    frame: Frame
    end: Place


def encode_frame(frame: Frame) -> tuple[bytes, bytes]:
    """Return the header and the body as they are written."""
    kind, encoding = SIGNALS.index(frame.signal), _ENCODINGS.index(frame.encoding)
    rest = _REST.pack(len(frame.body), kind, encoding, frame.received_at_ns, frame.rejected, frame.repaired)
    return _HEAD.pack(_MAGIC, zlib.crc32(frame.body, zlib.crc32(rest))) + rest, frame.body


def segment_path(directory: Path, number: int) -> Path:
    """Return the path of a segment; numbers begin at 1."""
    return directory / f"{number:08d}{_SUFFIX}"


def segments(directory: Path) -> list[Path]:
    """Return the segments of a directory, oldest first; none where it is gone."""
    return sorted(directory.glob(f"*{_SUFFIX}"))


def number_of(path: Path) -> int:
    """Return the number of a segment."""
    return int(path.name.removesuffix(_SUFFIX))


def read_frames(path: Path, offset: int) -> Iterator[Found]:
    """Yield the whole frames from `offset`, up to the first place where none is."""
    number = number_of(path)
    with path.open("rb") as file:
        file.seek(offset)
        while True:
            frame = _read_frame(file)
            if frame is None:
                return
            offset += HEADER_BYTES + len(frame.body)
            yield Found(frame, Place(number, offset))


def next_frame_offset(path: Path, offset: int) -> int | None:
    """Return where the next whole frame begins behind a damaged place; None where there is none.

    Only an ended segment is asked: in the one being written, what is not whole is not finished.
    """
    data = path.read_bytes()
    file = BytesIO(data)
    found = data.find(_MAGIC, offset + 1)
    while found >= 0:
        file.seek(found)
        if _read_frame(file) is not None:
            return found
        found = data.find(_MAGIC, found + 1)
    return None


def _read_frame(file: BinaryIO) -> Frame | None:
    header = file.read(HEADER_BYTES)
    if len(header) < HEADER_BYTES:
        return None
    magic, checksum = _HEAD.unpack_from(header)
    if magic != _MAGIC:
        return None
    length, kind, encoding, received, rejected, repaired = _REST.unpack_from(header, _HEAD.size)
    if length > MAX_BODY_BYTES or kind >= len(SIGNALS) or encoding >= len(_ENCODINGS):
        return None
    body = file.read(length)
    if len(body) != length or zlib.crc32(body, zlib.crc32(header[_HEAD.size :])) != checksum:
        return None
    return Frame(SIGNALS[kind], _ENCODINGS[encoding], received, rejected, repaired, body)
