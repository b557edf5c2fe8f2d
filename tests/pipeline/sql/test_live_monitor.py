import math

import pytest

from pipeline.statistics import log_e_below, proven_below, running_bounds

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}
FINAL = {"retryable": False, "exit_code": 7}


def tell(world, code, version, *, ok, count, **declared):
    """Tell of sessions with one fair reissue each, on a version of the tool."""
    for _ in range(count):
        session = world.session().fail("tool get", code, **declared, tool_version=version).wait(2)
        again = {"tool_version": version}
        (session.ok("tool get", **again) if ok else session.fail("tool get", code, **declared, **again)).end()


@pytest.fixture(scope="module")
def world(make_world):
    """Two versions of a tool: what was proven about the first is not carried over to the second."""
    world = make_world()
    tell(world, "NEVER", "1.0", ok=False, count=150, **BUSY)
    tell(world, "CLEARS", "1.0", ok=True, count=12, **FINAL)
    tell(world, "NEVER", "2.0", ok=False, count=20, **BUSY)
    tell(world, "CLEARS", "2.0", ok=True, count=12, **FINAL)
    tell(world, "HONEST", "2.0", ok=False, count=12, **FINAL)
    world.build()
    return world


def rows(world, query):
    """Return the query's rows as tuples."""
    return world.connection.execute(query).fetchall()


def test_counts_start_anew_with_a_version(world):
    """What 150 sessions proved about 1.0, twenty do not prove about 2.0."""
    query = """
        select tool_version, trial_count, is_proven, is_current, is_alarm
        from marts.live_monitor where error_code = 'NEVER' order by tool_version
    """

    assert rows(world, query) == [("1.0", 150, True, False, False), ("2.0", 20, False, True, False)]


def test_an_alarm_holds_over_all_codes(world):
    """Twelve of twelve against `retryable:false` is an alarm among three codes; an honest code is none."""
    query = "select error_code, finding, is_alarm from marts.live_monitor where is_current order by error_code"

    assert rows(world, query) == [("CLEARS", "false_permanent", True), ("HONEST", None, False), ("NEVER", None, False)]


def test_the_figures_are_those_of_the_formulas(world):
    """The log e-value and the running bounds are those of `pipeline.statistics`."""
    query = """
        select log_e, running_lower, running_upper from marts.live_monitor
        where error_code = 'NEVER' and tool_version = '1.0'
    """
    [(log_e, lower, upper)] = rows(world, query)
    bounds = running_bounds(0, 150)

    assert log_e == pytest.approx(log_e_below(0, 150, 0.05))
    assert log_e >= math.log(20)
    assert proven_below(0, 150, 0.05)
    assert (lower, upper) == (bounds.lower, bounds.upper)


def test_a_version_that_is_not_stated_is_carried_over(make_world):
    """A failure without a version has the one its tool stated in the session."""
    world = make_world()
    session = world.session().ok("tool status", tool_version="1.0").fail("tool get", "NEVER", **BUSY).wait(2)
    session.fail("tool get", "NEVER", **BUSY).end()
    world.session().fail("tool get", "NEVER", **BUSY).wait(2).ok("tool get", tool_version="1.1").end()
    world.session().fail("tool get", "NEVER", **BUSY).wait(2).ok("tool get").end()
    world.build()

    assert rows(world, "select tool_version, trial_count from marts.live_monitor order by 1") == [
        ("", 1),
        ("1.0", 1),
        ("1.1", 1),
    ]
