import pytest

STALE = {"retryable": False, "fix_required": "Sync", "fix_command": "tool config sync", "exit_code": 4}


def tell(world, code, *, fixed, ok, count, seconds=1.5):
    """Tell of sessions that reissue after some seconds, with the fix run between or without it."""
    for _ in range(count):
        session = world.session().fail("tool deploy", code, **STALE)
        session = session.ok("tool config sync") if fixed else session.wait(seconds)
        (session.ok("tool deploy") if ok else session.fail("tool deploy", code, **STALE)).end()


@pytest.fixture(scope="module")
def world(make_world):
    """A world of calls after a fix, and after waiting only."""
    world = make_world()
    for fixed in (True, False):
        tell(world, "PLACEBO", fixed=fixed, ok=True, count=8)
        tell(world, "PLACEBO", fixed=fixed, ok=False, count=2)
        tell(world, "CURE", fixed=fixed, ok=fixed, count=10)
    tell(world, "FEW", fixed=True, ok=True, count=20)
    tell(world, "FEW", fixed=False, ok=False, count=4)
    tell(world, "LATER", fixed=True, ok=True, count=10)
    tell(world, "LATER", fixed=False, ok=True, count=10, seconds=600)
    return world


@pytest.fixture(scope="module")
def found(world, search):
    """What is found there, by code."""
    return {finding.error_code: finding for finding in search(world, "fix_effects")}


def test_a_fix_that_does_no_better_than_waiting(found):
    """Eight of ten with the fix, eight of ten without it: said plainly, with the interval."""
    finding = found["PLACEBO"]

    assert finding.sentence == (
        "After the fix of PLACEBO the call worked in 8 of 10 sessions, without it in 8 of 10 sessions; after similar "
        "delays +0 points, 95 % interval -35 to +35. The effect of the fix is not distinguishable from waiting."
    )
    assert (finding.severity, finding.verdict) == ("warning", "watch")


def test_a_fix_that_helps_is_supported(found):
    """All of ten with the fix, none of ten without it."""
    finding = found["CURE"]

    assert (finding.severity, finding.verdict) == ("info", "supported")
    assert finding.sentence.endswith("The fix helps beyond waiting.")


def test_all_against_none_is_no_certainty(world, found):
    """Ten of ten against none of ten has an interval with a width."""
    query = "select difference_lower, difference_upper from marts.fix_effects where error_code = 'CURE'"
    [(lower, upper)] = world.connection.execute(query).fetchall()

    assert 0 < lower < upper <= 1


def test_few_sessions_are_not_compared(found):
    """Four sessions without the fix are too few to speak of."""
    assert "FEW" not in found


def test_only_similar_delays_are_compared(found):
    """Reissues without the fix after ten minutes say nothing about those with it after seconds."""
    assert "LATER" not in found
