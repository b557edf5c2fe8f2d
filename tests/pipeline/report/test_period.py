from datetime import UTC, datetime, timedelta, timezone

import pytest

from pipeline.parameters import Parameters
from pipeline.report import content
from pipeline.report.period import within
from pipeline.store import open_store

FIRST = datetime(2026, 1, 5, 9, tzinfo=UTC)
"""When the first session of a world begins; the others follow hourly."""
HOUR = timedelta(hours=1)


@pytest.fixture(scope="module")
def told(make_world):
    """Four sessions of one agent, an hour apart: a failure, a minute's wait, a success; and one without times."""
    world = make_world()
    for _ in range(4):
        world.session().fail("tool a", "BUSY", retryable=True).wait(60).ok("tool a").end()
    count = len(world.events)
    world.session().ok("tool b").end()
    for event in world.events[count:]:
        event.time_unix_nano = None
    world.build()
    return world


def test_sessions_are_chosen_by_when_they_began(told, report_of):
    """`since` is part of the period, `until` is not."""
    found = report_of(told, since=FIRST + HOUR, until=FIRST + 3 * HOUR)

    assert found["summary"]["sessions"] == 2
    assert found["codes"][0]["evidence"] == ["s002-0001", "s003-0001"]
    assert (found["parameters"]["since"], found["parameters"]["until"]) == (
        "2026-01-05T10:00:00Z",
        "2026-01-05T12:00:00Z",
    )


def test_what_had_not_happened_yet_is_not_known(told, report_of):
    """An episode that was open at `until` is censored, though it recovered later."""
    outcomes = report_of(told, until=FIRST + HOUR + timedelta(seconds=30))["summary"]["outcomes"]

    assert (outcomes["recovered_unchanged"], outcomes["censored"]) == (1, 1)


@pytest.mark.parametrize(
    "since", [datetime(2026, 1, 5, 10), datetime(2026, 1, 5, 12, tzinfo=timezone(timedelta(hours=2)))]
)
def test_a_time_without_a_zone_is_utc(told, report_of, since):
    """Naive times are UTC, others are turned."""
    assert report_of(told, since=since)["summary"]["sessions"] == 3


def test_an_empty_period_is_a_report(told, report_of):
    """A period without sessions gives zero counts."""
    assert report_of(told, since=FIRST + 100 * HOUR)["summary"]["attempts"] == 0


def test_a_session_without_any_time_is_in_no_period(told, report_of):
    """What cannot be placed in time is left out of every period, and in the whole."""
    assert report_of(told)["summary"]["sessions"] == 5
    assert report_of(told, since=FIRST - HOUR)["summary"]["sessions"] == 4


def test_a_store_that_is_only_read_will_do(told, tmp_path):
    """A period needs no right to write, says what the user's aliases say, and leaves nothing behind."""
    path, connection = tmp_path / "copy.duckdb", told.connection
    connection.execute("commit")
    (name,) = connection.execute("select current_database()").fetchone()
    connection.execute(f"attach '{path}' as copy; copy from database {name} to copy; detach copy; begin;")

    with open_store(path) as reading:
        first = content.build(reading, Parameters(), since=FIRST, until=FIRST + 2 * HOUR)
        assert content.build(reading, Parameters(), since=FIRST, until=FIRST + 2 * HOUR) == first
        with within(reading, Parameters(), FIRST, None) as period:
            assert period.execute("select count(*) from meta.aliases").fetchone() == (0,)
        databases = reading.execute("select database_name from duckdb_databases() where not internal").fetchall()

    assert databases == [("copy",)]
    assert first["summary"]["sessions"] == 2
