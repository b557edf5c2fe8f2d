import pytest

BUSY = {"retryable": True, "retry_after_ms": 10_000, "exit_code": 12}


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of agents that obey and agents that do not, by code."""
    world = make_world()
    world.quota()
    for number in range(8):
        world.session().fail("tool lease", "BUSY", **BUSY).wait(1).ok("tool lease").end()
        told = {"retryable": False, "fix_required": "Choose another name", "exit_code": 2, "operation_key": "o1:name"}
        session = world.session().fail("tool name a", "NAME_TAKEN", **told)
        session.fail("tool name b", "NAME_TAKEN", **told).say(mentions=("NAME_TAKEN",)).end()
        if number < 2:
            world.session().fail("tool hold", "SELDOM", **BUSY).wait(1).ok("tool hold").end()
    return {finding.error_code: finding for finding in search(world, "compliance")}


def test_a_wait_that_nobody_honours_is_noted(found):
    """Eight agents reissue before the wait is over and recover: not the tool's breach, and said with both counts."""
    finding = found["BUSY"]

    assert finding.sentence == (
        "Agents did as BUSY says in 0 of 8 decisions (95 % interval 0-32 %); in 8 an agent reissued before the wait "
        "was over. 8 of 8 others recovered all the same."
    )
    assert (finding.severity, finding.verdict, finding.proposal) == ("info", "watch", None)


def test_obedience_that_leads_nowhere_is_the_tools_share(found):
    """Eight agents change the call as told, then name the error to a person; not one got further."""
    finding = found["NAME_TAKEN"]

    assert finding.sentence.startswith("Doing as NAME_TAKEN says led back in 0 of 16 decisions (95 % interval 0-41 %).")
    assert (finding.severity, finding.verdict) == ("warning", "watch")


def test_a_declaration_that_is_untrue_is_not_accused_twice(found):
    """Where another finding contradicts the declaration, obedience to no end is not repeated."""
    assert "QUOTA_EXHAUSTED" not in {code for code, finding in found.items() if finding.id.endswith(":nowhere")}


def test_few_decisions_say_nothing(found):
    """Two disobedient agents are not enough to speak of agents."""
    assert "SELDOM" not in found
