import pytest

from pipeline.analyses import Proposal


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of four fixes, by code."""
    world = make_world()
    world.loops("MOSTLY_FAILS", closed=1, failed=3)
    world.loops("FAILS_ONCE", closed=19, failed=1)
    world.loops("CLOSED_A_FEW", closed=5)
    world.loops("CLOSED_MANY", closed=14)
    return {finding.error_code: finding for finding in search(world, "failed_closed_loops")}


def test_a_fix_that_leaves_the_failure_is_a_breach(found):
    """The fix exits 0 and the same code returns in 3 of 4 loops."""
    finding = found["MOSTLY_FAILS"]

    assert finding.sentence == (
        "`tool config sync` exits 0, but MOSTLY_FAILS came back in 3 of 4 loops (95 % interval 30-95 %). "
        "Correct the command, or drop fix_command and keep fix_required."
    )
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("fix_command", None)
    assert finding.evidence[:3] == ["s002-0001", "s003-0001", "s004-0001"]


def test_one_failed_loop_of_many_is_a_warning(found):
    """One failed loop breaks the contract; that it is rare takes it from breach to warning."""
    finding = found["FAILS_ONCE"]

    assert (finding.severity, finding.verdict) == ("warning", "contradicted")
    assert (finding.k, finding.n) == (1, 20)


def test_a_few_closed_loops_are_no_verdict(found):
    """Five closed loops still allow a failed-loop rate above a third: more are needed, and how many is said."""
    finding = found["CLOSED_A_FEW"]

    assert (finding.severity, finding.verdict, finding.proposal) == ("info", "insufficient", None)
    assert finding.sentence.endswith(
        "came back in 0 of 5 loops (95 % interval 0-43 %). No verdict yet: 9 more loops needed."
    )


def test_many_closed_loops_support_the_fix(found):
    """Fourteen closed loops exclude a failed-loop rate of 20 %."""
    assert (found["CLOSED_MANY"].severity, found["CLOSED_MANY"].verdict) == ("info", "supported")
