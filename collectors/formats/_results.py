"""The slots of a result that come from its text and its envelope; the same for every format that has both.

Agents get the same short texts again and again, so what those show is remembered.
"""

from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from collectors import envelope, fingerprint, identity
from collectors.envelope import Ladder, is_damaged
from collectors.events import Event
from collectors.formats._keep import window
from collectors.formats._outcomes import echoed_exit_code
from collectors.identity import Identity
from collectors.text import looks_failed

Number = int | float | str | None
DAMAGED = "envelope_damaged"
"""Flag: the text holds what begins like an envelope and cannot be decoded."""

_BROKEN = frozenset({"error", "killed", "not_run", "harness_fault"})
_QUIET = frozenset({None, "ok", "running"})
_LADDER_SLOTS = tuple(name for name in Ladder.__struct_fields__ if name not in {"duration_ms", "trace_id", "flags"})
_LONG_STRING = 500
_SHORT = 2_000
_END = 1_024
# the template of a fingerprint is 200 characters; masking much more would find no more
_TEMPLATE_SOURCE = 600


class Look(NamedTuple):
    """A text at first sight."""

    size: int
    """Bytes."""
    hash: str
    looks_failed: bool
    """Of the first and last 1,024 characters."""
    echoed_exit_code: int | None


def digest(data: bytes) -> str:
    """Return the 16 hex digits by which equal contents are recognised."""
    return blake2b(data, digest_size=8).hexdigest()


def whole(value: Number) -> int | None:
    """Return an integer however it is written; None for what is none, or too large for a column of 64 bits."""
    if isinstance(value, str):
        return int(value) if value.removeprefix("-").isdigit() and value.isascii() and len(value) < 19 else None
    return round(value) if value is not None and abs(value) < 2**62 else None


def content_id(raw: bytes) -> str:
    """Return an id for a record that has none: a hash of its line, whether or not the line was ended yet."""
    return f"h:{digest(raw.strip())}"


def ladder_slots(ladder: Ladder | None) -> dict[str, Any]:
    """Return what the tool stated, by slot of `Event`; empty where there is no envelope.

    What it did not state is left out, so that a code lifted from its text can stand there.
    """
    if ladder is None:
        return {}
    slots = {name: value for name in _LADDER_SLOTS if (value := getattr(ladder, name)) is not None}
    if ladder.fix_command:
        slots["fix_key"] = identity.fix_key(ladder.fix_command)
    return slots


def look(text: str, *, is_data: bool = False) -> Look:
    """Return what the text shows; what the caller asked for (`is_data`: a file, search hits) is no evidence."""
    if is_data:
        data = text.encode("utf-8", "replace")
        return Look(len(data), digest(data), False, None)
    return _look(text) if len(text) <= _SHORT else _look.__wrapped__(text)


def ladder_in(text: str, received_unix_nano: int | None) -> Ladder | None:
    """Return the ladder in the text; None where it holds no envelope."""
    if "{" not in text and "HTTP/" not in text:
        return None
    # a declared wait may be a date, and then depends on when it was received
    if len(text) > _SHORT or "etry" in text:
        return envelope.find(text, received_unix_nano=received_unix_nano)
    return _undated(text)


def output_slots(
    text: str, status: str | None, ladder: Ladder | None, *, seen: Look | None = None, is_data: bool = False
) -> dict[str, Any]:
    """Return size and hash of the text, and what is kept of a result that failed or looks as if it had.

    A clean success keeps no text.

    Args:
        text: all of it.
        status: what the record signals.
        ladder: what was found in it.
        seen: its `look`, where the caller had one.
        is_data: as for `look`.
    """
    seen = seen or look(text, is_data=is_data)
    slots: dict[str, Any] = {"output_bytes": seen.size, "output_hash": seen.hash, "looks_failed": seen.looks_failed}
    if text and (seen.looks_failed or status not in _QUIET or (ladder is not None and ladder.is_failure)):
        slots["output"] = window(text, "output")
    if status in _BROKEN and (ladder is None or ladder.error_code is None):
        slots["fingerprint"], slots["error_code"], slots["code_source"] = _uncoded(_ends(text))
    return slots


def damage_flags(text: str, status: str | None, ladder: Ladder | None) -> tuple[str, ...]:
    """Return the flag of an envelope that was cut, for a result that failed without a readable one."""
    return (DAMAGED,) if ladder is None and status in _BROKEN and is_damaged(text) else ()


def with_identity(call: Event, found: Identity) -> Event:
    """Return the call with what was called, by whom its status is owned and what it may do.

    Slot by slot into a copy: `replace` with so many keywords takes 1.4 us, this 0.8.
    """
    call = replace(call)
    call.program = found.program
    call.operation = found.operation
    call.target = found.target
    call.exact_key = found.exact_key
    call.invocation_key = found.invocation_key
    call.operation_key = found.operation_key
    call.argv_key = found.argv_key
    call.command = None if found.command is None else window(found.command, "command")
    call.is_context_known = found.is_context_known
    call.status_owner = found.status_owner
    call.status_reason = found.status_reason
    call.benign_exits = found.benign_exits
    call.is_wait = found.is_wait
    call.is_read_only = found.is_read_only
    call.is_viewer = found.is_viewer
    call.idempotency_key = found.idempotency_key
    if found.flags:
        call.flags = merged(call.flags, found.flags)
    return call


def arguments_text(arguments: object) -> str:
    """Return structured arguments as compact JSON; strings longer than 500 characters give way to their length.

    A long string is the body of a file or a prompt: the call is known by the others.
    """
    text = msgspec.json.encode(arguments).decode()
    return text if len(text) <= _LONG_STRING else msgspec.json.encode(_shortened(arguments)).decode()


def _shortened(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _LONG_STRING else f"[... {len(value)} characters omitted ...]"
    if isinstance(value, dict):
        return {key: _shortened(member) for key, member in value.items()}
    return [_shortened(member) for member in value] if isinstance(value, list) else value


def merged(*groups: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """Return the flags of all groups, each once, in order; None where there are none."""
    stated = [group for group in groups if group]
    return tuple(dict.fromkeys(flag for group in stated for flag in group)) if stated else None


def attributes(values: Mapping[str, object]) -> str | None:
    """Return the stated values as JSON for the `attributes` column; None where none is stated."""
    kept = {name: value for name, value in values.items() if value is not None}
    return msgspec.json.encode(kept).decode() if kept else None


@lru_cache(maxsize=8_192)
def _look(text: str) -> Look:
    data = text.encode("utf-8", "replace")
    return Look(len(data), digest(data), looks_failed(_ends(text)), echoed_exit_code(text))


@lru_cache(maxsize=8_192)
def _undated(text: str) -> Ladder | None:
    return envelope.find(text)


@lru_cache(maxsize=4_096)
def _uncoded(text: str) -> tuple[str | None, str | None, str | None]:
    """Return fingerprint, lifted code and its source: what a failure that states no code is grouped by."""
    code, source = fingerprint.lift(text) or (None, None)
    return fingerprint.fingerprint(text[:_TEMPLATE_SOURCE]), code, source


def _ends(text: str) -> str:
    return text if len(text) <= 2 * _END else f"{text[:_END]}\n{text[-_END:]}"
