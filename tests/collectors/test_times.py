"""Times as tools write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors import times

TEN = 1_777_888_800_000_000_000
"""2026-05-04T10:00:00Z."""


@pytest.mark.parametrize(
    ("written", "after_ten"),
    [
        ("2026-05-04T10:00:00.000Z", 0),
        ("2026-05-04T10:00:59.999Z", 59_999_000_000),
        ("2026-05-04T10:00:00Z", 0),
        ("2026-05-04 10:00:00 UTC", 0),
        ("2026-05-04T13:00:00.250+03:00", 250_000_000),
        ("2026-05-04T06:30:00-0330", 0),
        ("2026-05-04T13:00+03", 0),
        ("2026-05-04T10:00:00.123456789Z", 123_456_789),
        ("2026-05-04T10:00:00,5Z", 500_000_000),
        ("2026-05-04T10:00:60.000Z", 60_000_000_000),
        (TEN // 10**9, 0),
        (TEN // 10**9 + 0.25, 250_000_000),
        (TEN // 10**6, 0),
        (TEN // 10**3 + 7, 7_000),
        (TEN + 7, 7),
        (str(TEN // 10**9), 0),
        (f"{TEN // 10**9}.25", 250_000_000),
        (str(TEN + 7), 7),
    ],
)
def test_stated_instants(written, after_ten):
    """ISO with Z or any offset, and epoch numbers of any unit, are read to the nanosecond and need no flag."""
    assert times.Instant(TEN + after_ten) == times.parse(written)


@pytest.mark.parametrize("written", ["2026-05-04T10:00:00", "2026-05-04 10:00", "2026-05-04T10:00:00.000"])
def test_naive_times_are_utc_and_flagged(written):
    """A time without an offset is taken as UTC, and says so."""
    assert times.Instant(TEN, "naive_timestamp") == times.parse(written)


@pytest.mark.parametrize(
    "written",
    [None, "", "soon", True, 0, "0", -5, [], float("nan"), float("inf"), "1e400", 10**30, "2026-13-04T10:00:00.000Z",
     "2026-05-04T10:00:61Z", "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.000Z", "2026-05-04T25:00:00.000Z"],
)  # fmt: skip
def test_what_is_no_time_is_none_and_flagged(written):
    """Missing, unreadable, zero and impossible times are no time; nothing is guessed."""
    assert times.Instant(None, "no_timestamp") == times.parse(written)


@given(st.datetimes(min_value=times.datetime(1971, 1, 1), max_value=times.datetime(2261, 1, 1)))
def test_the_fast_path_agrees_with_the_general_one(moment):
    """`...:00.123Z` and the same with three more zeros are one instant."""
    usual = moment.isoformat(timespec="milliseconds") + "Z"
    assert times.parse(usual) == times.parse(usual[:-1] + "000Z")


@given(st.text(max_size=40) | st.integers() | st.floats() | st.binary(max_size=10))
def test_nothing_raises(written):
    """Whatever stands where a time should, the answer is an instant within 1970 to 2262 or none."""
    found = times.parse(written)
    assert found.unix_nano is None or 0 < found.unix_nano < 2**63


@given(st.integers(1, 2**63 - 1), st.none() | st.integers(-(2**62), 2**62))
def test_a_call_begins_within_time(end, duration):
    """No duration, however wrong, moves the start of a call before 1970 or behind its end."""
    assert 0 < times.began(end, duration) <= end


def test_a_call_begins_its_duration_before_its_end():
    """A duration counts back from the end; one that is no duration counts for nothing."""
    assert times.began(TEN, 1500) == TEN - 1_500_000_000
    assert times.began(TEN, -5) == times.began(TEN, None) == times.began(TEN, 11_001_260_838_855) == TEN
