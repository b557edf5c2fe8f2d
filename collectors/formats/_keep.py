"""The texts of an event as they may be kept: cut to head and tail, without secrets."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from collectors.conventions import CALL, RESULT
from collectors.events import Event
from collectors.redact import redact, secrets
from collectors.text import excerpt

LIMITS = {"output": 4000, "command": 4000, "arguments": 2000, "operation": 1000, "target": 1000}
"""Slots with text of the agent or of a tool, and the characters kept of each."""

_SLOTS: dict[str, tuple[str, ...]] = {CALL: ("command", "arguments", "operation", "target"), RESULT: ("output",)}
# Redaction sees this much more of head and tail than is kept, so that the cut leaves no half of a
# secret: every shape is recognised by less of it.
_MARGIN = 512
_SHORT = 1_000
_SEAM = "\n\0\0\n"
# No secret holds a line break and a NUL: what a joined text hides, its parts hide as well.
_SEPARATOR = "\n\0\n"


def window(text: str, slot: str) -> str:
    """Return as much of a text as `without_secrets` needs to see for that slot."""
    half = LIMITS[slot] // 2 + _MARGIN
    if len(text) <= 2 * half:
        return text
    return f"{text[:half]}{_SEAM}{len(text) - 2 * half}{_SEAM}{text[-half:]}"


def without_secrets(events: Sequence[Event]) -> None:
    """Replace the secrets in the texts of the events, in place, then cut the texts to what is kept.

    A search for secrets costs some fifty microseconds however short the text is, so the texts of many
    events are searched as one, and those where something was found again, alone.
    """
    places = [
        (event, slot, text)
        for event in events
        for slot in _SLOTS.get(event.event_name, ())
        if (text := getattr(event, slot))
    ]
    found = [_memory(text) if len(text) <= _SHORT else _nothing() for _, _, text in places]
    fresh = [text for cell, (_, _, text) in zip(found, places, strict=True) if cell[0] is None]
    safe = _redacted(list(dict.fromkeys(fresh)))
    for cell, (event, slot, before) in zip(found, places, strict=True):
        text = cell[0] = cell[0] or safe[before]
        if text != before or len(text) > LIMITS[slot]:
            setattr(event, slot, _cut(text, LIMITS[slot]))
    for event in events:
        if event.mentions:
            event.mentions = tuple(word for word in event.mentions if redact(word) == word) or None


@lru_cache(maxsize=16_384)
def _memory(text: str) -> list[str | None]:
    """Return the place where it is remembered what the text became; empty until it was searched."""
    return _nothing()


def _nothing() -> list[str | None]:
    return [None]


def _redacted(texts: list[str]) -> dict[str, str]:
    """Return what each text becomes."""
    found = secrets(_SEPARATOR.join(texts))
    if not found:
        return dict(zip(texts, texts, strict=True))
    starts = list(accumulate((len(text) + len(_SEPARATOR) for text in texts), initial=0))
    touched: set[int] = set()
    for start, end, _ in found:
        touched.update(range(bisect_right(starts, start) - 1, bisect_left(starts, end)))
    return {text: redact(text) if at in touched else text for at, text in enumerate(texts)}


def _cut(text: str, limit: int) -> str:
    parts = text.split(_SEAM) if len(text) > limit else ()
    if len(parts) != 3 or not parts[1].isdigit():
        return excerpt(text, limit)
    head, omitted, tail = parts
    half = limit // 2 - 20
    count = int(omitted) + max(0, len(head) - half) + max(0, len(tail) - half)
    return f"{head[:half]}\n[... {count} characters omitted ...]\n{tail[-half:]}"
