import pytest

from pipeline.statistics import selection_bounds

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}


def test_what_the_choice_of_agents_could_hide(make_world):
    """Ten sessions failed, four repeated the call, three of them with success: between 30 and 90 % of all."""
    world = make_world()
    for number in range(10):
        session = world.session().fail("tool get", "BUSY", **BUSY).wait(2)
        if number < 4:
            session = session.ok("tool get") if number else session.fail("tool get", "BUSY", **BUSY)
        session.ok("tool status").end()
    query = """
        select reissued_count, failure_count, reissue_share, success_rate, bound_lower, bound_upper from marts.selection
    """
    [(reissued, failures, *found)] = world.build().execute(query).fetchall()
    expected = selection_bounds(3, 4, 10)

    assert (reissued, failures) == (4, 10)
    assert found == pytest.approx([expected.share, expected.rate, expected.lower, expected.upper])
    assert found[2:] == pytest.approx([0.3, 0.9])


def test_a_code_that_nobody_repeated_has_no_rate(make_world):
    """Nothing is known: the bounds are nought and one."""
    world = make_world()
    world.session().fail("tool get", "BUSY", **BUSY).ok("tool status").end()
    query = "select success_rate, bound_lower, bound_upper from marts.selection"

    assert world.build().execute(query).fetchall() == [(None, 0.0, 1.0)]
