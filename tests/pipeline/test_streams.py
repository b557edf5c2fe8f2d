import gzip
import io
import sys
from importlib.util import find_spec

import pytest

from pipeline.errors import RecoupError
from pipeline.sources import find
from pipeline.streams import HEAD_BYTES, head_of, is_whole, opened


@pytest.mark.parametrize("size", [0, 1, HEAD_BYTES - 1, HEAD_BYTES, HEAD_BYTES * 3])
def test_a_head_takes_nothing_from_the_stream(size):
    """After looking at its head, a stream still gives every byte."""
    data = (b"x" * 99 + b"\n") * (size // 100) + b"y" * (size % 100)

    head, stream = head_of(io.BufferedReader(io.BytesIO(data)))

    assert data.startswith(head)
    assert len(head) >= min(size, HEAD_BYTES)
    assert data == stream.read()


def test_a_head_holds_its_first_line():
    """A first line longer than a head is in the head as a whole."""
    line = b"x" * (3 * HEAD_BYTES) + b"\n"

    head, stream = head_of(io.BufferedReader(io.BytesIO(line + b"rest\n")))

    assert head.startswith(line)
    assert [line, b"rest\n"] == list(stream)


def test_gzip_is_unpacked_by_content(tmp_path):
    """Packed files are told by their first bytes, not their name; several members are one text."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))

    with opened(find([path])[0]) as stream:
        assert [b"one\n", b"two\n"] == list(stream)


ZSTD_FRAME = bytes.fromhex("28b52ffd2004210000") + b"one\n"
"""One raw block, without a checksum (RFC 8878)."""
HAS_ZSTD = find_spec("zstandard") or sys.version_info >= (3, 14)


def test_zstandard(tmp_path):
    """A .zst file is unpacked where Python or the package can, else the error says what to install."""
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(ZSTD_FRAME)

    def read():
        with opened(find([path])[0]) as stream:
            return list(stream)

    if HAS_ZSTD:
        assert [b"one\n"] == read()
    else:
        with pytest.raises(RecoupError, match="decompress") as raised:
            read()
        assert "CODEC_MISSING" == raised.value.entry.code


@pytest.mark.skipif(not HAS_ZSTD, reason="nothing here unpacks .zst")
def test_damaged_zstandard(tmp_path):
    """Damage inside a .zst file is an error of reading, whichever codec finds it."""
    path = tmp_path / "log.jsonl.zst"
    path.write_bytes(ZSTD_FRAME[:6] + b"\xff" * 40)

    def read():
        with opened(find([path])[0]) as stream:
            stream.read()

    with pytest.raises(OSError, match=r"."):
        read()


@pytest.mark.parametrize(
    ("line", "is_finished"),
    [
        (b'{"a": 1}', True),
        (b'{"a": 1} {"b": 2}', True),
        (b'\xef\xbb\xbf{"a": 1}\r', True),
        (b'{"a": "\xff\xfe"}', True),
        (b'{"a": "\\ud83d"}', True),
        (b"{" * 1 + b'"a":' + b"[" * 100_000, True),
        (b"", True),
        (b"\0\0\0", True),
        (b'{"a": 1', False),
        (b'{"a": 1} {"b"', False),
        (b"12", False),
        (b"tru", False),
        (b'"text"', False),
        (b"[1, 2]", False),
        (b"no json", False),
    ],
)
def test_a_last_line_is_whole_when_its_objects_have_ended(line, is_finished):
    """Only ended objects are finished: everything else may still grow."""
    assert is_finished == is_whole(line)
