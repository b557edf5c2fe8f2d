"""Events: the one value every reader produces, and its two other forms, columns and LogRecord."""

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    pass


class Event(msgspec.Struct, kw_only=True, gc=False):
    """One thing that happened, with a slot for every row of `conventions.FIELDS`.

    None means "not stated": a missing `retryable` is not False. Times are nanoseconds since the
    Unix epoch, UTC; `time_unix_nano` of a call is its start, of a result its end. What a slot
    means stands beside its attribute in `conventions` and in `docs/events.md`.
    """

    event_name: str
    uid: str
    session_id: str
    time_unix_nano: int | None = None
    observed_time_unix_nano: int | None = None
    trace_id: str | None = None
    span_id: str | None = None
    format: str | None = None
    path: str | None = None
    position: int | None = None
    actor_id: str | None = None
    agent_name: str | None = None
    agent_version: str | None = None
    model: str | None = None
    turn_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    tokens: int | None = None
    call_id: str | None = None
    flags: tuple[str, ...] | None = None
    tool_name: str | None = None
    program: str | None = None
    operation: str | None = None
    target: str | None = None
    exact_key: str | None = None
    invocation_key: str | None = None
    operation_key: str | None = None
    argv_key: str | None = None
    command: str | None = None
    cwd: str | None = None
    arguments: str | None = None
    idempotency_key: str | None = None
    is_context_known: bool | None = None
    status_owner: str | None = None
    benign_exits: tuple[int, ...] | None = None
    is_wait: bool | None = None
    is_read_only: bool | None = None
    is_viewer: bool | None = None
    status: str | None = None
    status_reason: str | None = None
    signalled_ok: bool | None = None
    exit_code: int | None = None
    echoed_exit_code: int | None = None
    duration_ms: int | None = None
    output_bytes: int | None = None
    output_hash: str | None = None
    output: str | None = None
    looks_failed: bool | None = None
    fingerprint: str | None = None
    tool_version: str | None = None
    dialect: str | None = None
    envelope_ok: bool | None = None
    schema_version: str | None = None
    request_id: str | None = None
    error_code: str | None = None
    code_source: str | None = None
    message: str | None = None
    retryable: bool | None = None
    retryable_text: str | None = None
    retry_after_ms: int | None = None
    retry_strategy: str | None = None
    max_retries: int | None = None
    fix_required: str | None = None
    fix_command: str | None = None
    fix_source: str | None = None
    fix_key: str | None = None
    phase: str | None = None
    suggestion: str | None = None
    context: str | None = None
    side_effects: str | None = None
    http_status: int | None = None
    internal_attempts: int | None = None
    turn_kind: str | None = None
    mentions: tuple[str, ...] | None = None
    is_question: bool | None = None
    reason: str | None = None
    attributes: str | None = None


class Reject(msgspec.Struct, kw_only=True, frozen=True):
    """A record that could not be read: where it lies, why, and the start of its text (redacted)."""

    path: str
    position: int
    """Line number from 1; for a document that is no sequence of lines, the record's ordinal."""
    reason: str
    """One of `not_json`, `not_a_record`, `missing_field`, `bad_value`, `too_large`, `unreadable`."""
    excerpt: str = ""
    is_torn: bool = False
    """True where the line is the unfinished end of a file that is still being written."""


class Skipped(msgspec.Struct, kw_only=True, frozen=True):
    """Records that are well formed and hold no call, counted by kind (`non_call_records`)."""

    kind: str
    count: int


Record = Event | Reject | Skipped
