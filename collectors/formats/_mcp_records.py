"""The fields of an MCP message that a reader needs, and the wrappers that captures put around it."""

import re
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Raw, Struct

from collectors.formats._codex_records import Whole
from collectors.formats._results import Number

UNSTATED = Raw(b"")
Time = str | int | float | None
_NULL = (b"", b"null")


class Program(Struct, gc=False):
    """`clientInfo` or `serverInfo`."""

    name: str | None = None
    version: str | None = None


class Params(Struct, gc=False):
    """Parameters of a request or a notification."""

    name: str | None = None
    arguments: Raw = UNSTATED
    protocol_version: str | None = msgspec.field(default=None, name="protocolVersion")
    client: Program | None = msgspec.field(default=None, name="clientInfo")
    request_id: Raw = msgspec.field(default=UNSTATED, name="requestId")
    reason: str | None = None
    task_id: str | None = msgspec.field(default=None, name="taskId")


class Block(Struct, gc=False):
    """One block of a result's content; what is no text (images, resources) keeps only its type."""

    type: str | None = None
    text: str | None = None


class Task(Struct, gc=False):
    """A call that goes on as a task."""

    task_id: str | None = msgspec.field(default=None, name="taskId")
    status: str | None = None


class Result(Struct, gc=False):
    """The result of a call, of the handshake, or of what a server asked for: only a call's has a list of blocks."""

    content: list[Block | str] | Block | str | None = None
    structured: Raw = msgspec.field(default=UNSTATED, name="structuredContent")
    is_error: bool | None = msgspec.field(default=None, name="isError")
    server: Program | None = msgspec.field(default=None, name="serverInfo")
    task: Task | None = None
    meta: Raw = msgspec.field(default=UNSTATED, name="_meta")

    @property
    def is_of_call(self) -> bool:
        """Whether it has what only results of calls have."""
        structured = bytes(self.structured) not in _NULL
        return isinstance(self.content, list) or structured or self.is_error is not None or self.task is not None


class Problem(Struct, gc=False):
    """An error of the protocol."""

    code: Number = None
    message: str | None = None


class Message(Struct, gc=False):
    """One JSON-RPC message."""

    jsonrpc: str | None = None
    id: Raw = UNSTATED
    method: str | None = None
    params: Params | None = None
    result: Result | None = None
    error: Problem | None = None

    @property
    def key(self) -> str | None:
        """The id as text; None where there is none."""
        text = bytes(self.id)
        return None if text in _NULL else text.decode("utf-8", "replace").strip('"')[:200]


class Line(Struct, gc=False):
    """One line: a message, or a wrapper with a time and a direction around one; a pair of both messages is one, too."""

    jsonrpc: str | None = None
    ts: Time = None
    timestamp: Time = None
    time: Time = None
    dir: str | None = None
    direction: str | None = None
    session_id: str | None = None
    session: str | None = msgspec.field(default=None, name="sessionId")
    msg: Raw = UNSTATED
    message: Raw = UNSTATED
    payload: Raw = UNSTATED
    data: Raw = UNSTATED
    body: Raw = UNSTATED
    request: Raw = UNSTATED
    response: Raw = UNSTATED
    duration_ms: Whole | None = None

    @property
    def when(self) -> Time:
        """The stated time, in whatever notation."""
        return self.ts if self.ts is not None else self.timestamp if self.timestamp is not None else self.time


LINE = msgspec.json.Decoder(Line)
MESSAGE = msgspec.json.Decoder(Message)
_MESSAGES = msgspec.json.Decoder(list[Raw])
# what programs write before a message in a log of text: a time, and who sent it
_TEXT_LINE = re.compile(
    rb"\s*+(?:\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\dZ+:-]{0,30})\]?)?([^{]{0,200}?)(\{.*\})[^{}]{0,100}\Z",
    re.DOTALL,
)
_DATED = re.compile(rb"\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
_EVENT_STREAM = b"data:"
_OTHER_FIELDS = (b"event:", b"id:", b"retry:", b":")
_WORDS = b'{"dir":"text"}\n'


def unwrapped(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines, where each is JSON: a message behind the time and words of a text log, or behind `data:`."""
    for line in lines:
        start = line[:1]
        yield line if start in (b"{", b"[", b"\n", b"") else json_of(line)


def json_of(line: bytes) -> bytes:
    """Return the wrapper that says what a line of a text log says; a line of no log stays as it is."""
    if line.startswith(_EVENT_STREAM):
        return line[len(_EVENT_STREAM) :].lstrip(b" ")
    match = _TEXT_LINE.match(line) if b'"jsonrpc"' in line and len(line) < 50_000_000 else None
    if match is None:
        is_whole = line.endswith(b"\n") and (_DATED.match(line) is not None or line.startswith(_OTHER_FIELDS))
        return _WORDS if is_whole else line
    words = match[2].lower()
    sender = b"client" if b"client" in words or b"outgoing" in words else b"server" if b"server" in words else b""
    time = b'"ts":"' + match[1] + b'",' if match[1] else b""
    return b'{%b"dir":"%b","msg":%b}\n' % (time, sender, match[3])


def messages(line: Line, raw: bytes) -> list[tuple[Message, bytes]]:
    """Return the messages of a line with their bytes; none where it holds no message."""
    if line.jsonrpc is not None:
        return _decoded(raw)
    held = next(
        (part for part in (line.msg, line.message, line.payload, line.data, line.body) if _is_stated(part)), None
    )
    if held is not None:
        return _decoded(bytes(held))
    return [message for part in (line.request, line.response) if _is_stated(part) for message in _decoded(bytes(part))]


def batch(raw: bytes) -> list[tuple[Message, bytes]]:
    """Return the messages of a line that is an array of them."""
    try:
        return [message for part in _MESSAGES.decode(raw) for message in _decoded(bytes(part))]
    except (msgspec.DecodeError, RecursionError):
        return []


def _decoded(raw: bytes) -> list[tuple[Message, bytes]]:
    try:
        if raw.lstrip()[:1] == b'"':
            raw = msgspec.json.decode(raw, type=str).encode("utf-8", "replace")
        if raw.lstrip()[:1] == b"[":
            return batch(raw)
        return [(MESSAGE.decode(raw), raw)]
    except (msgspec.DecodeError, RecursionError):
        return []


def _is_stated(raw: Raw) -> bool:
    return bytes(raw) not in _NULL
