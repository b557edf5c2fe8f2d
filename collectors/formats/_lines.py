"""From the lines of a file to records: a fast lane, two that save what the fast one refuses, rejects for the rest."""

import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar, cast

import msgspec

from collectors.events import Event, Record, Reject
from collectors.formats._keep import without_secrets
from collectors.redact import redact

T = TypeVar("T", bound=msgspec.Struct)
EventsOf = Callable[[T | None, int, bytes, tuple[str, ...]], Iterable[Record]]
"""From a record, None where its line is JSON but no object, the line's number and bytes and the flags
of its events. It may be called again for the same line where it raises `msgspec.DecodeError`."""

REPAIRED = "text_repaired"
"""Flag: bytes that are no UTF-8, halves of surrogate pairs or raw control characters were replaced."""

_BATCH = 256
_BOM = b"\xef\xbb\xbf"
_BLANKS = b"\0 \t\r\n\f\v"
_EXCERPT_BYTES = 300
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_lines(
    lines: Iterable[bytes], first_line: int, path: str, decoder: msgspec.json.Decoder[T], events_of: EventsOf[T]
) -> Iterator[Record]:
    """Yield the records of the lines in order, texts without secrets, and a reject for each line that cannot be read.

    Args:
        lines: lines with their ends; one without is the last and may be unfinished.
        first_line: number of the first one.
        path: where they come from, for the rejects.
        decoder: the fast lane.
        events_of: what a record says.
    """
    decode = decoder.decode
    batch: list[Record] = []
    for number, line in enumerate(lines, first_line):
        try:
            batch += events_of(decode(line), number, line, ())
        except (msgspec.DecodeError, RecursionError):
            batch += _saved(line, number, path, decoder, events_of)
        if len(batch) >= _BATCH:
            yield from _finished(batch)
            batch = []
    yield from _finished(batch)


def complete(head: bytes, limit: int = 50) -> list[bytes]:
    """Return the first lines of a file's head, without BOM and blanks, without the last one that is cut."""
    lines = head.removeprefix(_BOM).split(b"\n", limit)
    whole = lines[:limit] if len(lines) > limit or head.endswith(b"\n") or len(lines) == 1 else lines[:-1]
    return [line for line in (line.strip(_BLANKS) for line in whole) if line]


def rejected(path: str, number: int, line: bytes, reason: str, *, torn: bool = False) -> Reject:
    """Return the reject for a line, with the redacted start of its text."""
    excerpt = redact(line[:_EXCERPT_BYTES].decode("utf-8", "replace").strip())
    return Reject(path=path, position=number, reason=reason, excerpt=excerpt, is_torn=torn)


def _finished(batch: list[Record]) -> list[Record]:
    without_secrets([record for record in batch if isinstance(record, Event)])
    return batch


def _saved(
    line: bytes, number: int, path: str, decoder: msgspec.json.Decoder[T], events_of: EventsOf[T]
) -> Iterable[Record]:
    bare = line.lstrip(_BLANKS).removeprefix(_BOM).strip(_BLANKS)
    if not bare:
        return ()
    try:
        return _loose(bare, bare, number, decoder, events_of)
    except (msgspec.DecodeError, RecursionError):
        whole = mended(bare)
    try:
        if whole is not None:
            return _loose(whole, bare, number, decoder, events_of, (REPAIRED,))
    except (msgspec.DecodeError, RecursionError):
        pass
    return [rejected(path, number, bare, "not_json", torn=not line.endswith(b"\n"))]


def _loose(
    line: bytes,
    raw: bytes,
    number: int,
    decoder: msgspec.json.Decoder[T],
    events_of: EventsOf[T],
    flags: tuple[str, ...] = (),
) -> Iterable[Record]:
    """Return the records of a line with fields of unusual types; `raw` is the line before it was mended."""
    try:
        record: T | None = decoder.decode(line)
    except msgspec.ValidationError:
        value = msgspec.json.decode(line)
        kind = cast("type[T]", decoder.type)
        record = _fit_struct(value, kind) if isinstance(value, dict) else None
    return events_of(record, number, raw, flags)


def mended(line: bytes) -> bytes | None:
    """Return the line as valid JSON in valid UTF-8, damaged characters replaced by U+FFFD; None where it is no JSON.

    The standard parser takes lone surrogates and, not strict, raw control characters; both occur in
    transcripts that were cut in the middle of a character.
    """
    try:
        value = json.loads(line.decode("utf-8", "replace"), strict=False, parse_constant=lambda name: None)
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return _SURROGATE.sub("\ufffd", text).encode()


def _fit_struct(value: dict[str, Any], kind: type[T]) -> T:
    """Return the struct with the fields that have a usable type; the others are left at their default."""
    fitted: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in value:
            found, is_fit = fit(value[field.encode_name], field.type)
            if is_fit:
                fitted[field.name] = found
    return kind(**fitted)


def fit(value: object, kind: object) -> tuple[Any, bool]:
    if kind is msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(value)), True
    for option in typing.get_args(kind) if isinstance(kind, types.UnionType) else (kind,):
        if isinstance(value, list) and typing.get_origin(option) is list:
            items = [fit(item, typing.get_args(option)[0]) for item in value]
            return [item for item, is_fit in items if is_fit], True
        if isinstance(value, dict) and isinstance(option, type) and issubclass(option, msgspec.Struct):
            return _fit_struct(value, option), True
    try:
        return msgspec.convert(value, cast("type[Any]", kind)), True
    except msgspec.ValidationError:
        return None, False
