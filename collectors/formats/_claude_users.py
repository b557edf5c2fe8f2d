"""Events of the other Claude Code records: results, prompts, interruptions, ends of background tasks, API errors."""

from typing import Any

from msgspec.structs import replace

from collectors.conventions import RESULT, SESSION_END
from collectors.events import Event
from collectors.formats import _claude_outcome
from collectors.formats._claude_context import NO_ID, call_id, turn
from collectors.formats._claude_records import ApiError, Block, Line, ToolUse
from collectors.formats._claude_text import INTERRUPTION, TaskEnd, content_text, is_exit, is_prompt, task_end
from collectors.formats._results import (
    attributes,
    damage_flags,
    ladder_in,
    ladder_slots,
    look,
    merged,
    output_slots,
    whole,
)

BACKGROUND_END = "background_end"
_END_STATES = {"completed": "ok", "failed": "error", "killed": "killed", "stopped": "killed"}


def user_events(line: Line, base: Event, raw: bytes) -> list[Event]:
    """Return the results of a record, then what its text is, if it is anything."""
    content = line.message.content if line.message else None
    if isinstance(content, str):
        return _text_events(line, base, content)
    events: list[Event] = []
    for index, block in enumerate(content or ()):
        if isinstance(block, str):
            events += _text_events(line, base, block)
        elif block.type == "tool_result":
            events += _result(block, line, base, call_id(block.tool_use_id, raw, index))
        elif block.type == "text" and block.text:
            events += _text_events(line, base, block.text)
    return events


def queue_events(line: Line, base: Event, raw: bytes) -> list[Event]:
    """Return the end of a background task that waits in the queue; a prompt in it comes again as a user record."""
    end = task_end(line.content) if isinstance(line.content, str) else None
    return [_background_end(end, base)] if end else []


def attachment_events(line: Line, base: Event, raw: bytes) -> list[Event]:
    """Return what was typed, or ended, while the agent was working; the other attachments are the harness's."""
    if line.attachment is None or line.attachment.type != "queued_command":
        return []
    return _text_events(line, base, content_text(line.attachment.prompt))


def system_events(line: Line, base: Event, raw: bytes) -> list[Event]:
    """Return a retry of the model's API, or a compaction."""
    if line.subtype == "compact_boundary":
        return [turn("compaction", line, base, "")]
    if line.subtype != "api_error":
        return []
    status = line.error.status if isinstance(line.error, ApiError) else None
    stated = {"retry_attempt": line.retry_attempt, "max_retries": line.max_retries, "retry_in_ms": line.retry_in_ms}
    reason = str(status) if status else line.error if isinstance(line.error, str) else "api_error"
    return [turn("api_error", line, base, str(line.retry_attempt), reason=reason, attributes=attributes(stated))]


def _text_events(line: Line, base: Event, text: str) -> list[Event]:
    if text.startswith(INTERRUPTION):
        return [turn("interruption", line, base, text)]
    if end := task_end(text):
        return [_background_end(end, base)]
    if is_exit(text) and not line.is_meta:
        uid = f"s:{base.session_id}:{line.uuid or base.position}"
        return [replace(base, event_name=SESSION_END, uid=uid, reason="exit")]
    # 1.0 marks a compaction by its summary alone, 2.0 by a boundary as well
    if line.is_compact_summary and not line.is_visible_in_transcript_only:
        return [turn("compaction", line, base, "")]
    return [turn("prompt", line, base, text)] if is_prompt(line, text) else []


def _result(block: Block, line: Line, base: Event, identifier: str) -> list[Event]:
    text, is_wrapped = _claude_outcome.unwrapped(content_text(block.content))
    is_error = bool(block.is_error)
    exit_code, text = _claude_outcome.split_exit(text, is_error=is_error)
    use = line.tool_use_result if isinstance(line.tool_use_result, ToolUse) else None
    is_data = use is not None and use.is_data
    seen = look(text, is_data=is_data)
    ladder = None if is_data else ladder_in(text, base.time_unix_nano)
    outcome = _claude_outcome.of_result(
        line, text, is_error=is_error, is_wrapped=is_wrapped, exit_code=exit_code, has_envelope=ladder is not None
    )
    flags = base.flags
    if ladder is not None or is_error or block.tool_use_id is None:
        damage = damage_flags(text, outcome.status, ladder)
        flags = merged(flags, ladder.flags if ladder else None, damage, None if block.tool_use_id else NO_ID)
    result = replace(base, event_name=RESULT, uid=f"r:{identifier}", call_id=identifier, flags=flags)
    result.status, result.status_reason = outcome
    result.signalled_ok = not is_error
    result.exit_code, result.echoed_exit_code = exit_code, seen.echoed_exit_code
    _set(result, output_slots(text, outcome.status, ladder, seen=seen))
    if use:
        _set(result, _stated(use))
    if ladder:
        _set(result, ladder_slots(ladder))
    ended = _asked_after(use)
    return [result, _background_end(ended, base)] if ended else [result]


def _set(event: Event, slots: dict[str, Any]) -> None:
    for name, value in slots.items():
        setattr(event, name, value)


def _stated(use: ToolUse) -> dict[str, Any]:
    """Return what the harness states beside the text."""
    slots: dict[str, Any] = {}
    duration = use.total_duration_ms if use.total_duration_ms is not None else use.duration_ms
    if duration is None and use.duration_seconds is not None:
        duration = use.duration_seconds * 1000
    if duration is not None:
        slots["duration_ms"] = whole(duration)
    if use.code is not None and 100 <= use.code <= 599:
        slots["http_status"] = use.code
    if use.total_tokens is not None:
        slots["tokens"] = use.total_tokens
    launched = use.background_task_id or (use.agent_id if use.is_async or use.status == "async_launched" else None)
    if launched:
        slots["attributes"] = attributes({"task_id": launched})
    return slots


def _asked_after(use: ToolUse | None) -> TaskEnd | None:
    """Return the end of a background task that a call which asked after it was told."""
    if use is None:
        return None
    if use.task is not None and use.task.task_id and use.task.exit_code is not None:
        return TaskEnd(use.task.task_id, None, use.task.status, use.task.exit_code)
    if use.shell_id and use.exit_code is not None:
        return TaskEnd(use.shell_id, None, use.status, use.exit_code)
    return None


def _background_end(end: TaskEnd, base: Event) -> Event:
    """Return the second result of a call that went on in the background.

    Older versions name only the task: then `call_id` is `task:<id>` and the launch receipt of the
    same session has the id in its attributes.
    """
    status = _END_STATES.get(end.state or "")
    if status == "ok" and end.exit_code:
        status = "error"
    return replace(
        base,
        event_name=RESULT,
        uid=f"e:{end.tool_use_id or base.session_id + '/' + str(end.task_id)}",
        call_id=end.tool_use_id or f"task:{end.task_id}",
        status=status,
        status_reason=BACKGROUND_END,
        signalled_ok=None if status is None else status == "ok",
        exit_code=end.exit_code,
        duration_ms=end.duration_ms,
        tokens=end.tokens,
        attributes=attributes({"task_id": end.task_id}),
    )
