"""Single values of an OTLP record: ids, integers, and attributes as JSON text."""

import base64
import binascii
import re
from collections import Counter
from decimal import Decimal, InvalidOperation

import msgspec

from collectors.otlp.model import BAD_IDS, AnyValue

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
TRACE_ID_BYTES, SPAN_ID_BYTES = 16, 8

_HEX = re.compile(r"[0-9a-fA-F]*")
_ENCODER = msgspec.json.Encoder(order="sorted")


def json_text(value: AnyValue) -> str:
    """Return JSON with sorted keys, bytes as base64, and null for numbers that JSON does not know."""
    return _ENCODER.encode(value).decode()


def id_of_bytes(value: bytes, size: int, counts: Counter[str]) -> str | None:
    """Return an id as lower-case hex; None where it is absent, all zero, or of another length."""
    if len(value) == size and any(value):
        return value.hex()
    if value and len(value) != size:
        counts[BAD_IDS] += 1
    return None


def id_of_text(value: str | None, size: int, counts: Counter[str]) -> str | None:
    """Return an id that OTLP/JSON writes as hex of any case; None where it is absent, all zero, or no such id."""
    if not value:
        return None
    if len(value) == 2 * size and _HEX.fullmatch(value):
        return value.lower() if value.strip("0") else None
    counts[BAD_IDS] += 1
    return None


def whole(value: object, *, lowest: int, highest: int) -> int | None:
    """Return an integer however JSON may write it, exponents included; None for what is none or out of range."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)) or len(str(value)) > 40:
        return None
    try:
        number = Decimal(value)
    except InvalidOperation:
        return None
    # a huge exponent would be a huge integer
    if not number.is_finite() or abs(number.adjusted()) > 20 or number != number.to_integral_value():
        return None
    return int(number) if lowest <= number <= highest else None


def bytes_of_base64(text: str) -> bytes | None:
    """Return the bytes of base64 in the standard or the URL-safe alphabet, padded or not; None for other text."""
    try:
        plain = text.translate(str.maketrans("-_", "+/")).rstrip("=")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None
