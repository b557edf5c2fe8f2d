"""The fields of an envelope log's record, and what its several shapes say in common."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Raw, Struct

from collectors import identity, times
from collectors.formats._results import Number, arguments_text, content_id
from collectors.identity import Identity

UNSTATED = Raw(b"")
Time = str | int | float | None
_NULL = (b"", b"null")


class Meta(Struct, gc=False):
    """`meta` of an envelope, as far as it replaces what a bare envelope has no wrapper for."""

    command: str | None = None
    timestamp: Time = None
    duration_ms: Number = None
    trace_id: str | None = None
    request_id: str | None = None
    session_id: str | None = None


class Entry(Struct, gc=False):
    """One line: a call with its envelope, an event of the session, a bare envelope, or an audit entry."""

    ts: Time = None
    timestamp: Time = None
    session_id: str | int | None = None
    agent: str | None = None
    turn: int | float | str | None = None
    call_id: str | int | None = None
    tool: str | None = None
    argv: Raw = UNSTATED
    command: str | None = None
    arguments: Raw = UNSTATED
    args: Raw = UNSTATED
    parameters: Raw = UNSTATED
    operation: str | None = None
    cwd: str | None = None
    exit_code: Number = None
    envelope: Raw = UNSTATED
    stdout: str | None = None
    stderr: str | None = None
    duration_ms: Number = None
    tool_version: str | None = None
    model: str | None = None
    tokens: Number = None
    is_error: bool | None = None
    is_error_mcp: bool | None = msgspec.field(default=None, name="isError")
    event: str | None = None
    reason: str | None = None
    trace_id: str | None = None
    request_id: str | None = None
    ok: bool | None = None
    data: Raw = UNSTATED
    error: Raw = UNSTATED
    meta: Meta | None = None

    @property
    def is_bare(self) -> bool:
        """Whether the line is an envelope without a wrapper."""
        return self.ok is not None and (is_stated(self.error) or is_stated(self.data) or self.meta is not None)

    @property
    def names_a_call(self) -> bool:
        """Whether the line says what was called."""
        return self.command is not None or self.tool is not None or is_stated(self.argv)


def is_stated(raw: Raw) -> bool:
    """Return whether a field is there and not null."""
    return bytes(raw) not in _NULL


def when(entry: Entry) -> times.Instant:
    """Return the end of the call."""
    stated = (entry.ts, entry.timestamp, entry.meta.timestamp if entry.meta else None)
    return times.parse(next((value for value in stated if value is not None), None))


def session_of(entry: Entry, path: str) -> str:
    """Return the session: the stated one, else the trace or request that the tool was told, else the file."""
    meta = entry.meta or Meta()
    stated = (entry.session_id, entry.trace_id, meta.session_id, meta.trace_id, entry.request_id, meta.request_id)
    return next((str(value) for value in stated if value not in (None, "")), path)


def call_of(entry: Entry, path: str, position: int, raw: bytes) -> tuple[str, bool]:
    """Return the id of the call within its session, and whether it was stated.

    A request id tells calls apart only where it is not what names the session. Records without any
    id are told apart by their bytes; without a time as well, equal bytes are so many calls.
    """
    if entry.call_id not in (None, ""):
        return str(entry.call_id), True
    request = entry.request_id or (entry.meta.request_id if entry.meta else None)
    if request and request != session_of(entry, path):
        return request, True
    is_dated = when(entry).unix_nano is not None
    place = b"" if is_dated else f"{path}|{position}|".encode("utf-8", "replace")
    return content_id(place + raw), False


def identity_of(entry: Entry) -> tuple[Identity, str | None] | None:
    """Return what was called, and its arguments as JSON where they are structured; None where the line does not say."""
    tool = entry.tool or ""
    if is_stated(entry.argv) and not _is_text(entry.argv):
        return _of_words(tool, [], entry.argv, entry)
    audited = next((raw for raw in (entry.args, entry.parameters) if is_stated(raw)), None)
    if entry.command is not None and audited is not None:
        return _of_audit(entry.command, audited, entry)
    command = msgspec.json.decode(entry.argv, type=str) if is_stated(entry.argv) else entry.command
    if command is None and entry.tool is None and entry.meta is not None:
        command = entry.meta.command
    if command is not None:
        found = identity.of_shell(tool, command, cwd=entry.cwd)
        return _with_operation(found, entry.operation), None
    return _of_structure(tool, entry.arguments, entry) if entry.tool is not None else None


def _of_words(tool: str, before: list[str], raw: Raw, entry: Entry) -> tuple[Identity, str | None]:
    words = [*before, *_words(msgspec.json.decode(raw))]
    stated = b"" if before else bytes(raw)
    return identity.of_argv(tool, words, cwd=entry.cwd, raw=stated, operation=entry.operation), None


def _of_audit(command: str, raw: Raw, entry: Entry) -> tuple[Identity, str | None]:
    if bytes(raw).lstrip()[:1] == b"{":
        return _of_structure(command, raw, entry)
    return _of_words("", command.split(), raw, entry)


def _of_structure(tool: str, raw: Raw, entry: Entry) -> tuple[Identity, str | None]:
    values: Any = msgspec.json.decode(raw) if is_stated(raw) else {}
    if isinstance(values, str):
        values = _decoded(values)
    given: Mapping[str, object] = values if isinstance(values, dict) else {"input": values}
    found = identity.of_tool(tool, given, cwd=entry.cwd, raw=bytes(raw), operation=entry.operation)
    return found, arguments_text(values)


def _is_text(raw: Raw) -> bool:
    return bytes(raw).startswith(b'"')


def _decoded(text: str) -> object:
    """Return what a string of JSON says, as function calls write their arguments; else the string."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _words(values: object) -> Iterator[str]:
    for value in values if isinstance(values, list) else [values]:
        yield value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _with_operation(found: Identity, operation: str | None) -> Identity:
    if operation is None:
        return found
    keyed = identity.of_argv("", (), cwd=None, operation=operation)
    return msgspec.structs.replace(found, operation=operation, operation_key=keyed.operation_key)
