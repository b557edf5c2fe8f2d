"""A call and its result from one record that tells of both, as clients' events and spans do."""

from typing import Any, NamedTuple

from msgspec.structs import replace

from collectors.conventions import CALL
from collectors.events import Event
from collectors.formats._events import argv_call, ladder_in, result_event, shell_call, tool_call
from collectors.formats._outcomes import Outcome
from collectors.formats._results import merged
from collectors.otlp.facts import NO_COMMAND, NO_ID, Source, milliseconds, rest, start_of
from collectors.otlp.model import AnyValue


class Asked(NamedTuple):
    """What was called."""

    tool: str
    command: str | list[str] | None = None
    """Of a shell: its string or its argument vector."""
    arguments: AnyValue = None
    """Of any other tool; None where the client keeps them to itself."""
    cwd: str | None = None


class Answered(NamedTuple):
    """What came back."""

    text: str
    outcome: Outcome
    signalled_ok: bool | None
    exit_code: int | None = None
    flags: tuple[str, ...] = ()
    is_data: bool = False
    """The text is what was asked for, and no evidence."""


def both(
    source: Source, base: Event, asked: Asked, answered: Answered, *, name: str | None, used: tuple[str, ...] = ()
) -> list[Event]:
    """Return the call, at its start, and its result, at its end.

    Args:
        source: The record.
        base: What its events share.
        asked: What was called.
        answered: What came back.
        name: What names the call among all calls; None where the record has no id for it.
        used: Attributes that the events hold already; the others are kept with the result.
    """
    call = called(source, base, asked, name=name)
    return [call, ended(source, base, answered, name=name, used=used)]


def called(source: Source, base: Event, asked: Asked, *, name: str | None) -> Event:
    """Return the call, at its start."""
    base, key = _named(source, base, name)
    start = start_of(source.record, base.time_unix_nano, milliseconds(source.record))
    base = replace(base, time_unix_nano=start)
    uid = f"c:{key}"
    if isinstance(asked.command, list):
        return argv_call(base, uid, asked.tool, asked.command, cwd=asked.cwd)
    if asked.command is not None:
        return shell_call(base, uid, asked.tool, asked.command, cwd=asked.cwd)
    if asked.arguments is not None:
        return tool_call(base, uid, asked.tool, asked.arguments, cwd=asked.cwd)
    # without arguments no two calls can be told to be the same or of one operation
    flags = merged(base.flags, NO_COMMAND)
    return replace(base, event_name=CALL, uid=uid, tool_name=asked.tool, flags=flags)


def ended(source: Source, base: Event, answered: Answered, *, name: str | None, used: tuple[str, ...] = ()) -> Event:
    """Return the result, at its end."""
    base, key = _named(source, base, name)
    ladder = ladder_in(answered.text, base)
    slots: dict[str, Any] = {
        "exit_code": answered.exit_code,
        "duration_ms": milliseconds(source.record),
        "attributes": rest(source.record.attributes, "duration_ms", *used),
    }
    return result_event(
        replace(base, flags=merged(base.flags, answered.flags)),
        f"r:{key}",
        answered.text,
        answered.outcome,
        ladder,
        signalled_ok=answered.signalled_ok,
        is_data=answered.is_data,
        slots=slots,
    )


def _named(source: Source, base: Event, name: str | None) -> tuple[Event, str]:
    if name is not None:
        return base, name
    key = f"h:{source.key}"
    call_id = base.call_id or key
    return replace(base, call_id=call_id, flags=merged(base.flags, NO_ID)), f"{base.session_id}/{key}"
