"""Content encodings within limits."""

import gzip
import zlib

import pyarrow as pa
import pytest

from collectors.otlp.bodies import TooLargeError, UndecodableError, plain

TEXT = b"the same words again and again " * 4000
LIMIT = 1 << 20


def zstd(data):
    """Compress with the codec that the product has anyway."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def packed(data):
    """Return the data in gzip without the time, which would name a case differently every second."""
    return gzip.compress(data, mtime=0)


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("", TEXT),
        ("identity", TEXT),
        ("gzip", packed(TEXT)),
        ("GZIP", packed(TEXT)),
        ("x-gzip", packed(TEXT[:1000]) + packed(TEXT[1000:])),
        ("deflate", zlib.compress(TEXT)),
        ("deflate", zlib.compress(TEXT)[2:-4]),
        ("zstd", zstd(TEXT)),
        ("deflate, gzip", packed(zlib.compress(TEXT))),
    ],
)
def test_each_encoding_is_undone(encoding, body):
    """Gzip with one member or more, both readings of deflate, zstd, and encodings one after another."""
    assert plain(body, encoding, LIMIT) == TEXT


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", TEXT),
        ("gzip", packed(TEXT)[:-12]),
        ("gzip", packed(b"") * 2000),
        ("deflate", b"no deflate"),
        ("zstd", TEXT),
        ("zstd", zstd(TEXT)[:-12]),
        ("br", TEXT),
        ("gzip, rot13", TEXT),
    ],
)
def test_what_cannot_be_undone_is_told(encoding, body):
    """A body that is not in its encoding, is cut, or has an unknown one is refused, not read as something else."""
    with pytest.raises(UndecodableError):
        plain(body, encoding, LIMIT)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, zstd])
def test_a_bomb_is_stopped(pack):
    """No more than the limit is ever produced, however small the packed body is."""
    name = {gzip.compress: "gzip", zlib.compress: "deflate", zstd: "zstd"}[pack]
    packed = pack(bytes(32 << 20))
    assert len(packed) < 200_000
    with pytest.raises(TooLargeError):
        plain(packed, name, LIMIT)
    assert plain(pack(bytes(LIMIT)), name, LIMIT) == bytes(LIMIT)


def test_a_plain_body_is_measured_too():
    """The limit holds without an encoding as well."""
    with pytest.raises(TooLargeError):
        plain(bytes(LIMIT + 1), "", LIMIT)
