"""JSON objects inside polluted output, found by decoding at each brace, in linear time.

Source: the extraction rule of the envelope contract (brace-matched decoding of every maximal value).
"""

import json
import re
from collections.abc import Iterator
from typing import NamedTuple

MAX_DEPTH = 64
_WINDOW = 512
_GROWTH = 8
_NEAR_END = 12
"""A literal, an escape or a number cut by the window's end fails at most this far before it."""

# What can begin a value that holds something. Anything else would cost an exception each, and a page of
# `[1[1[1` or `{"{"{"` is made of nothing else; an empty object or array holds no envelope.
_START = re.compile(
    r"\{\s*+\"(?:[^\"\\\x00-\x1f]|\\.){0,256}+\"\s*+:"
    r"|\[\s*+(?:[\"\[{]|(?:-?\d[\d.eE+-]{0,40}+|true|false|null|NaN|-?Infinity)\s*+,)"
)

_RUN = re.compile(r"[\[{\s]+")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]+|[\]}]+', re.DOTALL)
_ENVELOPE_KEY = re.compile(r'"ok"\s{0,8}:\s{0,8}(?:true|false)|"error"\s{0,8}:\s{0,8}\{')


def _parse_int(digits: str) -> object:
    """Return the number, or its text where it has more digits than any field can hold."""
    return int(digits) if len(digits) <= 40 else digits


_DECODER = json.JSONDecoder(parse_int=_parse_int, parse_constant=lambda name: None)


class Scan(NamedTuple):
    """What a text holds."""

    with_ok: dict[str, object] | None
    """The last object with a boolean `ok`."""
    last: dict[str, object] | None
    """The last complete object that is not empty."""
    is_damaged: bool
    """Whether a value that starts like an envelope could not be decoded."""


class _Value(NamedTuple):
    value: object
    start: int
    end: int
    is_complete: bool


def scan(text: str) -> Scan:
    """Return the objects that matter in the text; what stands inside a value that broke off is a fragment."""
    with_ok: dict[str, object] | None = None
    last: dict[str, object] | None = None
    is_damaged = is_broken = False
    for found in _values(text):
        if not found.is_complete:
            is_broken = is_broken or found.end - found.start > 4
            is_damaged = is_damaged or _ENVELOPE_KEY.search(text, found.start, found.end) is not None
        elif is_broken and _is_nested(text, found):
            continue
        elif isinstance(found.value, dict):
            is_broken = False
            last = found.value
            if isinstance(last.get("ok"), bool):
                with_ok = last
    return Scan(with_ok, last, is_damaged)


def _values(text: str) -> Iterator[_Value]:
    first = min((at for at in (text.find("{"), text.find("[")) if at >= 0), default=len(text))
    start = _START.search(text, first)
    while start:
        found = _decode(text, start.start())
        yield found
        start = _START.search(text, max(found.end, found.start + 1))


def _decode(text: str, start: int) -> _Value:
    """Decode the value at `start` through a growing window; where it fails, `end` is the place of the failure.

    A window, because the standard decoder counts the lines before every failure: on the whole text
    that makes a page of braces quadratic.
    """
    size = _WINDOW
    while True:
        window = text[start : start + size]
        try:
            value, end = _DECODER.raw_decode(window)
        except json.JSONDecodeError as problem:
            is_open = problem.msg.startswith("Unterminated")
            if (is_open or problem.pos >= len(window) - _NEAR_END) and start + size < len(text):
                size *= _GROWTH
                continue
            return _Value(None, start, start + (len(window) if is_open else problem.pos), False)
        except RecursionError:
            return _Value(None, start, _past_the_depth(text, start), False)
        return _Value(value, start, start + end, True)


def _past_the_depth(text: str, start: int) -> int:
    """Return where to go on after a value too deep to decode: its closing brace, matched without decoding."""
    run = _RUN.match(text, start)
    if run and run.end() - start > MAX_DEPTH and len(run[0].split()) <= MAX_DEPTH:
        return run.end() - 1
    depth = 0
    for token in _TOKEN.finditer(text, start):
        if token[0][0] in "[{":
            depth += len(token[0])
        elif token[0][0] in "]}":
            depth -= len(token[0])
            if depth <= 0:
                return token.end()
    return len(text)


def _is_nested(text: str, found: _Value) -> bool:
    """Return whether the neighbours of a value say that it stood inside another one."""
    before = text[max(0, found.start - 64) : found.start].rstrip()
    after = text[found.end : found.end + 64].lstrip()
    return before.endswith((",", "[", '":')) or after.startswith((",", "]", "}"))
