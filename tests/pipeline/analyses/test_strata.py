import pytest

FINAL = {"retryable": False, "fix_required": "Change it", "exit_code": 2, "operation_key": "o1:query"}


def tell(world, code, model, *, changed, ok, count):
    """Tell of sessions of one model that repeat the call, changed or not."""
    for _ in range(count):
        start = len(world.events)
        session = world.session().fail("tool query a", code, **FINAL).wait(5)
        again = "tool query b" if changed else "tool query a"
        session = session.ok(again, operation_key="o1:query") if ok else session.fail(again, code, **FINAL)
        session.end()
        for event in world.events[start:]:
            event.model = model


@pytest.fixture(scope="module")
def world(make_world):
    """A world in which one model meets hard cases and changes the call, the other easy ones and repeats it."""
    world = make_world()
    tell(world, "PARADOX", "hard", changed=True, ok=True, count=6)
    tell(world, "PARADOX", "hard", changed=True, ok=False, count=14)
    tell(world, "PARADOX", "hard", changed=False, ok=False, count=5)
    tell(world, "PARADOX", "easy", changed=True, ok=True, count=5)
    tell(world, "PARADOX", "easy", changed=False, ok=True, count=16)
    tell(world, "PARADOX", "easy", changed=False, ok=False, count=4)
    tell(world, "PLAIN", "hard", changed=True, ok=True, count=8)
    tell(world, "PLAIN", "hard", changed=False, ok=False, count=8)
    return world


@pytest.fixture(scope="module")
def found(world, search):
    """What is found there, by code."""
    return {finding.error_code: finding for finding in search(world, "strata")}


def test_a_comparison_that_turns_round_is_noted(found):
    """Pooled, changing the call looks worse; within each model it is better."""
    finding = found["PARADOX"]

    assert finding.sentence == (
        "Calls with other arguments against unchanged ones, PARADOX: -20.0 points pooled, +25.0 within 2 conditions of "
        "model, version and operation. The mix of cases made the pooled figure."
    )
    assert (finding.severity, finding.verdict) == ("info", "watch")


def test_both_differences_stand_in_the_table(world, found):
    """The table holds the pooled and the stratified difference side by side, whatever they say."""
    query = """
        select reading, pooled_difference, difference, strata_count, is_flagged
        from marts.strata where error_code = 'PLAIN'
    """

    assert world.connection.execute(query).fetchall() == [("better", 1.0, 1.0, 1, False)]


def test_like_conditions_that_agree_are_no_finding(found):
    """Where both differences point the same way there is nothing to warn of."""
    assert "PLAIN" not in found
