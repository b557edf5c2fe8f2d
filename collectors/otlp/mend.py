"""An OTLP/JSON request with what the protocol does not allow put right, record by record.

Nothing is left out in silence: a value of a wrong type becomes a text, a time that cannot be read is
unknown and its record counted as repaired, and only a record that is no object is rejected.
"""

import json
import re
from collections import Counter
from typing import Any, TypeAlias

import msgspec

from collectors.otlp.model import MAX_DEPTH, REJECTED, REPAIRED, TOO_DEEP
from collectors.otlp.values import INT64_MAX, INT64_MIN, whole

Json: TypeAlias = Any
"""What a JSON parser returns."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\Z)|[\[{]|[\]}]', re.DOTALL)
_FLAT_DEPTH = 10 + 4 * (MAX_DEPTH + 3)
"""Levels of JSON that are kept as such: an attribute's value begins at ten, and each level of it takes up to four."""

_TIMES = frozenset({"timeUnixNano", "observedTimeUnixNano", "startTimeUnixNano", "endTimeUnixNano"})
_TEXTS = frozenset({"severityText", "eventName", "traceId", "spanId", "parentSpanId", "name", "version", "message"})
_ENUMS = frozenset({"severityNumber", "kind", "code"})
_PARTS = frozenset({"resource", "scope", "status"})
_GROUPS = ("resourceLogs", "resourceSpans", "resourceMetrics", "scopeLogs", "scopeSpans", "scopeMetrics")
_LISTS = frozenset({*_GROUPS, "events", "links"})
_RECORDS = frozenset({"logRecords", "spans", "metrics"})
_SCALARS = ("stringValue", "intValue", "boolValue", "doubleValue", "bytesValue")
_DOUBLES = frozenset({"NaN", "Infinity", "-Infinity"})


def mended(body: bytes, counts: Counter[str]) -> bytes:
    """Return a request that the typed decoder accepts; repaired and rejected records are counted.

    Raises:
        ValueError: the body is no JSON object, or has something else where OTLP has a list of groups.
    """
    # bytes that are no UTF-8 become lone surrogates, so that the texts that hold them can be told
    text = _flattened(body).decode("utf-8", "surrogateescape")
    value = json.loads(text, strict=False, parse_int=_parse_int)
    if not isinstance(value, dict):
        raise ValueError("the body is no object")  # noqa: TRY004  # it is the sender's value, not our caller's type
    mender = _Mender(counts)
    request = mender.object(value)
    mender.count_repair()
    return msgspec.json.encode(request)


def _parse_int(digits: str) -> object:
    return int(digits) if len(digits) <= 40 else digits


def _flattened(body: bytes) -> bytes:
    """Return the body with every value below `_FLAT_DEPTH` as a text, so that no parser runs out of stack."""
    depth = start = end = 0
    pieces: list[bytes] = []
    for token in _TOKEN.finditer(body):
        character = token[0][:1]
        if character in b"[{":
            depth += 1
            if depth == _FLAT_DEPTH + 1:
                start = token.start()
        elif character in b"]}":
            if depth == _FLAT_DEPTH + 1:
                pieces += (body[end:start], json.dumps(body[start : token.end()].decode("utf-8", "replace")).encode())
                end = token.end()
            depth -= 1
    return b"".join((*pieces, body[end:])) if pieces else body


class _Mender:
    """Mends one request; holds what was noticed on the way."""

    __slots__ = ("counts", "is_repaired")

    def __init__(self, counts: Counter[str]) -> None:
        self.counts = counts
        self.is_repaired = False

    def object(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the members that the typed decoder knows, each with a value of its type."""
        held = {name: self._member(name, member) for name, member in value.items() if member is not None}
        severity = value.get("severityNumber")
        if isinstance(severity, str) and held.get("severityNumber") is None:
            # a name: no number, but not lost
            held.setdefault("severityText", self._text(severity))
        return {name: member for name, member in held.items() if member is not None}

    def count_repair(self) -> None:
        if self.is_repaired:
            self.counts[REPAIRED] += 1
            self.is_repaired = False

    def _member(self, name: str, value: Json) -> Json:
        if name in _TIMES:
            return self._number(value, 0, INT64_MAX)
        if name in _TEXTS:
            return self._text(value)
        if name in _ENUMS:
            return self._number(value, -(2**31), 2**31 - 1)
        if name == "flags":
            return self._number(value, 0, 2**32 - 1)
        if name == "body":
            return self._value(value, 1)
        if name == "attributes":
            return self._attributes(value, 1)
        return self._structure(name, value)

    def _structure(self, name: str, value: Json) -> Json:
        if name in _RECORDS:
            return self._records(_list(name, value))
        if name in _LISTS:
            return [self.object(member) for member in _list(name, value) if _is_object(name, member)]
        if name in _PARTS:
            return self.object(value) if _is_object(name, value) else None
        return None

    def _records(self, records: list[Any]) -> list[Any]:
        held = []
        self.count_repair()
        for record in records:
            if isinstance(record, dict):
                held.append(self.object(record))
                self.count_repair()
            elif record is not None:
                self.counts[REJECTED] += 1
        return held

    def _number(self, value: Json, lowest: int, highest: int) -> int | None:
        if value == "":
            return None
        number = whole(value, lowest=lowest, highest=highest)
        self.is_repaired = self.is_repaired or number is None
        return number

    def _text(self, value: Json) -> str:
        if not isinstance(value, str):
            self.is_repaired = True
            value = json.dumps(value, ensure_ascii=False)
        text: str = value
        try:
            text.encode()
        except UnicodeEncodeError:
            self.is_repaired = True
            return _without_surrogates(text)
        return text

    def _attributes(self, value: Json, depth: int) -> list[dict[str, Any]]:
        if not isinstance(value, list):
            # a plain map is the commonest mistake
            self.is_repaired = True
            pairs = value.items() if isinstance(value, dict) else [("", value)]
            return [{"key": self._text(key), "value": self._plain(member)} for key, member in pairs]
        return [self._pair(pair, depth) for pair in value]

    def _pair(self, pair: Json, depth: int) -> dict[str, Any]:
        if not isinstance(pair, dict):
            return {"key": "", "value": self._plain(pair)}
        return {"key": self._text(pair.get("key") or ""), "value": self._value(pair.get("value"), depth)}

    def _plain(self, value: Json) -> dict[str, Any]:
        """Return a value that is no AnyValue as one: a text, as JSON where it is none."""
        self.is_repaired = True
        return {"stringValue": self._text(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))}

    def _value(self, value: Json, depth: int) -> dict[str, Any] | None:
        if value is None:
            return None
        if not isinstance(value, dict):
            return self._plain(value)
        for kind in _SCALARS:
            if value.get(kind) is not None:
                return self._scalar(kind, value[kind])
        for kind in ("arrayValue", "kvlistValue"):
            if value.get(kind) is not None:
                return self._nested(kind, value[kind], depth)
        return {}

    def _scalar(self, kind: str, value: Json) -> dict[str, Any]:
        fitted: Json = None
        if kind == "intValue":
            fitted = whole(value, lowest=INT64_MIN, highest=INT64_MAX)
        elif kind == "boolValue":
            fitted = value if isinstance(value, bool) else None
        elif kind == "doubleValue":
            fitted = _double(value)
        elif isinstance(value, str):
            fitted = self._text(value)
        return self._plain(value) if fitted is None else {kind: fitted}

    def _nested(self, kind: str, value: Json, depth: int) -> dict[str, Any]:
        if depth > MAX_DEPTH:
            self.counts[TOO_DEEP] += 1
            return {"stringValue": _without_surrogates(json.dumps(value, ensure_ascii=False))}
        items = value.get("values") or [] if isinstance(value, dict) else None
        if not isinstance(items, list):
            return self._plain(value)
        if kind == "arrayValue":
            return {kind: {"values": [self._value(item, depth + 1) for item in items]}}
        return {kind: {"values": [self._pair(item, depth + 1) for item in items]}}


def _list(name: str, value: Json) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError(f"{name} is no list")  # noqa: TRY004  # it is the sender's value, not our caller's type
    return value


def _is_object(name: str, value: Json) -> bool:
    if value is not None and not isinstance(value, dict):
        raise ValueError(f"{name} holds what is no object")
    return value is not None


def _double(value: Json) -> Json:
    """Return a double as the typed decoder takes it; None for what is no number."""
    if value in _DOUBLES if isinstance(value, str) else isinstance(value, bool):
        return value if isinstance(value, str) else None
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    if number != number:
        return "NaN"
    return {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(number, number)


def _without_surrogates(text: str) -> str:
    return text.encode("utf-8", "surrogateescape" if _is_escaped(text) else "surrogatepass").decode("utf-8", "replace")


def _is_escaped(text: str) -> bool:
    """Return whether the surrogates are those that stand for single bytes."""
    return not any("\ud800" <= character <= "\udc7f" or "\udd00" <= character <= "\udfff" for character in text)
