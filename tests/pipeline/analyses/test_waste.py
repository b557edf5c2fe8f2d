from pipeline.analyses import waste
from pipeline.parameters import Parameters

NAME = "waste"


def test_the_dearest_code_is_named_with_its_shares(world, search):
    """Calls, time and tokens of a code stand beside all failing of its kind; what is not stated costs nothing."""
    session = world.session().fail("tool a", "SLOW", duration_ms=9000, tokens=100)
    session.fail("tool b", "FAST", duration_ms=1000, tokens=100)
    session.fail("tool c", "UNSTATED", duration_ms=0, tokens=None).fail(
        "tool d", message="no code", duration_ms=0
    ).end()

    first, second, third = search(world, NAME)

    assert first.sentence == "SLOW cost 1 of 4 failing calls (25 %), 9.0 s (90 %), 100 tokens (33 %)."
    assert second.error_code == "FAST"
    assert third.sentence == "UNSTATED cost 1 of 4 failing calls (25 %)."
    assert (first.severity, first.proposal) == ("info", None)


def test_only_five_codes_are_named(world, search):
    """The list ends after five."""
    for number in range(7):
        world.session().fail("tool a", f"CODE_{number}").end()

    assert len(search(world, NAME)) == 5


def test_without_failures_nothing_is_found(void):
    """A world that never failed wastes nothing."""
    assert waste.find(void.connection, Parameters()) == []
