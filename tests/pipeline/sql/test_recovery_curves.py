import pytest

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}

# the worked survival example: seconds until an episode recovered (1), was lost (2) or its log stopped (0)
TIMES = (2, 3, 3, 5, 6, 8, 8, 10, 12, 15)
ENDINGS = (1, 0, 1, 2, 1, 0, 2, 1, 0, 1)


@pytest.fixture(scope="module")
def world(make_world):
    """Ten sessions that end as the worked survival example says, and others with calls between."""
    world = make_world()
    for seconds, ending in zip(TIMES, ENDINGS, strict=True):
        # the reissue takes half a second and ends after so many
        session = world.session().fail("tool get", "BUSY", **BUSY).wait(seconds - 1.5)
        if ending == 1:
            session.ok("tool get").end()
        else:
            session.fail("tool get", "BUSY", **BUSY)
            if ending == 2:
                session.ok("tool status").end()
    session = world.session().fail("tool put", "HELD", **BUSY)
    session.ok("tool look").ok("tool look harder").wait(400).ok("tool put").end()
    world.session().fail("tool put", "HELD", **BUSY).ok("tool status").end()
    session = world.session()
    for number in range(5):
        session.fail(f"tool loop {number}", "LOOPS", **BUSY).ok(f"tool loop {number}")
    session.end()
    world.build()
    return world


def rows(world, query):
    """Return the query's rows as tuples."""
    return world.connection.execute(query).fetchall()


def test_the_worked_survival_example(world):
    """Recovered/all .50; the cumulative incidence .771, where 1 - Kaplan-Meier says 1.00 and recovered/decided .714."""
    query = "select time, incidence from marts.recovery_curves where error_code = 'BUSY' and clock = 'ms' order by time"
    steps = rows(world, query)

    assert [time for time, _ in steps] == [2000, 3000, 5000, 6000, 8000, 10000, 15000]
    assert steps[-1][1] == pytest.approx(0.771, abs=5e-4)
    [(rate, lost, recovered, n)] = rows(
        world,
        """
        select time_rate, time_if_censored_lost, time_if_censored_recovered, timed_count
        from marts.recovery_by where error_code = 'BUSY'
        """,
    )
    assert (round(rate, 3), lost, recovered, n) == (0.771, 0.5, 0.8, 10)


def test_calls_and_time_are_two_clocks(world):
    """Recovered within three further calls, and not within five minutes."""
    query = """
        select calls_recovered_count, calls_rate, time_recovered_count, time_rate
        from marts.recovery_by where error_code = 'HELD'
    """

    assert rows(world, query) == [(1, 0.5, 0, 0.0)]


def test_a_session_that_loops_is_one_witness(world):
    """Five recoveries of one session are one."""
    assert rows(world, "select episode_count from marts.recovery_by where error_code = 'LOOPS'") == [(1,)]


def test_every_episode_has_its_clock(world):
    """Each episode stands once, with how it ended, and no time runs backwards."""
    assert rows(world, "select count(*) from core.recovery_times") == rows(world, "select count(*) from core.episodes")
    backwards = "select count(*) from core.recovery_times where observed_ms < 0 or further_call_count < 0"
    assert rows(world, backwards) == [(0,)]


def test_a_failure_without_a_time_has_calls_and_no_seconds(make_world):
    """Where the first failure's end is not known, no time is made up from a later attempt's."""
    world = make_world()
    world.session().fail("tool get", "BUSY", **BUSY).wait(2).fail("tool get", "BUSY", **BUSY).wait(2).ok(
        "tool get"
    ).end()
    world.events[1].time_unix_nano = None
    world.build()

    assert rows(world, "select ending, further_call_count, observed_ms from core.recovery_times") == [
        ("recovered", 2, None)
    ]
