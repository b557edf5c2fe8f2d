"""Captures of MCP traffic: JSON-RPC 2.0 messages, one a line, with or without a wrapper that states time and direction.

- a wrapper `{ts | timestamp | time, dir | direction?, msg | message | payload | data | body}`, its message as an object
  or as JSON in a string, or `{request, response}` with both;
- the bare lines of the stdio transport, and arrays of messages; they state no time;
- text logs with a time and words before the message, as desktop programs write one a server; `data:` of event streams.

A call is a `tools/call` request, its result the response with its id. `isError` is an error of the tool; `error` is one
of the protocol, which the tool never saw, and another layer. A missing `isError` is false. Prose under a good flag is
suspected, a structured error under a good flag is certain. An `initialize` begins a new session, as ids begin anew.
Requests that the server makes, progress and all other methods are no calls.

Source: the MCP specification (2025-06-18 and 2025-11-25), and captures of reference servers.
"""

import functools
from collections.abc import Iterable, Iterator

import msgspec

from collectors.events import Record
from collectors.formats._lines import complete, read_lines
from collectors.formats._mcp_records import LINE, Line, Message, batch, json_of, messages, unwrapped
from collectors.formats._mcp_session import NAME, Capture, answer_events, begin, cancel_events, request_events
from collectors.formats._skipped import counted

__all__ = ["CANNOT_TELL", "NAME", "RESUMABLE", "TITLE", "UNIT", "WHERE", "looks_like", "read"]

TITLE = "MCP JSON-RPC capture"
WHERE: tuple[str, ...] = (
    "~/Library/Logs/Claude/mcp-server-*.log",
    "~/AppData/Roaming/Claude/logs/mcp-server-*.log",
    "~/.config/Claude/logs/mcp-server-*.log",
)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "which session of the agent made a call, and in which turn",
    "what the agent and people said",
    "calls that the client refused before it sent them",
    "the times of messages that were captured without a wrapper",
)

_FAMILIES = ("tools/", "resources/", "prompts/", "notifications/", "sampling/", "elicitation/", "roots/", "completion/")
_MAX_KINDS = 200


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with messages of MCP; other protocols over JSON-RPC have other methods."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield calls and results, rejects, and at the end what was skipped, by method."""
    capture = Capture(path)
    yield from read_lines(unwrapped(lines), first_line, path, LINE, functools.partial(_records, capture))
    yield from counted(capture.skipped)


def _records(capture: Capture, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    found = batch(raw) if line is None else messages(line, raw)
    line = line or Line()
    events: list[Record] = []
    for message, text in found:
        said = _message_events(capture, line, message, text, number, flags)
        if said is None:
            _skip(capture, message.method or ("error" if message.error else "response"))
        else:
            events += said
    if not found:
        _skip(capture, line.dir or line.direction or "no_message")
    return events


def _message_events(
    capture: Capture, line: Line, message: Message, raw: bytes, number: int, flags: tuple[str, ...]
) -> Iterable[Record] | None:
    if message.method == "initialize":
        begin(capture, line, message, raw)
        return None
    if message.method == "notifications/cancelled":
        return cancel_events(capture, line, message, number, flags)
    if message.method is not None:
        return request_events(capture, line, message, raw, number, flags)
    return answer_events(capture, line, message, raw, number, flags)


def _skip(capture: Capture, kind: str) -> None:
    kind = kind[:60] if len(capture.skipped) < _MAX_KINDS or kind[:60] in capture.skipped else "other"
    capture.skipped[kind] += 1


def _is_own(line: bytes) -> bool:
    try:
        record = LINE.decode(json_of(line) if line[:1] not in (b"{", b"[") else line)
        found = messages(record, line if record.jsonrpc is not None else b"")
    except (msgspec.DecodeError, RecursionError):
        found = batch(line)
    return any(_is_mcp(message) for message, _ in found)


def _is_mcp(message: Message) -> bool:
    if message.jsonrpc != "2.0":
        return False
    if message.method == "initialize":
        return message.params is not None and message.params.protocol_version is not None
    if message.method is not None:
        return message.method.startswith(_FAMILIES)
    return message.result is not None and (message.result.server is not None or message.result.content is not None)
