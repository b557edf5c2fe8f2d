import pytest

from pipeline.analyses import Proposal

TRANSIENT = {"retryable": True, "retry_after_ms": 2000, "exit_code": 12}
TERMINAL = {"retryable": False, "exit_code": 7}


def _tell(world, code, declared, sessions, *, works, wait=3.0, agents=("ada", "bob")):
    for number in range(sessions):
        session = world.session(agents[number % len(agents)]).fail("tool sync", code, **declared).wait(wait)
        if number < works:
            session.ok("tool sync").end()
        else:
            session.fail("tool sync", code, **declared).ok("tool status").end()


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of many codes, by code; a list where one has several findings."""
    world = make_world()
    world.quota()
    _tell(world, "CLEARS", TRANSIENT, 14, works=12)
    _tell(world, "RARE", TRANSIENT, 3, works=0)
    _tell(world, "EARLY", TRANSIENT, 24, works=0, wait=0.0)
    _tell(world, "PASSES", TERMINAL, 7, works=6)
    _tell(world, "ONE_AGENT", TERMINAL, 7, works=6, agents=("ada",))
    _tell(world, "UNDECLARED", {"exit_code": 1}, 14, works=12)
    _tell(world, "BOTH", TRANSIENT, 14, works=12)
    _tell(world, "BOTH", TERMINAL, 3, works=0)
    findings = {}
    for finding in search(world, "misclassified_retryables"):
        findings.setdefault(finding.error_code, []).append(finding)
    return findings


def test_a_retryable_that_never_clears_is_contradicted(found):
    """0 of 24 fair reissues contradict retryable:true, in one sentence with its numbers, and a proposal."""
    (finding,) = found["QUOTA_EXHAUSTED"]

    assert finding.sentence == (
        "QUOTA_EXHAUSTED says retryable:true, but 0 of 24 fair reissues (first of each session) worked "
        "(95 % interval 0-14 %); an agent that obeys loops. Declare retryable:false."
    )
    assert finding.id == "misclassified_retryables:tool:QUOTA_EXHAUSTED:transient"
    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("retryable", value=False)
    assert (finding.k, finding.n, finding.lower) == (0, 24, 0.0)
    assert finding.upper == pytest.approx(0.138, abs=0.001)
    assert finding.evidence == [f"s{number:03}-0001" for number in range(1, 11)]
    assert finding.weight == 48


def test_a_retryable_that_clears_is_supported(found):
    """12 of 14 fair reissues support retryable:true, and nothing is proposed."""
    (finding,) = found["CLEARS"]

    assert (finding.severity, finding.verdict, finding.proposal) == ("info", "supported", None)
    assert finding.sentence.startswith("CLEARS says retryable:true, and it is so: 12 of 14 fair reissues")


def test_few_trials_are_no_verdict_and_say_how_many_are_missing(found):
    """Three failed reissues are insufficient: the sentence asks for more and draws no conclusion."""
    (finding,) = found["RARE"]

    assert (finding.severity, finding.verdict, finding.proposal) == ("info", "insufficient", None)
    assert finding.sentence == (
        "RARE says retryable:true; 0 of 3 fair reissues worked (95 % interval 0-56 %) so far. "
        "No verdict yet: up to 56 more sessions needed."
    )


def test_an_early_reissue_is_no_evidence(found):
    """Reissues before the declared wait test the wait, not the class."""
    assert "EARLY" not in found


def test_a_terminal_that_clears_is_contradicted(found):
    """Successes in enough sessions of two agents contradict retryable:false."""
    (finding,) = found["PASSES"]

    assert (finding.severity, finding.verdict) == ("breach", "contradicted")
    assert finding.proposal == Proposal("retryable", value=True)
    assert "PASSES says retryable:false, yet 6 of 7 fair reissues" in finding.sentence


def test_one_agent_alone_does_not_contradict_a_terminal(found):
    """The same successes of one agent are to be watched, and the sentence names what is missing."""
    (finding,) = found["ONE_AGENT"]

    assert (finding.severity, finding.verdict) == ("info", "watch")
    assert finding.sentence.endswith("Not decided: it takes another agent that sees it work.")


def test_an_undeclared_class_is_estimated_and_never_misclassified(found):
    """Without `retryable` the estimate is information only."""
    (finding,) = found["UNDECLARED"]

    assert (finding.severity, finding.verdict) == ("info", "watch")
    assert finding.sentence.startswith("UNDECLARED does not say whether repeating helps; 12 of 14 fair reissues")
    assert finding.proposal == Proposal("retryable", value=True)


def test_one_code_with_two_classes_is_two_findings(found):
    """A code that is emitted with two classes is never pooled."""
    assert {finding.id.rpartition(":")[2]: finding.n for finding in found["BOTH"]} == {"transient": 14, "terminal": 3}
