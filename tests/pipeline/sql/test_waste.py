import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.statistics import spread

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}
FIX = {"retryable": False, "fix_required": "Log in", "fix_command": "tool auth refresh", "exit_code": 8}

STEPS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(("fail", "ok", "fix", "sleep")), st.integers(0, 20)),
    max_size=14,
)


def rows(world, query):
    """Return the query's rows as tuples."""
    return world.connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def world(make_world):
    """A retry, a fix, two recoveries at once, and a person's time."""
    world = make_world()
    world.session().fail("tool get", "BUSY", **BUSY).wait(4).ok("tool get").end()
    world.session().fail("tool put", "EXPIRED", **FIX).ok("tool auth refresh", tokens=7).ok("tool put").end()
    session = world.session().fail("tool a", "BUSY", **BUSY).fail("tool b", "HELD", **BUSY).wait(3)
    session.ok("tool a").ok("tool b").end()
    world.session().fail("tool ask", "BUSY", **BUSY).say("prompt").wait(600).ok("tool ask").end()
    world.build()
    return world


def test_a_retry_costs_the_attempt_and_the_wait(world):
    """Half a second of failing, five of waiting: charged to the code."""
    query = "select kind, charged_ms, calls, tokens from core.waste where session_id = 's001' order by kind"

    assert rows(world, query) == [
        ("attempt", 500, 1, 100),
        ("wait", 5000, 0, 0),
    ]


def test_a_fix_is_charged_to_the_code_that_asked_for_it(world):
    """Attempt, wait, run of the fix, wait: four steps of one code."""
    query = "select kind, error_code, charged_ms, tokens from core.waste where session_id = 's002' order by started_ms"

    assert rows(world, query) == [
        ("attempt", "EXPIRED", 500, 100),
        ("wait", "EXPIRED", 1000, 0),
        ("fix", "EXPIRED", 500, 7),
        ("wait_after_fix", "EXPIRED", 1000, 0),
    ]


def test_two_recoveries_at_once_share_the_time(world):
    """What both wait for counts half to each; in all it is the time in which either was open."""
    query = "select error_code, sum(charged_ms)::int from core.waste where session_id = 's003' group by all order by 1"
    (busy, held) = (charge for _, charge in rows(world, query))
    opened, closed = 0, 500 + 1000 + 500 + 4000 + 500 + 1000

    assert busy + held == closed - opened
    assert (busy, held) == (500 + 1000 + 250 + 2000, 250 + 2000 + 1500)


def test_a_persons_time_is_nobodys_waste(world):
    """After a person spoke there is no wait to charge."""
    assert rows(world, "select kind from core.waste where session_id = 's004'") == [("attempt",)]


def test_rows_of_each_level_sum_to_the_total(world):
    """What codes cost is what their tools cost, and what all cost, to the millisecond and the token."""
    query = """
        select level, sum(total_ms)::int, sum(tokens)::int, sum(calls)::int, sum(attempt_ms + wait_ms + fix_ms)::int
        from marts.waste group by level order by level
    """
    totals = {numbers for _, *rest in rows(world, query) for numbers in [tuple(rest)]}

    assert len(totals) == 1
    [(ms, tokens, calls, parts)] = totals
    query = "select sum(charged_ms)::int, sum(tokens)::int, sum(calls)::int from core.waste"
    assert rows(world, query) == [(ms, tokens, calls)]
    assert ms == parts


def test_the_spread_is_that_of_the_formulas(world):
    """Mean, median and the share of the dearest hundredth are those of `spread`, over episodes."""
    [(mean, median, top)] = rows(world, "select mean_ms, median_ms, top_share from marts.waste where level = 'all'")
    costs = rows(world, "select sum(charged_ms)::int from core.waste group by episode_id")
    expected = spread([cost for (cost,) in costs])

    assert (mean, median, top) == pytest.approx((expected.mean, expected.median, expected.top_share))


def test_futile_and_misled_repeats_are_told_apart(make_world):
    """Repeats after retryable:false are the agent's; those after a retryable:true that is untrue are the tool's."""
    world = make_world()
    world.quota()
    for _ in range(6):
        world.session().fail("tool get", "BUSY", **BUSY).wait(4).ok("tool get").end()
    gone = {"retryable": False, "exit_code": 5}
    world.session().fail("tool get", "GONE", **gone).fail("tool get", "GONE", **gone).end()
    world.build()
    query = "select error_code, futile_calls, misled_calls from marts.waste where level = 'code' order by error_code"

    assert rows(world, query) == [("BUSY", 0, 0), ("GONE", 1, 0), ("QUOTA_EXHAUSTED", 0, 24)]


@pytest.fixture(scope="module")
def shared_world(make_world):
    """One store for all examples of a property."""
    return make_world()


@given(STEPS)
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_charges_sum_to_the_time_in_which_a_step_was_open(shared_world, steps):
    """Whatever overlaps, the charges of an actor are whole numbers that sum to the union of its steps."""
    world = shared_world
    world.connection.execute("delete from raw.events")
    world.events.clear()
    session = world.session()
    for name, what, seconds in steps:
        # calls of one session that run side by side
        session.wait(-min(seconds / 10, 1.9))
        if what == "fail":
            session.fail(f"tool {name}", f"CODE_{name}", **FIX)
        elif what == "ok":
            session.ok(f"tool {name}")
        elif what == "fix":
            session.ok("tool auth refresh")
        else:
            session.wait(seconds)
    session.end()
    world.build()
    spans = rows(world, "select started_ms, ended_ms from core.waste where started_ms is not null order by started_ms")
    union, reached = 0, 0
    for start, end in spans:
        union += max(0, end - max(start, reached))
        reached = max(reached, end)

    assert rows(world, "select coalesce(sum(charged_ms), 0)::int from core.waste") == [(union,)]
    assert rows(world, "select count(*) from core.waste where charged_ms < 0") == [(0,)]
    [(attempts,)] = rows(world, "select count(*) from core.waste where kind = 'attempt'")
    assert [(attempts,)] == rows(world, "select count(*) from core.attempts where status = 'error'")


def test_order_of_shipping_leaves_no_trace(world):
    """The same events in another order give the same charges."""
    before = rows(world, "select * from core.waste order by all")
    random.Random(3).shuffle(world.events)
    world.connection.execute("delete from raw.events")
    world.build()

    assert rows(world, "select * from core.waste order by all") == before


def test_a_green_end_state_still_costs(case):
    """Ten of ten calls worked in the end; the 14 failed attempts of 2.5 s on the way are 35 s of waste."""
    query = "select episode_count, calls, attempt_ms from marts.waste where level = 'code' and error_code = 'TIMEOUT'"

    assert case("C02.jsonl").execute(query).fetchall() == [(7, 14, 35_000)]
