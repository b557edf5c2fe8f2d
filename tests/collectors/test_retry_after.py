from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.retry_after import INVALID, UNPLACED, agree, from_duration, from_header, from_instant, from_number

NOON = int(datetime(2026, 5, 4, 12, tzinfo=UTC).timestamp()) * 10**9


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("120", 120_000),
        (" 120 ", 120_000),
        (30, 30_000),
        ("0", 0),
        ("Mon, 04 May 2026 12:02:00 GMT", 120_000),
        ("Mon, 04 May 2026 11:59:00 GMT", 0),
        ("Monday, 04-May-26 12:01:00 GMT", 60_000),
        ("Mon May  4 12:01:00 2026", 60_000),
        ("Monday, 04-May-94 12:00:00 GMT", 0),
        ("-3", INVALID),
        ("1.5", INVALID),
        ("+5", INVALID),
        ("soon", INVALID),
        ("", INVALID),
        ("٣", INVALID),
        ("1e3", INVALID),
        (1.5, INVALID),
        (True, INVALID),
        (None, INVALID),
        ("Mon, 32 May 2026 12:00:00 GMT", INVALID),
        ("Mon, 04 Mai 2026 12:00:00 GMT", INVALID),
        ("Mon, 04 May 2026 12:00:00 CET", INVALID),
        ("9" * 16, INVALID),
    ],
)
def test_header(value, expected):
    """A Retry-After value is whole seconds or one of the three date forms; a past date means now."""
    assert from_header(value, received_unix_nano=NOON) == expected


def test_a_date_needs_the_time_of_receipt():
    """Without the time of receipt a date gives no wait and says why; seconds need no clock."""
    assert from_header("Mon, 04 May 2026 12:02:00 GMT", received_unix_nano=None) == UNPLACED
    assert from_header("120", received_unix_nano=None) == 120_000


@pytest.mark.parametrize(
    ("value", "scale", "expected"),
    [
        (0, 1, 0),
        (1500, 1, 1500),
        (1.2, 1000, 1200),
        (0.0001, 1, 1),
        ("30", 1000, 30_000),
        (-5, 1, None),
        (True, 1, None),
        (float("nan"), 1, None),
        (float("inf"), 1, None),
        (1e300, 1, None),
        (2**63, 1, None),
        (10**400, 1, None),
        ("30s", 1000, None),
        ([], 1, None),
    ],
)
def test_number(value, scale, expected):
    """Numbers are scaled and rounded up; negative, infinite and unstorable ones are no waits."""
    assert from_number(value, scale=scale) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("30s", 30_000), ("1.5s", 1500), ("0s", 0), ("-1s", INVALID), ("30", INVALID), ("30ms", INVALID), (30, INVALID)],
)
def test_duration(value, expected):
    """Protobuf durations are seconds with an `s`."""
    assert from_duration(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-04T12:00:30Z", 30_000),
        ("2026-05-04T14:00:30+02:00", 30_000),
        ("2026-05-04T11:00:00Z", 0),
        ("2026-05-04T12:00:30", INVALID),
        ("later", INVALID),
        (5, INVALID),
    ],
)
def test_instant(value, expected):
    """An instant needs its offset; one that has passed means now."""
    assert from_instant(value, received_unix_nano=NOON) == expected


@pytest.mark.parametrize(
    ("waits", "expected"),
    [
        ([], (None, False)),
        ([5], (5, False)),
        ([30, 30_000], (30_000, True)),
        ([0, 30_000], (30_000, True)),
        ([250, 1000], (1000, False)),
        ([29_500, 30_000], (30_000, False)),
    ],
)
def test_several_waits(waits, expected):
    """The longest wait counts; only waits as far apart as seconds and milliseconds are a mismatch."""
    assert agree(waits) == expected


@given(st.one_of(st.text(max_size=40), st.integers(), st.floats(), st.none(), st.booleans(), st.lists(st.integers())))
def test_any_value_is_a_wait_or_a_flag(value):
    """Whatever a tool writes, the answer is a wait that can be stored or the reason why there is none."""
    for wait in (
        from_header(value, received_unix_nano=NOON),
        from_instant(value, received_unix_nano=NOON),
        from_duration(value),
        from_number(value, scale=1000),
    ):
        assert wait in (INVALID, UNPLACED, None) or 0 <= wait < 2**63
