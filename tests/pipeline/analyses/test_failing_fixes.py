import pytest


def _declared(fix):
    return {"retryable": False, "fix_required": "Repair", "fix_command": f"tool {fix}", "exit_code": 4}


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of four fixes, by code."""
    world = make_world()
    world.session().fail("tool build", "FAILS", **_declared("repair")).fail("tool repair").end()
    world.session().fail("tool build", "FAILS", **_declared("repair")).ok("tool repair").ok("tool build").end()
    world.session().fail("tool build", "UNKNOWN_FIX", **_declared("mend")).fail("tool mend", exit_code=127).end()
    session = world.session().fail("tool build", "ONLY_ONCE", **_declared("step")).ok("tool step")
    session.fail("tool step").ok("tool build").end()
    session = world.session().fail("tool build", "FINE", **_declared("refresh")).ok("tool refresh")
    session.ok("tool refresh").ok("tool build").end()
    return {finding.error_code: finding for finding in search(world, "failing_fixes")}


def test_a_fix_that_fails_is_a_breach(found):
    """The fix itself exits non-zero in one of two runs."""
    finding = found["FAILS"]

    assert finding.sentence == (
        "`tool repair`, the fix of FAILS, failed in 1 of 2 runs (95 % interval 9-91 %). "
        "Name a command that runs as printed."
    )
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.evidence == ["s001-0002"]


def test_a_fix_that_cannot_be_found_did_not_start(found):
    """Exit 127 says that the command never ran."""
    assert "could not start in 1 of 1 run" in found["UNKNOWN_FIX"].sentence


def test_a_fix_that_fails_when_run_again_is_not_idempotent(found):
    """The second of two runs in a row fails: a finding of its own."""
    finding = found["ONLY_ONCE"]

    assert finding.id.endswith(":repeat")
    assert finding.sentence.endswith(
        "failed in 1 of 1 run right after a good one (95 % interval 21-100 %). Make it idempotent."
    )
    assert finding.evidence == ["s004-0003"]


def test_a_fix_that_runs_twice_is_none(found):
    """A fix that works, and works again, is no finding."""
    assert "FINE" not in found
