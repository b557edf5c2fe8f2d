"""Codex rollouts: one JSON object `{timestamp, type, payload}` a line, versions 0.40 to 0.171.

A call is a `response_item` with a payload of type `function_call` (arguments are JSON in a string), `custom_tool_call`
(a free text, such as a patch) or `local_shell_call`; its result is a `..._output` with the same `call_id`. There is no
error flag: `_codex_output` says what the three shapes of output and the harness's own words mean. A program that
outlives its call goes on under a session id, and its exit code comes with the output of a later `write_stdin`; that,
and what `item_completed` or `exec_command_end` tell of a call, are second results of the first call.

Up to 0.58 a call is written together with its output, so it began that much earlier as the output says it ran.

The first `session_meta` names the session. A fork (`forked_from_id`) opens with the replayed history of its parent,
the `session_meta` of the parent in it, under the time of the replay: the ids of turns (UUIDs of version 7) tell where
they ran. Replayed records keep the names they have in their own session, are flagged, and have no time. A sub-agent
is a file of its own; its session is the one that started it and its thread is the actor.

Source: real rollouts and Codex's public source.
"""

import functools
from collections.abc import Callable, Iterable, Iterator

import msgspec

from collectors.events import Event, Record
from collectors.formats._codex_calls import call_events, output_events, unanswered
from collectors.formats._codex_ends import event_end, item_end
from collectors.formats._codex_records import DECODER, Line, Payload, text_of
from collectors.formats._codex_state import NAME, Rollout, base_event, begin, enter_turn, opened
from collectors.formats._codex_turns import (
    abort_events,
    completion_events,
    error_events,
    message_events,
    prompt_events,
)
from collectors.formats._codex_usage import take_usage
from collectors.formats._events import turn_event
from collectors.formats._keep import without_secrets
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._skipped import count, counted

__all__ = ["CANNOT_TELL", "NAME", "RESUMABLE", "TITLE", "UNIT", "WHERE", "looks_like", "read"]

TITLE = "Codex rollout"
WHERE: tuple[str, ...] = ("~/.codex/sessions/**/rollout-*.jsonl", "~/.codex/archived_sessions/rollout-*.jsonl")
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "whether a tool other than a shell failed, unless its answer or an event says so",
    "when a person was asked for permission, and for how long",
    "how a program ended that was still running when nobody asked after it any more",
    "the times of history that a fork replays",
)

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
_ENDS = frozenset({"exec_command_end", "mcp_tool_call_end", "patch_apply_end", "dynamic_tool_call_response"})
_KINDS = frozenset(
    {"session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record"}
)
_Handler = Callable[[Rollout, Payload, Event], list[Event]]
_SAID: dict[str, _Handler] = {
    "turn_aborted": abort_events,
    "error": error_events,
    "stream_error": error_events,
    "task_complete": completion_events,
    "turn_complete": completion_events,
}


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with lines of a rollout."""
    lines = complete(head)
    if any(_is_own(line) for line in lines):
        return True
    # the instructions in the first line may be longer than the head
    return len(lines) == 1 and b'"session_meta"' in lines[0] and b'"payload":' in lines[0]


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a rollout, a call with its output, rejects, and at the end what was skipped."""
    file = opened(path)
    yield from read_lines(lines, first_line, path, DECODER, functools.partial(_records, file))
    left = unanswered(file)
    without_secrets(left)
    yield from left
    yield from counted(file.skipped)


def _records(file: Rollout, line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]) -> Iterable[Record]:
    if line is None or line.type is None or line.payload is None:
        return _skip(file, "not_an_object" if line is None else line.type or "untyped")
    payload = line.payload
    if line.type == "response_item":
        if payload.type in _CALLS and not (payload.name or payload.action):
            return [rejected(file.path, number, raw, "missing_field")]
        events = _item_events(file, line, payload, number, raw, flags)
    elif line.type == "event_msg":
        events = _told_events(file, line, payload, number, flags)
    else:
        events = _other_events(file, line, payload, number, flags)
    return events if events is not None else _skip(file, f"{line.type}.{payload.type}" if payload.type else line.type)


def _item_events(
    file: Rollout, line: Line, payload: Payload, number: int, raw: bytes, flags: tuple[str, ...]
) -> list[Event] | None:
    if payload.type in _CALLS:
        return call_events(file, payload, base_event(file, line, number, flags), raw)
    if payload.type in _OUTPUTS:
        return output_events(file, payload, base_event(file, line, number, flags), raw)
    if payload.role is None:
        return None
    return message_events(file, payload, base_event(file, line, number, flags)) or None


def _told_events(
    file: Rollout, line: Line, payload: Payload, number: int, flags: tuple[str, ...]
) -> list[Event] | None:
    kind = payload.type or ""
    if kind in _SAID:
        return _SAID[kind](file, payload, base_event(file, line, number, flags)) or None
    if kind in _ENDS:
        return event_end(file, payload, base_event(file, line, number, flags)) or None
    if kind == "user_message":
        return prompt_events(file, payload.message or "", base_event(file, line, number, flags)) or None
    if kind == "item_completed" and payload.item is not None:
        base = base_event(file, line, number, flags)
        if payload.item.type == "UserMessage":
            return prompt_events(file, text_of(payload.item.content), base) or None
        return item_end(file, payload.item, base) or None
    if kind == "token_count":
        take_usage(file, payload)
    elif kind in ("task_started", "turn_started"):
        enter_turn(file, payload.turn_id)
    return None


def _other_events(
    file: Rollout, line: Line, payload: Payload, number: int, flags: tuple[str, ...]
) -> list[Event] | None:
    if line.type == "session_meta":
        begin(file, line, payload)
    elif line.type == "turn_context":
        enter_turn(file, payload.turn_id)
        file.model, file.cwd = payload.model or file.model, payload.cwd or file.cwd
    elif line.type == "token_usage_record":
        take_usage(file, payload)
    elif line.type == "compacted":
        base = base_event(file, line, number, flags)
        return [turn_event(base, "compaction", str(base.time_unix_nano or number))]
    return None


def _skip(file: Rollout, kind: str) -> Iterable[Record]:
    count(file.skipped, kind)
    return ()


def _is_own(line: bytes) -> bool:
    try:
        record = DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return record.type in _KINDS and record.payload is not None
