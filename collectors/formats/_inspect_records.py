"""The fields of an Inspect log that a reader needs, and the samples of an `.eval` archive."""

import io
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from collectors.formats._chat import ToolCall

Time = str | int | float | None

MAX_MEMBER_BYTES = 256 * 1024**2
"""A sample that unpacks to more is one reject."""
MAX_TOTAL_BYTES = 2 * 1024**3
"""What all samples of an archive may unpack to."""

_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_ENCRYPTED = 0x1
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, ValueError)


class Failure(Struct, gc=False):
    """`error` of a tool's message."""

    type: str | None = None
    message: str | None = None


class Message(Struct, gc=False):
    """One chat message."""

    id: str | None = None
    role: str | None = None
    content: Any = None
    source: str | None = None
    model: str | None = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None
    function: str | None = None
    error: Failure | None = None
    tool_error: str | None = None


class Usage(Struct, gc=False):
    """Tokens of one response."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class Choice(Struct, gc=False):
    """One answer of a model."""

    message: Message | None = None


class Output(Struct, gc=False):
    """What a model answered."""

    choices: list[Choice] | None = None
    usage: Usage | None = None


class Happening(Struct, gc=False):
    """An entry of `events`: a call of a tool or of a model, among others."""

    event: str | None = None
    timestamp: Time = None
    completed: Time = None
    id: str | None = None
    function: str | None = None
    arguments: Any = None
    result: Any = None
    error: Failure | str | None = None
    message_id: str | None = None
    model: str | None = None
    output: Output | None = None


class Transcript(Struct, gc=False):
    """Where the events stand before 0.3.45."""

    events: list[Happening] | None = None


class Sample(Struct, gc=False):
    """One run of one sample."""

    id: int | str | None = None
    epoch: int | None = None
    messages: list[Message] | None = None
    events: list[Happening] | None = None
    transcript: Transcript | None = None
    attachments: dict[str, Any] | None = None


class Eval(Struct, gc=False):
    """What all samples share."""

    run_id: str | None = None
    task: str | None = None
    task_id: str | None = None
    model: str | None = None
    packages: dict[str, Any] | None = None


class Log(Struct, gc=False):
    """A `.json` log, or the header of an archive."""

    version: int | None = None
    status: str | None = None
    eval: Eval | None = None
    samples: list[Sample] | None = None


class Member(Struct, gc=False):
    """A file of an archive, by name; `fault` tells why it has no content."""

    name: str
    content: bytes = b""
    fault: str | None = None


def members(archive: bytes) -> Iterator[Member]:
    """Yield the header, then the samples in the order of their names; nothing is ever written to disk.

    Stored and deflated members only, each read no further than `MAX_MEMBER_BYTES` whatever its entry says.

    Raises:
        zipfile.BadZipFile: the archive has no readable directory.
    """
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        entries = {entry.filename: entry for entry in opened.infolist()}
        header = next((name for name in ("header.json", "_journal/start.json") if name in entries), None)
        samples = sorted(name for name in entries if name.startswith("samples/") and name.endswith(".json"))
        left = MAX_TOTAL_BYTES
        for name in ([header] if header else []) + samples:
            member = _member(opened, entries[name], min(left, MAX_MEMBER_BYTES))
            left -= len(member.content)
            yield member


def _member(opened: zipfile.ZipFile, entry: zipfile.ZipInfo, limit: int) -> Member:
    name = entry.filename
    if entry.compress_type not in _METHODS or entry.flag_bits & _ENCRYPTED:
        return Member(name, fault="unreadable")
    if entry.file_size > limit:
        return Member(name, fault="too_large")
    try:
        with opened.open(entry) as stream:
            content = stream.read(limit + 1)
    except _DAMAGED:
        return Member(name, fault="unreadable")
    return Member(name, content) if len(content) <= limit else Member(name, fault="too_large")
