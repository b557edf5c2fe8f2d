import json

import pytest

from pipeline.errors import RecoupError
from pipeline.report.compare import comparison
from pipeline.report.compare_text import to_text

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}
DAY = 24 * 3600 * 1_000_000_000


def tell(world, command, *, ok, count, version="1.0", model="m1", code="BUSY", days=0):
    """Tell of sessions with one failure each that is repeated once."""
    for _ in range(count):
        start = len(world.events)
        stated = {"tool_version": version}
        session = world.session().fail(command, code, **BUSY, **stated).wait(2)
        (session.ok(command, **stated) if ok else session.fail(command, code, **BUSY, **stated)).end()
        for event in world.events[start:]:
            event.model = model
            event.time_unix_nano += days * DAY


@pytest.fixture(scope="module")
def world(make_world):
    """Version 2.0 recovers where 1.0 does not; the models meet different operations and are alike in each."""
    world = make_world()
    tell(world, "tool get", ok=False, count=20, version="1.0")
    tell(world, "tool get", ok=True, count=20, version="2.0", days=30)
    for model, hard, easy in (("strong", 16, 4), ("weak", 4, 16)):
        tell(world, "tool hard", ok=False, count=hard, version="1.0", model=model, code="HARD")
        tell(world, "tool easy", ok=True, count=easy, version="1.0", model=model, code="EASY")
    session = world.session().ok("tool look", tool_version="1.0").ok("tool look", tool_version="2.0")
    session.end()
    world.build()
    return world


def measure(found, name):
    """Return one measure of a comparison."""
    return next(one for one in found["measures"] if one["measure"] == name)


def test_a_difference_is_shown_with_its_interval(world):
    """None of twenty against all of twenty: higher, by how much, and between which bounds."""
    found = comparison(world.connection, "1.0", "2.0", code="BUSY")
    recovery = measure(found, "recovery")

    assert (found["by"], recovery["reading"], recovery["difference"]) == ("version", "higher", 1.0)
    assert 0.5 < recovery["lower"] < recovery["upper"] <= 1
    assert "recovered episodes: 0 % (0/20) -> 100 % (20/20): +100.0 points" in to_text(found)


def test_sessions_of_both_sides_are_left_out(world):
    """A session that used both versions belongs to neither, and is counted."""
    found = comparison(world.connection, "1.0", "2.0")

    assert found["mixed_sessions"] == 1
    assert "1 session in both left out" in to_text(found)


def test_no_evidence_is_an_answer(world):
    """A group against its like: said in words, with what it would take to see ten points."""
    found = comparison(world.connection, "strong", "weak", code="EASY")
    recovery = measure(found, "recovery")

    assert recovery["reading"] == "no evidence of a difference"
    assert recovery["trials_needed"] > 0
    assert "no evidence of a difference" in to_text(found)


def test_the_mix_is_told_from_the_difference(world):
    """The strong model recovers less because it meets the hard cases; like for like there is no difference."""
    found = comparison(world.connection, "strong", "weak")
    recovery = measure(found, "recovery")

    assert recovery["difference"] == pytest.approx(0.6)
    assert recovery["like_for_like"] == pytest.approx(0)
    assert recovery["mix_shift"] == pytest.approx(0.6)
    assert found["mix"]["distance"] == pytest.approx(0.6)
    assert "like for like +0.0 points; the mix of operations makes +60.0" in to_text(found)


def test_a_cut_in_time_has_a_placebo(world):
    """The first period in halves: where it moved by itself, a cut proves nothing."""
    found = comparison(world.connection, "..2026-01-20", "2026-01-20..", code="BUSY")
    placebo = measure(found, "recovery")["placebo"]

    assert (found["by"], measure(found, "recovery")["reading"]) == ("period", "higher")
    assert (placebo["difference"], placebo["is_moving"]) == (0.0, False)
    assert "placebo: the first period in halves" in to_text(found)


def test_a_trend_is_seen_by_the_placebo(make_world):
    """Where the first half of the first period differs from the second, the placebo says so."""
    world = make_world()
    tell(world, "tool get", ok=False, count=12)
    tell(world, "tool get", ok=True, count=12, days=5)
    tell(world, "tool get", ok=True, count=12, days=20)
    found = comparison(world.build(), "..2026-01-20", "2026-01-20..")

    assert measure(found, "recovery")["placebo"]["is_moving"]
    assert "it moved before the cut as well" in to_text(found)


def test_codes_are_adjusted_for_their_number(world):
    """Only differences that stand over all codes are named."""
    found = comparison(world.connection, "1.0", "2.0")

    assert [(code["error_code"], code["reading"]) for code in found["codes"]] == [("BUSY", "higher")]


def test_a_side_without_a_trial_is_not_compared(world):
    """A code that only one version emitted has nothing to be compared with."""
    with pytest.raises(RecoupError) as fault:
        comparison(world.connection, "1.0", "2.0", code="HARD")

    assert fault.value.entry.code == "SUBJECT_NOT_FOUND"


@pytest.mark.parametrize(
    ("a", "b", "by", "code"),
    [
        ("1.0", "9.9", None, "SUBJECT_NOT_FOUND"),
        ("1.0", "weak", None, "SUBJECT_NOT_FOUND"),
        ("1.0", "9.9", "version", "SUBJECT_NOT_FOUND"),
        ("yesterday..", "..2026-01-20", None, "ARGUMENT_INVALID"),
        ("2026-01-01", "2026-02-01", "period", "ARGUMENT_INVALID"),
        ("..2020-01-01", "2026-01-20..", None, "SUBJECT_NOT_FOUND"),
    ],
)
def test_what_cannot_be_compared_is_named(world, a, b, by, code):
    """Unknown names and periods that cannot be read are our own coded failures."""
    with pytest.raises(RecoupError) as fault:
        comparison(world.connection, a, b, by=by)

    assert fault.value.entry.code == code


def test_it_is_json(world):
    """A comparison holds JSON's types only."""
    found = comparison(world.connection, "..2026-01-20", "2026-01-20..")

    assert json.loads(json.dumps(found)) == found
