import pytest

from pipeline.errors import RecoupError
from pipeline.report.power import sample_size, to_text

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}


@pytest.fixture(scope="module")
def world(make_world):
    """Ten sessions, an hour apart, half of which recover at the first fair reissue."""
    world = make_world()
    for number in range(10):
        session = world.session().fail("tool get", "BUSY", **BUSY).wait(2)
        (session.ok("tool get") if number % 2 else session.fail("tool get", "BUSY", **BUSY)).end()
    world.build()
    return world


def test_how_many_sessions_show_a_change(world):
    """From 50 to 70 %: 93 sessions a side, and how long that takes at the pace so far."""
    found = sample_size(world.connection, "BUSY", effect=0.2)

    assert (found["k"], found["n"], found["rate"], found["other_rate"]) == (5, 10, 0.5, 0.7)
    assert found["sessions_needed"] == 93
    assert found["weeks_needed"] == pytest.approx(93 / found["sessions_a_week"])
    assert "93 sessions with a fair reissue, on each side" in to_text(found)


def test_a_rate_without_room_above_falls(world):
    """From 50 %, a change by 60 points has no room at all."""
    with pytest.raises(RecoupError) as fault:
        sample_size(world.connection, "BUSY", effect=0.6)

    assert fault.value.entry.code == "ARGUMENT_INVALID"


@pytest.mark.parametrize("effect", [0, 1, -0.2])
def test_an_effect_lies_between_nought_and_one(world, effect):
    """Other effects are refused."""
    with pytest.raises(RecoupError) as fault:
        sample_size(world.connection, "BUSY", effect=effect)

    assert fault.value.entry.code == "ARGUMENT_INVALID"


def test_a_code_that_nobody_repeated_is_named(world):
    """Without a fair reissue there is no rate to start from."""
    with pytest.raises(RecoupError) as fault:
        sample_size(world.connection, "NONE_SUCH", effect=0.2)

    assert fault.value.entry.code == "SUBJECT_NOT_FOUND"
