"""How long a tool asks the caller to wait, in milliseconds, from each way of saying it.

Source: RFC 9110 section 10.2.3 (Retry-After: whole seconds or an HTTP date) and 5.6.7 (the three
date forms), the envelope's `retry_after_ms` and the older `retry_after` in seconds, the duration
form of protobuf JSON ("1.5s").
"""

import math
import re
from datetime import UTC, datetime

INVALID = "retry_after_invalid"
MISMATCH = "unit_mismatch_suspected"
UNPLACED = "retry_after_unplaced"
"""A date was given and the time of receipt is not known: the wait cannot be told."""

_MAX = 2**62
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_TIME = r"(?P<h>\d\d):(?P<m>\d\d):(?P<s>\d\d)"
_DATES = (
    re.compile(rf"[A-Z][a-z]{{2}}, (?P<day>\d\d) (?P<mon>[A-Z][a-z]{{2}}) (?P<year>\d{{4}}) {_TIME} GMT"),
    re.compile(rf"[A-Z][a-z]{{5,8}}, (?P<day>\d\d)-(?P<mon>[A-Z][a-z]{{2}})-(?P<year>\d\d) {_TIME} GMT"),
    re.compile(rf"[A-Z][a-z]{{2}} (?P<mon>[A-Z][a-z]{{2}}) (?P<day>[ \d]\d) {_TIME} (?P<year>\d{{4}})"),
)
_SECONDS = re.compile(r"[0-9]{1,15}")
_DURATION = re.compile(r"([0-9]{1,12}(?:\.[0-9]{1,9})?)s")


def from_number(value: object, *, scale: int) -> int | None:
    """Return a number (or its decimal text) times `scale` as whole milliseconds, rounded up; None where invalid."""
    if isinstance(value, str) and _SECONDS.fullmatch(value.strip()):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MAX / scale:
        return None
    return math.ceil(value * scale)


def from_header(value: object, *, received_unix_nano: int | None) -> int | str:
    """Return the wait of a Retry-After header value, or the flag that says why there is none."""
    text = value.strip() if isinstance(value, str) else str(value) if type(value) is int else ""
    if _SECONDS.fullmatch(text):
        return int(text) * 1000
    instant = _http_date(text, received_unix_nano)
    return INVALID if instant is None else _until(instant, received_unix_nano)


def from_instant(value: object, *, received_unix_nano: int | None) -> int | str:
    """Return the wait until an RFC 3339 instant, or the flag that says why there is none."""
    try:
        instant = datetime.fromisoformat(value.strip()) if isinstance(value, str) else None
    except ValueError:
        instant = None
    if instant is None or instant.tzinfo is None:
        return INVALID
    return _until(instant, received_unix_nano)


def from_duration(value: object) -> int | str:
    """Return the milliseconds of a protobuf JSON duration such as `1.5s`, or the flag `retry_after_invalid`."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return math.ceil(float(match[1]) * 1000) if match else INVALID


def agree(waits: list[int]) -> tuple[int | None, bool]:
    """Return the longest wait and whether two of them differ as seconds and milliseconds do.

    A header has whole seconds, so a field of 250 ms beside a header of 1 s is no conflict.
    """
    if not waits:
        return None, False
    shortest, longest = min(waits), max(waits)
    return longest, longest > 10 * shortest and longest - shortest > 1000


def _until(instant: datetime, received_unix_nano: int | None) -> int | str:
    if received_unix_nano is None:
        return UNPLACED
    return max(0, math.ceil(instant.timestamp() * 1000) - received_unix_nano // 1_000_000)


def _http_date(text: str, received_unix_nano: int | None) -> datetime | None:
    match = next((found for pattern in _DATES if (found := pattern.fullmatch(text))), None)
    if match is None or match["mon"] not in _MONTHS:
        return None
    year = int(match["year"])
    if len(match["year"]) == 2:
        year = _full_year(year, received_unix_nano)
    try:
        return datetime(
            year,
            _MONTHS.index(match["mon"]) + 1,
            int(match["day"]),
            int(match["h"]),
            int(match["m"]),
            int(match["s"]),
            tzinfo=UTC,
        )
    except ValueError:
        return None


def _full_year(two_digits: int, received_unix_nano: int | None) -> int:
    """Return the year of an RFC 850 date: one that seems over 50 years ahead lies in the past (RFC 9110 5.6.7)."""
    now = 2000 if received_unix_nano is None else datetime.fromtimestamp(received_unix_nano / 1e9, UTC).year
    year = now - now % 100 + two_digits
    return year - 100 if year > now + 50 else year
