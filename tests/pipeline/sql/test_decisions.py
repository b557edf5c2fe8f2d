from pathlib import Path

import duckdb
import pytest

from pipeline import ingest, models
from pipeline.parameters import Parameters
from pipeline.store import open_store

WORKED = Path(__file__).parents[2] / "cases" / "worked" / "sessions.ndjson"
BUSY = {"retryable": True, "retry_after_ms": 5000, "exit_code": 12}
FIX = {"retryable": False, "fix_required": "Log in", "fix_command": "tool auth refresh", "exit_code": 8}
ASK = {"retryable": False, "fix_required": "Use a known name", "exit_code": 2, "operation_key": "o1:name"}
FINAL = {"retryable": False, "exit_code": 5}


@pytest.fixture(scope="module")
def worked(tmp_path_factory):
    """The built store of the worked sessions."""
    store = tmp_path_factory.mktemp("worked") / "recoup.duckdb"
    ingest.import_paths(store, [WORKED])
    with open_store(store, write=True) as connection:
        models.rebuild(connection, Parameters())
    with duckdb.connect(str(store), read_only=True) as connection:
        yield connection


def test_every_decision_of_the_worked_sessions(worked):
    """The 21 decisions of the worked sessions, row by row; S10 is censored, and S11's agent was told of success."""
    found = worked.execute("select session_id, lenient, strict from core.decisions order by session_id, attempt_number")

    assert found.fetchall() == [
        ("S01", "compliant", "compliant"),
        ("S02", "early_retry", "early_retry"),
        ("S02", "compliant", "compliant"),
        ("S03", "compliant", "compliant"),
        ("S03", "compliant", "compliant"),
        ("S03", "compliant", "over_budget"),
        ("S03", "stop_no_escalation", "stop_no_escalation"),
        ("S04", "compliant", "compliant"),
        ("S05", "compliant", "compliant"),
        ("S05", "compliant", "compliant"),
        ("S06", "compliant", "compliant"),
        ("S06", "compliant", "compliant"),
        ("S07", "edited_fix", "edited_fix"),
        ("S08", "compliant", "compliant"),
        ("S09", "retried_terminal", "retried_terminal"),
        ("S09", "retried_terminal", "retried_terminal"),
        ("S09", "stop_no_escalation", "stop_no_escalation"),
        ("S10", "censored", "censored"),
        ("S12", "retried_terminal", "retried_terminal"),
        ("S13", "compliant", "compliant"),
        ("S13", "stop_no_escalation", "stop_no_escalation"),
        ("S14", "compliant", "compliant"),
    ]


def test_the_worked_totals(worked):
    """21 decisions: lenient 13 (61.9 %), strict 12 (57.1 %); RE 68.2 %, SE 77.8 %, REI 70.2, one against advice."""
    query = """
        select decision_count, lenient_count, round(100 * lenient_rate, 1), strict_count, round(100 * strict_rate, 1)
        from marts.compliance_totals where is_total
    """
    assert worked.execute(query).fetchall() == [(21, 13, 61.9, 12, 57.1)]
    query = """
        select
            round(100 * recovery_efficiency, 1), recoverable_count, round(100 * stop_efficiency, 1), terminal_count,
            round(recovery_index, 1), against_advice_count
        from marts.recovery_effectiveness where dimension = $dimension
    """
    for dimension in ("all", "tool", "agent", "client"):
        assert worked.execute(query, {"dimension": dimension}).fetchall() == [(68.2, 11, 77.8, 3, 70.2, 1)]


def test_who_bears_the_end(worked):
    """Compliant and not recovered is the tool's share, recovered against advice speaks against the declaration."""
    query = """
        select share, sum(decision_count)::int from marts.compliance_outcomes where is_total group by all order by 1
    """

    assert worked.execute(query).fetchall() == [
        ("against_advice", 3),
        ("agent", 5),
        ("as_declared", 6),
        ("tool", 7),
        (None, 1),
    ]


def told(session, story):
    """Tell one story; each ends in a call of another operation or a word to a person, and an end marker."""
    for step in story:
        step(session)
    session.end()


def fail(command, code=None, **result):
    """A step: a call that fails."""
    return lambda session: session.fail(command, code, **result)


def ok(command, **result):
    """A step: a call that works."""
    return lambda session: session.ok(command, **result)


def wait(seconds):
    """A step: time passes."""
    return lambda session: session.wait(seconds)


def name(*codes):
    """A step: an answer that names the error."""
    return lambda session: session.say(mentions=codes)


GO_ON = ok("tool status")
LEASE, GET, LOGIN, EDIT = "tool lease", "tool get 9", "tool auth refresh", "tool auth refresh --force"
AUTH = {"operation": "tool auth refresh"}
STORIES = {
    "a wait honoured, then success": (
        [fail(LEASE, "BUSY", **BUSY), wait(4), ok(LEASE)],
        ["compliant"],
    ),
    "a wait cut short": (
        [fail(LEASE, "BUSY", **BUSY), wait(1), ok(LEASE)],
        ["early_retry"],
    ),
    "no declared wait: one second": (
        [fail(LEASE, "BUSY", retryable=True, exit_code=12), wait(-0.5), ok(LEASE)],
        ["early_retry"],
    ),
    "a rate limit without a wait charges none": (
        [fail(LEASE, "RATE_LIMITED", retryable=True, exit_code=11), wait(-0.5), ok(LEASE)],
        ["compliant"],
    ),
    "a transient error answered by another call": (
        [
            fail(LEASE, "BUSY", **BUSY, operation_key="o1:l"),
            wait(9),
            fail("tool lease 2", "OTHER", operation_key="o1:l"),
            GO_ON,
        ],
        ["changed_transient"],
    ),
    "given up at once": ([fail(LEASE, "BUSY", **BUSY), GO_ON], ["premature_abandon"]),
    "handed over at once": ([fail(LEASE, "BUSY", **BUSY), name("BUSY")], ["premature_abandon"]),
    "handed over after a try": (
        [fail(LEASE, "BUSY", **BUSY), wait(5), fail(LEASE, "BUSY", **BUSY), name("BUSY")],
        ["compliant", "compliant"],
    ),
    "a fourth reissue": (
        [step for _ in range(5) for step in (fail(LEASE, "BUSY", **BUSY), wait(5))] + [name("BUSY")],
        ["compliant", "compliant", "compliant", "over_budget", "compliant"],
    ),
    "the fix, then the call": ([fail(GET, "EXPIRED", **FIX), ok(LOGIN, **AUTH), ok(GET)], ["compliant"]),
    "the fix left out": ([fail(GET, "EXPIRED", **FIX), wait(5), ok(GET)], ["skipped_fix"]),
    "the fix edited": ([fail(GET, "EXPIRED", **FIX), ok(EDIT, **AUTH), ok(GET)], ["edited_fix"]),
    "the fix run twice": (
        [fail(GET, "EXPIRED", **FIX), ok(LOGIN, **AUTH), ok(LOGIN, **AUTH), ok(GET)],
        ["repeated_fix"],
    ),
    "the fix run, the call forgotten": (
        [fail(GET, "EXPIRED", **FIX), ok(LOGIN, **AUTH), GO_ON],
        ["no_reissue_after_fix"],
    ),
    "a fix that failed, and was handed over": (
        [fail(GET, "EXPIRED", **FIX), fail(LOGIN, **AUTH), name("EXPIRED")],
        ["compliant"],
    ),
    "a fix that did not help, tried once more": (
        [
            fail(GET, "EXPIRED", **FIX),
            ok(LOGIN, **AUTH),
            fail(GET, "EXPIRED", **FIX),
            ok(LOGIN, **AUTH),
            fail(GET, "EXPIRED", **FIX),
            name("EXPIRED"),
        ],
        ["compliant", "repeated_fix", "compliant"],
    ),
    "a fix that a person refused": (
        [fail(GET, "EXPIRED", **FIX), ok(LOGIN, **AUTH, status="refused", signalled_ok=False, exit_code=None), GO_ON],
        ["overruled"],
    ),
    "a redirect followed": (
        [fail(GET, "MOVED", **FIX, fix_source="redirect"), ok(LOGIN, **AUTH), GO_ON],
        ["compliant"],
    ),
    "a placeholder is no command": (
        [fail(GET, "EXPIRED", **(FIX | {"fix_command": "tool login --token <token>"})), name("EXPIRED")],
        ["compliant"],
    ),
    "a corrected call": (
        [fail("tool name a", "BAD", **ASK), ok("tool name b", operation_key="o1:name")],
        ["compliant"],
    ),
    "a correctable call repeated as it was": (
        [fail("tool name a", "BAD", **ASK), wait(5), ok("tool name a", operation_key="o1:name")],
        ["unchanged_correctable"],
    ),
    "corrected again and again": (
        [fail(f"tool name {letter}", "BAD", **ASK) for letter in "abc"] + [name("BAD")],
        ["compliant", "retried_more", "compliant"],
    ),
    "a final error handed over": ([fail(GET, "GONE", **FINAL), name("GONE")], ["compliant"]),
    "a final error tried again": ([fail(GET, "GONE", **FINAL), wait(5), ok(GET)], ["retried_terminal"]),
    "a final error passed over": ([fail(GET, "GONE", **FINAL), GO_ON], ["stop_no_escalation"]),
    "a final error and an answer about something else": (
        [fail(GET, "GONE", **FINAL), name("OTHER")],
        ["stop_no_escalation"],
    ),
    "a person steps in": (
        [fail(GET, "GONE", **FINAL), lambda session: session.say("prompt"), ok(GET)],
        ["overruled"],
    ),
    "nothing is asked of who was told of success": (
        [fail(GET, "GONE", **(FINAL | {"exit_code": 0}), signalled_ok=True), GO_ON],
        [],
    ),
    "no class, no decision": ([fail(GET, "ODD"), GO_ON], []),
}


@pytest.fixture(scope="module")
def verdicts(make_world):
    """The lenient verdicts of each story, in order."""
    world, stories = make_world(), {}
    for title, (story, _) in STORIES.items():
        session = world.session()
        stories[session.name] = title
        told(session, story)
    found: dict[str, list[str]] = {title: [] for title in STORIES}
    query = "select session_id, lenient from core.decisions order by session_id, attempt_number"
    for session, verdict in world.build().execute(query).fetchall():
        found[stories[session]].append(verdict)
    return found


@pytest.mark.parametrize("title", STORIES)
def test_what_a_decision_is_called(verdicts, title):
    """Each way to follow an error, and each way not to, has its name."""
    assert verdicts[title] == STORIES[title][1]


def test_who_decides_alike_is_one_witness(make_world):
    """Forty decisions of one session bound a rate no closer than one session can."""
    world = make_world()
    session = world.session()
    for number in range(40):
        session.fail(f"tool get {number}", "GONE", **FINAL).wait(5).ok(f"tool get {number}")
    session.end()
    query = "select decision_count, lenient_upper from marts.compliance where dimension = 'all'"
    [(count, upper)] = world.build().execute(query).fetchall()

    assert count == 40
    assert upper > 0.75
