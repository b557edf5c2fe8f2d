"""The fields of a Claude Code record that a reader needs; everything else is skipped while decoding."""

from typing import Annotated

import msgspec
from msgspec import Raw, Struct

UNSTATED = Raw(b"")

Whole = Annotated[int, msgspec.Meta(ge=-(2**61), le=2**61)]
"""An integer that a column of 64 bits can hold."""


class Usage(Struct, gc=False):
    """Tokens of one API message; repeated on each of its lines, the last line has the whole."""

    input_tokens: Whole | None = None
    cache_creation_input_tokens: Whole | None = None
    output_tokens: Whole | None = None


class Part(Struct, gc=False):
    """One part of a result's content; parts that are no text (images) keep only their type."""

    type: str | None = None
    text: str | None = None


class Block(Struct, gc=False):
    """One content block: text, tool_use or tool_result."""

    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Raw = UNSTATED
    tool_use_id: str | None = None
    content: str | list[Part | str] | None = None
    is_error: bool | None = None


class Message(Struct, gc=False):
    """The API message of a record."""

    id: str | None = None
    model: str | None = None
    content: str | list[Block | str] | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class Task(Struct, gc=False):
    """State of a background task, as a later call that asks for it reports."""

    task_id: str | None = None
    status: str | None = None
    exit_code: Whole | None = msgspec.field(default=None, name="exitCode")


class ToolUse(Struct, gc=False, rename="camel"):
    """`toolUseResult` where it is an object: what the harness knows beside the text."""

    interrupted: bool | None = None
    was_interrupted: bool | None = None
    status: str | None = None
    is_async: bool | None = None
    agent_id: str | None = None
    background_task_id: str | None = None
    shell_id: str | None = None
    exit_code: Whole | None = None
    task: Task | None = None
    duration_ms: int | float | None = None
    duration_seconds: int | float | None = None
    total_duration_ms: int | float | None = None
    total_tokens: Whole | None = None
    return_code_interpretation: str | None = None
    code: Whole | None = None
    """HTTP status of a fetch."""
    file: Raw = UNSTATED
    file_path: Raw = UNSTATED
    filenames: Raw = UNSTATED

    @property
    def is_data(self) -> bool:
        """Whether the text is what the call asked for: a file, an edit's surroundings, search hits."""
        return not (self.file is self.file_path is self.filenames is UNSTATED)


class ApiError(Struct, gc=False):
    """`error` of a `system/api_error` record."""

    status: Whole | None = None


class Attachment(Struct, gc=False):
    """`attachment`: hook output, reminders, and prompts typed while the agent was working."""

    type: str | None = None
    prompt: str | list[Part | str] | None = None


class Origin(Struct, gc=False):
    """Who put a user record there, where it was not a person."""

    kind: str | None = None


class Line(Struct, gc=False, rename="camel"):
    """One line of a transcript."""

    type: str | None = None
    subtype: str | None = None
    session_id: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    timestamp: str | int | float | None = None
    version: str | None = None
    cwd: str | None = None
    agent_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    message: Message | None = None
    content: str | list[Raw] | None = None
    tool_use_result: ToolUse | str | list[Raw] | None = None
    tool_denial_kind: str | None = None
    origin: Origin | None = None
    attachment: Attachment | None = None
    request_session_id: str | None = None
    forked_from: Raw = UNSTATED
    is_api_error_message: bool | None = None
    api_error_status: Whole | None = None
    error: str | ApiError | None = None
    retry_in_ms: int | float | None = None
    retry_attempt: Whole | None = None
    max_retries: Whole | None = None


DECODER = msgspec.json.Decoder(Line)
