from pipeline.analyses import Proposal

DECLARED = {"retryable": True, "retry_after_ms": 1000, "exit_code": 10}


def test_one_reissue_that_meets_its_own_effect_is_a_breach(world, search):
    """A retryable error followed by ALREADY_EXISTS is unsafe, however often it went well; a working one is not."""
    for _ in range(2):
        world.session().fail("tool create", "TIMEOUT", **DECLARED).wait(2).ok("tool create").end()
        world.session().fail("tool fetch", "UNAVAILABLE", **DECLARED).wait(2).ok("tool fetch").end()
    session = world.session().fail("tool create", "TIMEOUT", **DECLARED).wait(2)
    session.fail("tool create", "ALREADY_EXISTS", retryable=False, exit_code=6).ok("tool status").end()

    (finding,) = search(world, "unsafe_transients")

    assert finding.sentence == (
        "TIMEOUT says retryable:true, but in 1 of 3 cases (95 % interval 6-79 %) the reissue met what the first try "
        "had done. Declare retryable:false."
    )
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("retryable", value=False)
    assert finding.evidence == ["s005-0001"]
