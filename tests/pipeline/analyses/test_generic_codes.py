import pytest

from pipeline.analyses import Proposal

FINAL = {"retryable": False, "exit_code": 1}


def tell(world, code, message, *, ok, count):
    """Tell of sessions in which a failure with this message is repeated, with success or without."""
    for _ in range(count):
        session = world.session().fail("tool prune", code, **FINAL, message=message).wait(5)
        (session.ok("tool prune") if ok else session.fail("tool prune", code, **FINAL, message=message)).end()


@pytest.fixture(scope="module")
def world(make_world):
    """A world of codes, pure and mixed."""
    world = make_world()
    tell(world, "MIXED", "index is locked", ok=True, count=8)
    tell(world, "MIXED", "unknown shard", ok=False, count=8)
    tell(world, "ERROR", "index is locked", ok=True, count=3)
    tell(world, "ERROR", "unknown shard", ok=False, count=3)
    for message in ("index is locked", "unknown shard"):
        tell(world, "MOODY", message, ok=True, count=4)
        tell(world, "MOODY", message, ok=False, count=4)
    for number in range(4):
        told = f"lock '{number}a' of /srv/x{number}/y held by 0x{number}f"
        tell(world, "LOCKED", told, ok=True, count=1)
    return world


@pytest.fixture(scope="module")
def found(world, search):
    """What is found there, by code."""
    return {finding.error_code: finding for finding in search(world, "generic_codes")}


def test_a_code_whose_message_tells_how_it_ends(found):
    """Eight failures with one message clear, eight with another stay: two errors under one name."""
    finding = found["MIXED"]

    assert finding.sentence == (
        "MIXED is several errors: of 16 failures, 8 cleared by repeating and 8 stayed, and the message tells "
        'which (p = 0.01). "index is locked" cleared by repeating 8 of 8 times and "unknown shard" stayed 8 of 8 '
        "times. Split the code."
    )
    assert (finding.severity, finding.verdict) == ("warning", "contradicted")
    assert finding.proposal == Proposal("code", None)


def test_a_name_that_says_nothing_needs_less(found):
    """ERROR with two messages and two ends is generic before chance is excluded; it is watched."""
    assert (found["ERROR"].verdict, found["ERROR"].n) == ("watch", 6)


def test_mixed_ends_alone_are_no_finding(found):
    """A code with two messages that both clear half of the time is one error."""
    assert "MOODY" not in found


def test_numbers_and_names_in_a_message_are_no_templates(world, found):
    """What varies from call to call is masked: one template."""
    query = "select distinct template from core.behaviours where error_code = 'LOCKED'"

    assert world.connection.execute(query).fetchall() == [("lock <quoted> of <path> held by <n>",)]


def test_a_generic_code_is_marked_in_the_table_of_codes(world, found):
    """Its rates are not ranked."""
    query = "select error_code, is_generic from marts.error_codes order by error_code"

    assert world.connection.execute(query).fetchall() == [
        ("ERROR", True),
        ("LOCKED", False),
        ("MIXED", True),
        ("MOODY", False),
    ]
