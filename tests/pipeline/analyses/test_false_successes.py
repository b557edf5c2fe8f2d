import pytest

from pipeline.analyses import false_successes
from pipeline.parameters import Parameters

NAME = "false_successes"
LIE = {"retryable": False, "signalled_ok": True, "exit_code": 0}
MASKED = {"status": None, "exit_code": 0, "signalled_ok": True, "envelope_ok": None, "status_owner": "masked"}


@pytest.fixture(scope="module")
def told(make_world):
    """A world with a lie and an honest failure of one operation, an honest one and a suspected one of others."""
    world = make_world()
    world.session().fail("tool status", "STATUS_UNREADABLE", **LIE).end()
    world.session().fail("tool status", "STATUS_UNREADABLE", retryable=False).end()
    world.session().fail("tool honest", "BROKEN", retryable=False).end()
    world.session().fail("tool docs", "BROKEN", retryable=False).ok("tool docs", **MASKED, looks_failed=True).end()
    return world


@pytest.fixture(scope="module")
def found(told, search):
    """What is found there, by severity."""
    return {finding.severity: finding for finding in search(told, NAME)}


def test_a_failure_under_a_good_status_is_a_breach(found):
    """ok:false under exit 0 is certain; its share is of that operation's failures."""
    assert found["breach"].sentence == (
        "`tool status` reported success in 1 of 2 failures (95 % interval 9-91 %; STATUS_UNREADABLE). "
        "Fail in the status, not only in the body."
    )
    assert found["breach"].verdict == "contradicted"
    assert found["breach"].evidence == ["s001-0001"]


def test_an_honest_failure_is_none(found):
    """Failures that their exit status reports are no finding."""
    assert len(found) == 2


def test_a_suspected_failure_stays_apart(found):
    """Text that reads like a failure behind a masked status is information, without a share of the certain ones."""
    suspected = found["info"]

    assert (suspected.k, suspected.n, suspected.verdict, suspected.lower) == (1, None, "watch", None)
    assert suspected.sentence == (
        "`tool docs` may hide failures: 1 outcome without a usable status read like one. "
        "Suspected only: counted in no rate."
    )


def test_strict_makes_a_suspected_failure_a_warning(told, found):
    """With `strict`, a suspected failure asks for attention."""
    strict = false_successes.find(told.connection, Parameters(strict=True))

    assert [finding.severity for finding in strict] == ["warning", "breach"]
