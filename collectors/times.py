"""Points in time as tools write them, to nanoseconds since the Unix epoch, UTC."""

import math
import re
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

NAIVE = "naive_timestamp"
"""Flag: the time named no offset and was taken as UTC."""
MISSING = "no_timestamp"
"""Flag: no time was stated, or none that can be read; the record enters no duration."""

_MILLISECOND = 1_000_000
_SECOND = 1_000_000_000
_MINUTE = 60 * _SECOND
# int64 nanoseconds end in 2262; what lies outside 1970-2262 is a mistake of the writer, not a time
_LATEST = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ISO = re.compile(
    r"(\d{4}-\d\d-\d\d)"
    r"(?:[Tt ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,18}))?)?)?"
    r"\s*(?:([Zz]|UTC|GMT)|([+-])(\d\d):?(\d\d)?)?",
    re.ASCII,
)


class Instant(NamedTuple):
    """A point in time and what had to be assumed to read it."""

    unix_nano: int | None
    """Nanoseconds since the Unix epoch, UTC; None where no readable time was stated."""
    flag: str | None = None
    """`naive_timestamp`, `no_timestamp` or None."""


UNSTATED = Instant(None, MISSING)


def parse(value: object) -> Instant:
    """Return the instant that `value` states.

    Args:
        value: ISO 8601 with `Z`, an offset or none (then UTC, flagged), or an epoch number, or a
            string of one, in seconds, milliseconds, microseconds or nanoseconds, told apart by size.
    """
    usual = usual_nano(value)
    if usual is not None:
        return Instant(usual)
    if isinstance(value, str):
        return _text(value.strip())
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return UNSTATED


def usual_nano(value: object) -> int | None:
    """Return the nanoseconds of `2026-05-04T10:00:00.000Z`, as most writers have it; None for any other form.

    The short way for readers of many records: the parsing is done in C.
    """
    if type(value) is not str or len(value) != 24 or value[23] != "Z":
        return None
    try:
        since = datetime.fromisoformat(value) - _EPOCH
    except ValueError:
        return None
    nano = (since.days * 86_400 + since.seconds) * _SECOND + since.microseconds * 1_000
    return nano if 0 < nano <= _LATEST else None


@lru_cache(maxsize=4096)
def _minute(text: str) -> int | None:
    """Nanoseconds at the start of the minute `YYYY-MM-DDTHH:MM`, UTC; None where it is none."""
    try:
        return int(datetime.strptime(text, "%Y-%m-%dT%H:%M").replace(tzinfo=UTC).timestamp()) * _SECOND
    except ValueError:
        return None


def _text(text: str) -> Instant:
    match = _ISO.fullmatch(text)
    if match is None:
        return _digits(text)
    day, clock, second, fraction, zulu, sign, hours, minutes = match.groups()
    start = _minute(f"{day}T{clock or '00:00'}")
    # 60 is a leap second: it is the first instant of the next minute, as POSIX has it
    if start is None or int(second or 0) > 60:
        return UNSTATED
    nano = start + int(second or 0) * _SECOND + int((fraction or "0").ljust(9, "0")[:9])
    if sign:
        offset = (int(hours) * 60 + int(minutes or 0)) * _MINUTE
        nano += offset if sign == "-" else -offset
    return _checked(nano, None if zulu or sign else NAIVE)


def _digits(text: str) -> Instant:
    # a float has 53 bits: nanoseconds in digits are read as an integer to keep the last three
    if text.isascii() and text.isdigit() and len(text) <= 19:
        return _number(int(text))
    try:
        return _number(float(text)) if len(text) <= 40 else UNSTATED
    except ValueError:
        return UNSTATED


def _number(value: float) -> Instant:
    if isinstance(value, float) and not math.isfinite(value):
        return UNSTATED
    for limit, unit in ((10**11, _SECOND), (10**14, 1_000_000), (10**17, 1_000)):
        if abs(value) < limit:
            # seconds as a float carry microseconds at best; rounding there undoes its binary noise
            nano = value * unit if isinstance(value, int) else round(value * (unit // 1_000)) * 1_000
            return _checked(nano, None)
    return _checked(int(value), None)


def _checked(nano: int, flag: str | None) -> Instant:
    # zero is how exporters write "unknown"
    return Instant(nano, flag) if 0 < nano <= _LATEST else UNSTATED


def began(end_nano: int, duration_ms: int | None) -> int:
    """Return when a call began that ended at `end_nano`, nanoseconds.

    A duration that is negative or reaches back before 1970 is a mistake of the writer: then the call begins as it ends.
    """
    start = end_nano - max(duration_ms or 0, 0) * _MILLISECOND
    return start if start > 0 else end_nano
