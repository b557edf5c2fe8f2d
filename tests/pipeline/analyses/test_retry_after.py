import pytest

from pipeline.analyses import Proposal


def tell(world, code, *, seconds, ok, count):
    """Tell of sessions that reissue so many seconds after a failure that declares 20, with success or without."""
    declared = {"retryable": True, "retry_after_ms": 20_000, "exit_code": 11}
    for _ in range(count):
        session = world.session().fail("tool sync", code, **declared).wait(seconds - 1)
        (session.ok("tool sync") if ok else session.fail("tool sync", code, **declared)).ok("tool status").end()


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of declared waits, by code."""
    world = make_world()
    tell(world, "SHORT", seconds=20, ok=False, count=10)
    tell(world, "SHORT", seconds=80, ok=True, count=12)
    tell(world, "LONG", seconds=5, ok=True, count=40)
    tell(world, "UNSURE", seconds=20, ok=False, count=10)
    tell(world, "UNSURE", seconds=40, ok=True, count=25)
    tell(world, "UNSURE", seconds=40.001, ok=False, count=5)
    tell(world, "HONEST", seconds=20, ok=True, count=12)
    declared = {"retryable": True, "retry_after_ms": 20_000, "exit_code": 11}
    session = world.session()
    for _ in range(30):
        session.fail("tool sync", "LOOP", **declared).wait(19)
    session.end()
    tell(world, "LOOP", seconds=80, ok=True, count=12)
    return {finding.error_code: finding for finding in search(world, "retry_after")}


def test_a_wait_that_is_too_short_is_a_breach(found):
    """None of ten works at the declared wait, all of twelve at four times it: the proposal is a wait that was seen."""
    finding = found["SHORT"]

    assert finding.sentence == (
        "SHORT says to wait 20 s, but after that wait 0 of 10 reissues worked (95 % interval 0-28 %). "
        "Declare 80000 ms: from there on 12 of 12 reissues worked."
    )
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("retry_after_ms", 80_000)


def test_a_wait_that_is_too_long_is_a_warning(found):
    """Forty of forty work below half the wait."""
    finding = found["LONG"]

    assert (finding.severity, finding.k, finding.n) == ("warning", 40, 40)
    assert finding.proposal == Proposal("retry_after_ms", 5000)


def test_no_proposal_beyond_what_was_tried(found):
    """Where waits reach 80 % but never 90 %, no wait is proposed."""
    finding = found["UNSURE"]

    assert finding.proposal == Proposal("retry_after_ms", None)
    assert finding.sentence.endswith("No wait that was tried (up to 40 s) works nine times in ten.")


def test_a_session_that_loops_is_one_witness(found):
    """Thirty failing reissues of one session at the declared wait are one: no verdict."""
    assert "LOOP" not in found


def test_an_honest_wait_is_no_finding(found):
    """Where reissues work at the declared wait there is nothing to say."""
    assert "HONEST" not in found
