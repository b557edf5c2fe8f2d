"""A call and a result as events, put together the same way for every format that has shells, tools and texts."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec
from msgspec.structs import replace

from collectors import identity
from collectors.conventions import CALL, RESULT, TURN
from collectors.envelope import Ladder
from collectors.events import Event
from collectors.formats import _results
from collectors.formats._keep import window
from collectors.formats._outcomes import Outcome
from collectors.formats._results import (
    arguments_text,
    damage_flags,
    digest,
    ladder_slots,
    merged,
    output_slots,
    with_identity,
)
from collectors.identity import Identity
from collectors.rules import Rules, current

MAX_NAME = 200
"""Characters of a tool's name that are kept."""
_SHORT = 1_000
_NOTHING: dict[str, Any] = {}


def shell_call(base: Event, uid: str, name: str, command: str, *, cwd: str | None, raw: bytes = b"") -> Event:
    """Return the call of a shell with a command string; `raw` are the argument bytes as written."""
    found = identity.of_shell(name, command, cwd=cwd, raw=raw)
    return with_identity(replace(base, event_name=CALL, uid=uid, tool_name=name[:MAX_NAME], cwd=cwd), found)


def argv_call(base: Event, uid: str, name: str, argv: list[str], *, cwd: str | None, raw: bytes = b"") -> Event:
    """Return the call of a shell with an argument vector."""
    found = identity.of_argv(name, argv, cwd=cwd, raw=raw)
    return with_identity(replace(base, event_name=CALL, uid=uid, tool_name=name[:MAX_NAME], cwd=cwd), found)


def tool_call(base: Event, uid: str, name: str, values: object, *, cwd: str | None, raw: bytes = b"") -> Event:
    """Return the call of a structured tool; arguments that are no object stand under `input`."""
    name = name[:MAX_NAME]
    arguments = values if isinstance(values, dict) else {} if values is None else {"input": values}
    found = identity.of_tool(name, arguments, cwd=cwd, raw=raw)
    text = window(arguments_text(arguments), "arguments")
    return with_identity(replace(base, event_name=CALL, uid=uid, tool_name=name, cwd=cwd, arguments=text), found)


def json_call(base: Event, uid: str, name: str, raw: bytes, *, cwd: str | None) -> Event:
    """Return the call of a structured tool whose arguments are JSON; small ones are kept, as they often repeat."""
    name = name[:MAX_NAME]
    found, text = (_json_tool if len(raw) <= _SHORT else _json_tool.__wrapped__)(name, raw, cwd, current())
    return with_identity(replace(base, event_name=CALL, uid=uid, tool_name=name, cwd=cwd, arguments=text), found)


@lru_cache(maxsize=4096)
def _json_tool(name: str, raw: bytes, cwd: str | None, rules: Rules) -> tuple[Identity, str]:
    values = msgspec.json.decode(raw) if raw else {}
    arguments = values if isinstance(values, dict) else {} if values is None else {"input": values}
    found = identity.of_tool(name, arguments, cwd=cwd, raw=raw, rules=rules)
    return found, window(arguments_text(arguments), "arguments")


def ladder_in(text: str, base: Event) -> Ladder | None:
    """Return the ladder that a result's text holds, which arrived at the time of `base`."""
    return _results.ladder_in(text, base.time_unix_nano)


def result_event(
    base: Event,
    uid: str,
    text: str,
    outcome: Outcome,
    ladder: Ladder | None,
    *,
    signalled_ok: bool | None,
    is_data: bool = False,
    slots: Mapping[str, Any] = _NOTHING,
) -> Event:
    """Return a result.

    Args:
        base: what the events of its record share, `call_id` among it.
        uid: `r:` or `e:` and the name of the call.
        text: what the tool answered, without the harness's own lines.
        outcome: what the record says about the call's end.
        ladder: the envelope in the text.
        signalled_ok: what the model reads first.
        is_data: whether the text is what the call asked for: it is no evidence then.
        slots: what else the record states; it comes before what the text says.
    """
    flags = merged(base.flags, ladder.flags if ladder else None, damage_flags(text, outcome.status, ladder))
    said = output_slots(text, outcome.status, ladder, is_data=is_data) | ladder_slots(ladder)
    said |= {name: value for name, value in slots.items() if value is not None}
    return replace(
        base,
        event_name=RESULT,
        uid=uid,
        status=outcome.status,
        status_reason=outcome.reason,
        signalled_ok=signalled_ok,
        flags=flags,
        **said,
    )


def turn_event(base: Event, kind: str, said: str, *, slots: Mapping[str, Any] = _NOTHING) -> Event:
    """Return a turn; `said` only tells it from others of its session, and is not kept."""
    uid = f"t:{kind}:{base.session_id}:{digest(said.encode('utf-8', 'replace'))}"
    return replace(base, event_name=TURN, uid=uid, turn_kind=kind, **slots)


def decoded(text: str | bytes) -> object:
    """Return what JSON text says; None where it is none."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None
