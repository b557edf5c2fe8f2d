import pytest

from pipeline.analyses import Proposal


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of fixes, by code."""
    world = make_world()
    world.loops("HOPELESS", failed=59)
    world.loops("DOUBTFUL", failed=8)
    world.loops("BAD", closed=2, failed=8)
    declared = {"retryable": False, "fix_required": "Use another name", "exit_code": 2, "operation_key": "o1:name"}
    for _ in range(59):
        session = world.session().fail("tool name a", "NAME_BAD", **declared)
        session.fail("tool name b", "NAME_BAD", **declared).end()
    return {finding.error_code: finding for finding in search(world, "hopeless_fixes")}


def test_a_fix_that_never_helps_is_a_breach(found):
    """None of 59 sessions was helped: that excludes 5 %."""
    finding = found["HOPELESS"]

    assert finding.sentence == (
        "The fix of HOPELESS helped in 0 of 59 sessions (95 % interval 0-6 %). "
        "Name another fix, or declare the error terminal."
    )
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("fix_command", None)


def test_none_of_a_few_is_watched(found):
    """None of eight is worth looking at; how many are missing is said."""
    finding = found["DOUBTFUL"]

    assert (finding.severity, finding.verdict, finding.proposal) == ("info", "watch", None)
    assert finding.sentence.endswith("Not decided: up to 51 more sessions needed.")


def test_a_fix_that_helps_now_and_then_is_not_hopeless(found):
    """Two of ten is a bad fix, not a hopeless one."""
    assert "BAD" not in found


def test_a_condition_counts_as_applied_when_something_was_changed(found):
    """Without a fix command, changed calls are the fix: none of 59 helped."""
    finding = found["NAME_BAD"]

    assert (finding.verdict, finding.n) == ("contradicted", 59)
    assert finding.proposal == Proposal("fix_required", None)
