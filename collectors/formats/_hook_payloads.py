"""What Claude Code gives its hooks, with whatever a logging script wrapped around it."""

from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors.formats._claude_records import ToolUse, Whole
from collectors.formats._events import decoded

Time = str | int | float | None
NULL = (b"", b"null")
BEFORE, AFTER, FAILED = "PreToolUse", "PostToolUse", "PostToolUseFailure"
_WRAPPERS = ("raw_input", "hook_input", "payload", "data", "input", "event")
_MAX_DEPTH = 4


class Payload(Struct, gc=False):
    """What a hook is given on its standard input, or a wrapper that a logging script put around it."""

    session_id: str | None = None
    cwd: str | None = None
    hook_event_name: str | None = None
    tool_name: str | None = None
    tool_input: Raw = Raw(b"")
    tool_response: Raw = Raw(b"")
    tool_use_id: str | None = None
    error: str | None = None
    is_interrupt: bool | None = None
    duration_ms: Whole | None = None
    prompt_id: str | None = None
    prompt: str | None = None
    agent_id: str | None = None
    last_assistant_message: str | None = None
    reason: str | None = None
    timestamp: Time = None
    ts: Time = None
    time: Time = None
    raw_input: Raw = Raw(b"")
    hook_input: Raw = Raw(b"")
    payload: Raw = Raw(b"")
    data: Raw = Raw(b"")
    input: Raw = Raw(b"")
    event: Raw = Raw(b"")

    @property
    def when(self) -> Time:
        """The time, which only wrappers state."""
        return self.timestamp if self.timestamp is not None else self.ts if self.ts is not None else self.time


DECODER = msgspec.json.Decoder(Payload)


def unwrapped(payload: Payload, depth: int = 0) -> Payload:
    """Return the payload inside of what wraps it, with the wrapper's time."""
    if payload.hook_event_name is not None or depth == _MAX_DEPTH:
        return payload
    for name in _WRAPPERS:
        inner = _payload(bytes(getattr(payload, name)))
        if inner is not None:
            found = unwrapped(inner, depth + 1)
            if found.hook_event_name is not None or found.tool_name is not None:
                return found if found.when is not None else replace(found, timestamp=payload.when)
    return payload


def kind_of(payload: Payload) -> str | None:
    """Return the name of the event; logs that leave it out are of tools, told apart by the response."""
    if payload.hook_event_name is not None:
        return payload.hook_event_name
    if payload.tool_name is None or payload.session_id is None:
        return None
    return AFTER if bytes(payload.tool_response) not in NULL else BEFORE


def response_text(raw: Raw) -> str:
    """Return the text of a tool's response: what a shell printed, the text parts of an MCP answer, or its JSON."""
    text = bytes(raw)
    value = decoded(text) if text not in NULL else None
    if isinstance(value, dict):
        printed = [value[name] for name in ("stdout", "stderr") if isinstance(value.get(name), str) and value[name]]
        if printed or "stdout" in value:
            return "\n".join(printed)
        value = value.get("content", value)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in value]
        texts = [part for part in parts if isinstance(part, str)]
        if texts:
            return "\n".join(texts)
    return "" if value is None else text.decode("utf-8", "replace")


def use_of(raw: Raw) -> ToolUse | None:
    """Return a response as the transcript keeps it beside the text; None where it is of no such shape."""
    value = decoded(bytes(raw)) if bytes(raw) not in NULL else None
    if not isinstance(value, dict):
        return None
    try:
        return msgspec.convert(_with_raw(value), ToolUse)
    except msgspec.ValidationError:
        return None


def _with_raw(value: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a transcript's result has; those that are kept as bytes are only told to be there."""
    raw = ("file", "filePath", "filenames")
    return {name: Raw(b"0") if name in raw else member for name, member in value.items()}


def _payload(raw: bytes) -> Payload | None:
    try:
        if raw[:1] == b'"':
            raw = msgspec.json.decode(raw, type=str).encode("utf-8", "replace")
        return DECODER.decode(raw) if raw[:1] == b"{" else None
    except (msgspec.DecodeError, RecursionError):
        return None
