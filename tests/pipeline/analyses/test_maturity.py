import pytest

from pipeline.analyses import maturity

LADDERS = [
    ("BUILD_FAILED", {}, maturity.RETRYABLE, 1),
    ("FLAPPING", {"retryable_text": "maybe"}, maturity.MAYBE, 1),
    ("ERROR", {"retryable": False}, maturity.CODE, 1),
    ("INTERNAL_ERROR", {}, maturity.CODE, 0),
    ("err-7", {"retryable": False}, maturity.NAME, 0),
    ("LOCKED", {"retryable": True, "fix_required": "Unlock"}, maturity.CONTRADICTION, 1),
    ("RATE_LIMITED", {"retryable": True}, maturity.WAIT, 1),
    ("UNAVAILABLE", {"retryable": True}, maturity.WAIT, 2),
    ("TOKEN_EXPIRED", {"retryable": False, "fix_required": "Refresh"}, maturity.FIX_COMMAND, 2),
    ("VALIDATION_ERROR", {"retryable": False}, maturity.FIX_REQUIRED, 2),
    (
        "TOKEN_MISSING",
        {"retryable": False, "fix_required": "Log in", "fix_command": "tool login <token>"},
        maturity.PLACEHOLDER,
        1,
    ),
]
FULL = {
    "BUSY": {"retryable": True, "retry_after_ms": 100},
    "CREDENTIALS_EXPIRED": {"retryable": False, "fix_required": "Refresh", "fix_command": "tool auth refresh"},
    "INVALID_ENVIRONMENT": {"retryable": False, "fix_required": "Correct the target"},
    "PERMISSION_DENIED": {"retryable": False},
}


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of every ladder, five times each, and of one code seen twice, by code."""
    world = make_world()
    ladders = [(code, declared, 5) for code, declared, _, _ in LADDERS]
    ladders += [(code, declared, 5) for code, declared in FULL.items()] + [("RARE", {}, 2)]
    for code, declared, count in ladders:
        for _ in range(count):
            world.session().fail("tool deploy", code, **declared).end()
    return {finding.error_code: finding for finding in search(world, "maturity")}


@pytest.mark.parametrize(("code", "declared", "rung", "level"), LADDERS, ids=[row[0] for row in LADDERS])
def test_the_missing_rung_is_named(found, code, declared, rung, level):
    """Below level 3 the sentence names the level and the one field that is missing."""
    finding = found[code]

    assert finding.sentence == f"{code} {rung.lack} (maturity {level} of 3 in 5 occurrences)."
    assert finding.proposal.field == rung.field
    assert (finding.severity, finding.verdict) == (("info", "watch") if level == 2 else ("warning", "contradicted"))


def test_a_full_ladder_is_none(found):
    """Codes with all rungs of their class are no findings."""
    assert not set(FULL) & set(found)


def test_few_occurrences_are_provisional(found):
    """Two occurrences are insufficient, and the sentence says how many more it takes."""
    finding = found["RARE"]

    assert (finding.severity, finding.verdict) == ("info", "insufficient")
    assert "provisional, 3 more needed" in finding.sentence
