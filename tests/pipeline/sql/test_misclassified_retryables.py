import pytest

BUSY = {"retryable": True, "retry_after_ms": 1000, "exit_code": 12}
FINAL = {"retryable": False, "exit_code": 7}


def tell(world, code, *, fails, ok, count, agents=("ada",), **declared):
    """Tell of sessions whose first `fails` fair reissues fail; the next works, or the agent stops."""
    for number in range(count):
        session = world.session(agents[number % len(agents)]).fail("tool get", code, **declared)
        for _ in range(fails):
            session.wait(2).fail("tool get", code, **declared)
        if ok:
            session.wait(2).ok("tool get")
        session.ok("tool status").end()


@pytest.fixture(scope="module")
def found(make_world):
    """What is said of each code: verdict, r3, trials needed."""
    world = make_world()
    # 100 chains: 30 work at the first reissue, 20 stop; of 50, 12 work, 13 stop; of 25, 4 work
    tell(world, "WORKED_R3", fails=0, ok=True, count=30, **BUSY)
    tell(world, "WORKED_R3", fails=1, ok=False, count=20, **BUSY)
    tell(world, "WORKED_R3", fails=1, ok=True, count=12, **BUSY)
    tell(world, "WORKED_R3", fails=2, ok=False, count=13, **BUSY)
    tell(world, "WORKED_R3", fails=2, ok=True, count=4, **BUSY)
    tell(world, "WORKED_R3", fails=3, ok=False, count=21, **BUSY)
    tell(world, "SECOND", fails=1, ok=True, count=60, **BUSY)
    tell(world, "NEVER", fails=1, ok=False, count=30, **BUSY)
    tell(world, "ONCE", fails=1, ok=False, count=1, **BUSY)
    tell(world, "RARELY", fails=0, ok=True, count=1, **FINAL)
    tell(world, "RARELY", fails=1, ok=False, count=39, **FINAL)
    tell(world, "ALONE", fails=0, ok=True, count=6, **FINAL)
    tell(world, "CLEARS", fails=0, ok=True, count=6, agents=("ada", "bob"), **FINAL)
    query = "select error_code, verdict, finding, r3, trials_needed from marts.misclassified_retryables"
    return {code: rest for code, *rest in world.build().execute(query).fetchall()}


def test_the_worked_r3(found):
    """Hazards of 30/100, 12/50 and 4/25 give .553 from the store: agents who stop are censored, not failed."""
    assert found["WORKED_R3"][0] == "supported"
    assert found["WORKED_R3"][2] == pytest.approx(0.553, abs=5e-4)


def test_a_code_that_clears_at_the_second_reissue_is_not_permanent(found):
    """None of sixty first reissues works and every second one does: the promise holds."""
    assert found["SECOND"][:2] == ["supported", None]


def test_a_code_that_never_clears_is_contradicted(found):
    """None of thirty, beside codes that do clear."""
    assert found["NEVER"][:2] == ["contradicted", "false_transient"]


def test_a_code_seen_once_is_insufficient(found):
    """One failed reissue is no verdict, and how many are missing is said."""
    assert found["ONCE"] == ["insufficient", None, 0.0, 58]


def test_below_the_indifference_zone_one_success_changes_nothing(found):
    """One of forty is below `tau_high` with confidence: retryable:false is supported."""
    assert found["RARELY"][:2] == ["supported", None]


def test_what_one_agent_alone_saw_is_watched(found):
    """Six of six by one agent is a hint; by two agents it is a finding."""
    assert found["ALONE"][:2] == ["watch", None]
    assert found["CLEARS"][:2] == ["contradicted", "false_permanent"]
