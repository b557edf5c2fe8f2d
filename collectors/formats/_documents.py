"""Logs that are one JSON document: read whole, because what its records share stands anywhere in it."""

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar, cast

import msgspec

from collectors.events import Event, Record, Reject
from collectors.formats._keep import without_secrets
from collectors.formats._lines import REPAIRED, fit, mended, rejected

T = TypeVar("T")

MAX_BYTES = 1024**3
"""A larger document is one reject: it has to be held whole, three times over once it is decoded."""

_BATCH = 256
_BOM = b"\xef\xbb\xbf"
_BLANKS = b"\0 \t\r\n\f\v"
_CUT = "truncated"
# what is left of a `\n` in front of an address that somebody masked
_BROKEN_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\(?:u(?![0-9a-fA-F]{4})|[^\"\\/bfnrtu])")


def read_document(
    parts: Iterable[bytes], path: str, kind: object, records_of: Callable[[Any, tuple[str, ...]], Iterable[Record]]
) -> Iterator[Record]:
    """Yield the records of a document, texts without secrets; one reject where it cannot be read.

    Args:
        parts: its content, in one piece or in several.
        path: where it comes from, for the reject.
        kind: the type it is decoded as; fields of other types are left at their default.
        records_of: what the decoded document says; told the flags that all its events share.
    """
    content = b"".join(parts).strip(_BLANKS).removeprefix(_BOM)
    if not content:
        return
    if len(content) > MAX_BYTES:
        yield Reject(path=path, position=1, reason="too_large")
        return
    document, flags, fault = decoded(content, kind)
    if fault is not None:
        yield rejected(path, 1, content, fault.partition(":")[0], torn=fault.endswith(_CUT))
        return
    yield from kept(records_of(document, flags))


def kept(records: Iterable[Record]) -> Iterator[Record]:
    """Yield the records with their texts cut to what may be kept."""
    remaining = iter(records)
    while batch := list(islice(remaining, _BATCH)):
        without_secrets([record for record in batch if isinstance(record, Event)])
        yield from batch


def decoded(content: bytes, kind: object) -> tuple[Any, tuple[str, ...], str | None]:
    """Return the document as `kind`, the flags of its repair, and why it is none: `not_json` or `not_a_record`."""
    try:
        return msgspec.json.decode(content, type=cast("type[Any]", kind)), (), None
    except msgspec.ValidationError:
        try:
            value, flags = msgspec.json.decode(content), cast("tuple[str, ...]", ())
        except (msgspec.DecodeError, RecursionError):
            return None, (), "not_json"
    except (msgspec.DecodeError, RecursionError) as fault:
        whole = mended(content) or mended(_BROKEN_ESCAPE.sub(rb"\1\\ufffd", content))
        if whole is None:
            return None, (), f"not_json:{_CUT}" if _CUT in str(fault) else "not_json"
        value, flags = msgspec.json.decode(whole), (REPAIRED,)
    document, is_fit = fit(value, kind)
    return (document, flags, None) if is_fit else (None, (), "not_a_record")


def pieces(content: bytes) -> list[bytes]:
    """Return the documents of a file: its lines where the first one is a whole object, else all of it."""
    content = content.strip(_BLANKS).removeprefix(_BOM)
    first, _, rest = content.partition(b"\n")
    if rest.lstrip().startswith(b"{"):
        try:
            msgspec.json.decode(first, type=msgspec.Raw)
        except (msgspec.DecodeError, RecursionError):
            return [content]
        return [line for line in content.splitlines() if line.strip()]
    return [content] if content else []
