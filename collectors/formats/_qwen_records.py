"""The records of a Qwen Code chat."""

import msgspec
from msgspec import Raw, Struct

from collectors.formats._codex_records import Whole
from collectors.formats._gemini_calls import Part


class Content(Struct, gc=False):
    """A content of the Gemini API."""

    role: str | None = None
    parts: list[Part | str] | None = None


class ToolResult(Struct, gc=False, rename="camel"):
    """`toolCallResult`."""

    call_id: str | None = None
    status: str | None = None
    error_type: str | None = None


class UiEvent(Struct, gc=False):
    """An event of the telemetry."""

    name: str | None = msgspec.field(default=None, name="event.name")
    call_id: str | None = None
    function_name: str | None = None
    function_args: Raw = Raw(b"")
    duration_ms: int | float | None = None
    status: str | None = None
    success: bool | None = None
    error: str | None = None
    error_type: str | None = None
    status_code: int | float | str | None = None


class SystemPayload(Struct, gc=False, rename="camel"):
    """`systemPayload`."""

    ui_event: UiEvent | None = None
    display_text: str | None = None


class Usage(Struct, gc=False, rename="camel"):
    """`usageMetadata`."""

    prompt_token_count: Whole | None = None
    candidates_token_count: Whole | None = None
    cached_content_token_count: Whole | None = None


class Origin(Struct, gc=False, rename="camel"):
    """`forkedFrom`."""

    session_id: str | None = None


class Line(Struct, gc=False, rename="camel"):
    """One record."""

    uuid: str | None = None
    session_id: str | None = None
    timestamp: str | int | float | None = None
    type: str | None = None
    subtype: str | None = None
    cwd: str | None = None
    version: str | None = None
    model: str | None = None
    agent_id: str | None = None
    message: Content | None = None
    tool_call_result: ToolResult | None = None
    usage_metadata: Usage | None = None
    system_payload: SystemPayload | None = None
    forked_from: Origin | None = None
