"""JSON small enough to be stored beside an error and always valid."""

from collections.abc import Mapping

import msgspec

from collectors.redact import redact
from collectors.text import clean, excerpt

_MAX_DEPTH = 64
_MEMBER = 200
_INT64 = 2**63


def plain_json(value: object) -> str:
    """Return the value as compact JSON, nothing deeper than 64, numbers beyond 64 bits as text."""
    return msgspec.json.encode(_pruned(value, _MAX_DEPTH)).decode()


def compact_json(value: object, *, limit: int) -> str | None:
    """Return the value as JSON of at most `limit` characters, without secrets; None for null and for empty.

    Where it is longer, the first members that fit are kept as text, cut, and the others are counted.
    """
    if value is None or value in ({}, [], ""):
        return None
    whole = redact(plain_json(value))
    if len(whole) <= limit and _is_json(whole):
        return whole
    members = value if isinstance(value, Mapping) else {"value": value}
    kept: dict[str, str] = {}
    for key, member in members.items():
        text = redact(clean(member)[0] if isinstance(member, str) else plain_json(member))
        kept[excerpt(redact(clean(str(key))[0]), _MEMBER)] = excerpt(text, _MEMBER)
        if len(plain_json(kept)) > limit - 80:
            kept.popitem()
            break
    return plain_json({**kept, "...": f"{len(members) - len(kept)} of {len(members)} members omitted, the others cut"})


def _is_json(text: str) -> bool:
    """Return whether redaction has left the text valid: a secret may have held the quote that closed a string."""
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except msgspec.DecodeError:
        return False
    return True


def _pruned(value: object, depth: int) -> object:
    if isinstance(value, str):
        return clean(value)[0]
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, int):
        return value if -_INT64 <= value < _INT64 else str(value)
    if depth == 0:
        return "..."
    if isinstance(value, Mapping):
        return {clean(str(key))[0]: _pruned(member, depth - 1) for key, member in value.items()}
    return [_pruned(member, depth - 1) for member in value] if isinstance(value, list | tuple) else str(value)
