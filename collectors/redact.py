"""Secrets taken out of text before it is stored.

Three kinds of evidence: a shape that only a credential has (`secret_shapes`), a place that holds one
(`secret_places`: headers, URLs, key blocks), and a name that announces one (`secret_names`:
`password=`, `--token`, `"client_secret":`). Text is passed over twice, once for long unbroken runs
and once for announcing words; patterns are only tried where one of these stands.
"""

from collections.abc import Iterator
from typing import NamedTuple

from collectors.secret_names import NAMES, named_secret
from collectors.secret_places import PLACES, headless_keys
from collectors.secret_shapes import DOTTED, PREFIXED, Shape, any_of
from collectors.text import excerpt, joined

_MARK = "[redacted:"
_SHORTEST = 6
_MARGIN = 1000
_RUN_LENGTH = 20
_RUN = b"a" * _RUN_LENGTH
_IN_RUN = bytes(97 if byte < 128 and (chr(byte).isalnum() or byte in b"_-") else 32 for byte in range(256))
_BEGINNINGS = frozenset(prefix[:2] for prefix in PREFIXED)
_DOTS = frozenset(".:")
_PLACES = tuple(
    (word.encode(), tuple(((shape.trigger or word).encode(), shape) for shape in shapes)) for word, shapes in PLACES
)
_NAMES = tuple((name.encode(), name) for name in NAMES)
_ANY_PREFIX = any_of(PREFIXED)
_ANY_DOTTED = any_of(DOTTED)


class Span(NamedTuple):
    """Where a secret stands in a text."""

    start: int
    end: int
    kind: str


def redact(text: str) -> str:
    """Return the text with every secret replaced by `[redacted:<kind>]`; a second pass changes nothing.

    Placeholders (`<your-token>`, `$TOKEN`, `***`), names of codes and variables, paths and hashes
    stay: checks of a `fix_command` need them, and they give nobody away.
    """
    spans = secrets(text)
    return _replaced(text, spans) if spans else text


def secrets(text: str) -> list[Span]:
    """Return where the secrets of a text are, in no order; some may overlap."""
    if len(text) < _SHORTEST:
        return []
    plain = text.encode("ascii", "replace")  # every character at its place, and a quarter of the width
    lowered = plain.lower()
    spans = list(_runs(text, plain)) if len(text) >= _RUN_LENGTH else []
    for word, shapes in _PLACES:
        if word in lowered:
            spans += _placed(shapes, text, lowered)
    for word, name in _NAMES:
        if word in lowered:
            spans += _named(word, name, text, lowered)
    if b"-----end " in lowered:
        spans += [Span(*key) for key in headless_keys(text)]
    return spans


def _runs(text: str, plain: bytes) -> Iterator[Span]:
    """Yield the secrets that begin a long unbroken run; runs are found by search in a text of two characters."""
    runs = plain.translate(_IN_RUN)
    start = runs.find(_RUN)
    while start >= 0:
        end = runs.find(b" ", start)
        if text[start - 1 : start] == "\\":
            start += 1  # the n of an escaped line end
        found: list[Span] = []
        if text[start : start + 2] in _BEGINNINGS and (prefix := _ANY_PREFIX.match(text, start)):
            found = _found(PREFIXED[prefix[0]], text, start)
        elif text[start - 1 : start] in _DOTS and (prefix := _ANY_DOTTED.search(text, max(0, start - 9), start + 2)):
            found = _found(DOTTED[prefix[0]], text, prefix.start())
        yield from found
        start = runs.find(_RUN, max(end, _end(found))) if end >= 0 else -1


def _placed(shapes: tuple[tuple[bytes, Shape], ...], text: str, lowered: bytes) -> Iterator[Span]:
    for trigger, shape in shapes:
        position = lowered.find(trigger)
        while position >= 0:
            found = _found(shape, text, position)
            yield from found
            position = lowered.find(trigger, max(position + len(trigger), _end(found)))


def _named(word: bytes, name: str, text: str, lowered: bytes) -> Iterator[Span]:
    position = lowered.find(word)
    while position >= 0:
        value = named_secret(name, text, position)
        if value:
            yield Span(*value)
        position = lowered.find(word, max(position + len(word), value[1] if value else 0))


def _found(shape: Shape, text: str, position: int) -> list[Span]:
    match = shape.pattern.match(text, position)
    if match is None or _MARK in match["s"] or (shape.accepts and not shape.accepts(match["s"])):
        return []
    return [Span(match.start("s"), match.end("s"), shape.kind)]


def _end(found: list[Span]) -> int:
    return found[-1].end if found else 0


def storable(text: str, limit: int = 4000) -> str:
    """Return head and tail of a text without its secrets, at a cost that its length does not change.

    A margin beyond what is kept is searched too: a secret that the cut would halve is found whole.
    """
    if len(text) <= limit + 2 * _MARGIN:
        return excerpt(redact(text), limit)
    half = limit // 2
    head, tail = redact(text[: half + _MARGIN]), redact(text[-half - _MARGIN :])
    return joined(head, tail, limit=limit, count=len(text))


def _replaced(text: str, spans: list[Span]) -> str:
    """Replace the spans; where they overlap the first to begin names the kind and the last to end the end."""
    pieces: list[str] = []
    end = 0
    for span in sorted(spans, key=lambda span: span.start):
        if span.start >= end:
            pieces += (text[end : span.start], _MARK, span.kind, "]")
        end = max(end, span.end)
    return "".join((*pieces, text[end:]))
