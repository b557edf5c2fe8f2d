import pytest

from pipeline.analyses import Proposal

FINAL = {"retryable": False, "exit_code": 4}


def tell(world, code, *, ok, count, remedy="git push"):
    """Tell of sessions that do something and try again."""
    for _ in range(count):
        session = world.session().fail("tool review", code, **FINAL)
        session = session.ok(remedy, operation=remedy) if remedy else session.wait(5)
        (session.ok("tool review") if ok else session.fail("tool review", code, **FINAL)).end()


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of errors that say they are final, by code."""
    world = make_world()
    tell(world, "NOT_PUSHED", ok=True, count=6)
    tell(world, "SELDOM", ok=True, count=3)
    tell(world, "PASSING", ok=True, count=6, remedy=None)
    tell(world, "FINAL", ok=False, count=6)
    session = world.session()
    for number in range(6):
        session.fail(f"tool review {number}", "ALONE", **FINAL).ok("git push").ok(f"tool review {number}")
    session.end()
    return {finding.error_code: finding for finding in search(world, "missing_fixes")}


def test_a_final_error_that_something_clears_is_a_breach(found):
    """Six of six sessions got past the error after one command: it has a fix that it does not name."""
    finding = found["NOT_PUSHED"]

    assert finding.sentence == (
        "NOT_PUSHED says it is final, yet after a change it went away in 6 of 6 sessions "
        "(95 % interval 61-100 %), most often after `git push` (6). Add fix_required."
    )
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("fix_required", None)


def test_fewer_than_five_sessions_are_watched(found):
    """Three of three is a hint; how much is missing is said."""
    finding = found["SELDOM"]

    assert (finding.severity, finding.verdict, finding.proposal) == ("info", "watch", None)
    assert finding.sentence.endswith("Not decided: it takes 2 more sessions in which it goes away.")


def test_one_session_is_one_witness(found):
    """Six recoveries in one session do not add up."""
    assert (found["ALONE"].verdict, found["ALONE"].k, found["ALONE"].n) == ("watch", 1, 1)


def test_repeating_alone_is_no_fix(found):
    """An unchanged reissue that works speaks about retryable, not about a fix."""
    assert "PASSING" not in found


def test_what_stays_after_changes_is_no_finding(found):
    """Where nothing that was done helped, the error is final indeed."""
    assert "FINAL" not in found
