"""The bytes of a source: unpacked where it is packed, looked at without loss, and recognised again."""

import gzip
import importlib
import io
import json
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, cast

from pipeline.errors import RecoupError
from pipeline.sources import STDIN, Source

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES = 64 * 1024
"""What a format may look at to recognise a file; where the first line is longer, that line."""
MAX_LINE_BYTES = 64 * 1024 * 1024
"""A longer line is one reject; the largest seen in real logs has 20 MB."""
MAX_DOCUMENT_BYTES = 512 * 1024 * 1024
"""A larger file that is one document is one reject: it would have to be held whole."""
_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"

UNREADABLE = (OSError, EOFError, zlib.error)
"""What opening or reading a file may raise; the last two where packed bytes end too early or are damaged."""


@contextmanager
def opened(source: Source) -> Iterator[io.BufferedIOBase]:
    """Open a source, unpacked where it is packed.

    Raises:
        RecoupError: CODEC_MISSING.
        OSError: the file cannot be opened or read; EOFError and zlib.error while reading a damaged one (`UNREADABLE`).
    """
    if source.path is None:
        yield _unpacked(cast(io.BufferedReader, sys.stdin.buffer), STDIN)
        return
    with source.path.open("rb") as file:
        yield _unpacked(file, str(source.path))


def _unpacked(file: io.BufferedReader, path: str) -> io.BufferedIOBase:
    start = file.peek(4)[:4]
    if start.startswith(_GZIP):
        return gzip.GzipFile(fileobj=file, mode="rb")
    return _unpacked_zstd(file, path) if start == _ZSTD else file


def _unpacked_zstd(file: io.BufferedIOBase, path: str) -> io.BufferedIOBase:
    """Unpack with the standard library from Python 3.14 on, before that with the package `zstandard`."""
    try:
        if sys.version_info >= (3, 14):
            codec = importlib.import_module("compression.zstd")
            stream = codec.ZstdFile(file)
        else:
            codec = importlib.import_module("zstandard")
            stream = codec.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    except ImportError as fault:
        raise RecoupError("CODEC_MISSING", f"cannot decompress {path}", context={"path": path}) from fault
    return io.BufferedReader(_Unpacking(stream, codec.ZstdError))


class _Unpacking(io.RawIOBase):
    """A codec's stream whose own error is an OSError like any other that reading may raise."""

    def __init__(self, stream: io.RawIOBase, damage: type[Exception]) -> None:
        self._stream = stream
        self._damage = damage

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        try:
            return self._stream.readinto(buffer)
        except self._damage as fault:
            raise OSError(str(fault)) from fault


def head_of(stream: io.BufferedIOBase) -> tuple[bytes, io.BufferedIOBase]:
    """Return the start of a stream, and the stream as if nothing had been read from it.

    Damage behind the first bytes is left for whoever reads on.
    """
    head = b""
    try:
        while len(head) < HEAD_BYTES and (more := stream.read1(HEAD_BYTES - len(head))):
            head += more
        while head and b"\n" not in head and len(head) < MAX_LINE_BYTES and (more := stream.readline(MAX_LINE_BYTES)):
            head += more
    except UNREADABLE:
        if not head:
            raise
    return head, io.BufferedReader(_Rejoined(head, stream), HEAD_BYTES)


class _Rejoined(io.RawIOBase):
    """What was read ahead, and after it the stream it was read from."""

    def __init__(self, head: bytes, rest: io.BufferedIOBase) -> None:
        self._head = memoryview(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        room = memoryview(buffer)
        taken = self._head[: len(room)] if self._head else memoryview(self._rest.read1(len(room)))
        self._head = self._head[len(taken) :]
        room[: len(taken)] = taken
        return len(taken)


def is_packed(path: Path) -> bool:
    """Tell whether a file is packed, by its first bytes."""
    with path.open("rb") as file:
        return file.read(4).startswith((_GZIP, _ZSTD))


def is_whole(line: bytes) -> bool:
    """Tell whether an unterminated last line is finished: it holds JSON objects and nothing else.

    A number or a bare word may still grow; an object that has ended cannot.
    """
    text = line.strip(b"\0 \t\r\n").removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    decoder = json.JSONDecoder(strict=False)
    while text:
        if text[0] != "{":
            return False
        try:
            _, end = decoder.raw_decode(text)
        except RecursionError:  # deeper than anyone writes by accident; the reader rejects it with its place
            return True
        except ValueError:
            return False
        text = text[end:].lstrip()
    return True


def digest(data: bytes) -> str:
    """Return the hash by which the start or the end of a file is recognised."""
    return "b2:" + blake2b(data, digest_size=12).hexdigest()


def digest_at(path: Path, offset: int, size: int) -> str:
    """Return the hash of `size` bytes of a file."""
    with path.open("rb") as file:
        file.seek(offset)
        return digest(file.read(size))
