"""Bodies of requests made plain: gzip, deflate and zstd, within a limit before and after."""

import zlib
from collections.abc import Callable, Mapping
from typing import Protocol

DEFAULT_LIMIT = 64 << 20
"""Bytes, before and after decompression; the size that OTLP recommends to receivers."""

_STEP = 1 << 20
_MAX_MEMBERS = 1000
"""Of a gzip file; each costs a copy of what follows it."""


class TooLargeError(Exception):
    """The body is over the limit."""


class UndecodableError(Exception):
    """The body is not in the encoding that its header names, or that encoding is not known."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    @property
    def unconsumed_tail(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...
    def flush(self) -> bytes: ...


def plain(body: bytes, encoding: str, limit: int) -> bytes:
    """Return the body without its content encoding; no more than `limit` bytes are ever produced.

    Args:
        body: As received.
        encoding: The value of the header `Content-Encoding`, empty where there is none.
        limit: Upper bound of the result, in bytes.

    Raises:
        TooLargeError: the result would be longer.
        UndecodableError: the bytes are not in that encoding, or it is none that is known.
    """
    for name in reversed([part.strip().lower() for part in encoding.split(",") if part.strip()]):
        if name == "identity":
            continue
        if name not in _DECODERS:
            raise UndecodableError(f"the content encoding {name[:40]!r} is none of gzip, deflate and zstd")
        body = _DECODERS[name](body, limit)
    if len(body) > limit:
        raise TooLargeError
    return body


def _gzip(body: bytes, limit: int) -> bytes:
    return _inflated(body, limit, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS))


def _deflate(body: bytes, limit: int) -> bytes:
    """Decode what HTTP calls deflate: the zlib format, and what some senders take it for, a bare stream."""
    is_zlib = len(body) >= 2 and body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0
    return _inflated(body, limit, lambda: zlib.decompressobj(zlib.MAX_WBITS if is_zlib else -zlib.MAX_WBITS))


def _inflated(body: bytes, limit: int, begin: Callable[[], _Decompressor]) -> bytes:
    pieces: list[bytes] = []
    size = members = 0
    stream = begin()
    for start in range(0, len(body), _STEP):
        data = body[start : start + _STEP]
        while data:
            if stream.eof:
                stream, members = begin(), members + 1
            if members > _MAX_MEMBERS:
                raise UndecodableError("the compressed body has too many members")
            piece = _step(stream, data)
            size += len(piece)
            if size > limit:
                raise TooLargeError
            pieces.append(piece)
            data = stream.unused_data if stream.eof else stream.unconsumed_tail
    pieces.append(stream.flush())
    if body and not stream.eof:
        raise UndecodableError("the compressed body ends too early")
    return b"".join(pieces)


def _step(stream: _Decompressor, data: bytes) -> bytes:
    try:
        return stream.decompress(data, _STEP)
    except zlib.error as fault:
        raise UndecodableError("the body is not what its content encoding says") from fault


def _zstd(body: bytes, limit: int) -> bytes:
    import pyarrow as pa

    pieces: list[bytes] = []
    size = 0
    try:
        with pa.CompressedInputStream(pa.BufferReader(body), "zstd") as stream:
            while piece := stream.read(_STEP):
                size += len(piece)
                if size > limit:
                    raise TooLargeError
                pieces.append(piece)
    except (OSError, pa.ArrowException) as fault:
        raise UndecodableError("the body is not what its content encoding says") from fault
    return b"".join(pieces)


_DECODERS: Mapping[str, Callable[[bytes, int], bytes]] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "zlib": _deflate,
    "zstd": _zstd,
}
