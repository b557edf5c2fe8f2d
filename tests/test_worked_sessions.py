"""Fourteen worked sessions: every episode, leg, reissue, loop and maturity by hand, and their totals."""

from collections import Counter
from pathlib import Path

import pytest


@pytest.fixture
def worked(analyse):
    """Return the analysed worked sessions."""
    return analyse(Path(__file__).parent / "cases" / "worked" / "sessions.ndjson")


def rows(connection, query):
    """Return the query's rows as tuples."""
    return connection.execute(query).fetchall()


def test_episodes(worked):
    """Each session holds one episode with the outcome and the time worked out by hand."""
    assert [
        ("S01", "recovered_unchanged", 5700),
        ("S02", "recovered_unchanged", 6600),
        ("S03", "unresolved", None),
        ("S04", "recovered_after_fix", None),
        ("S05", "escalated", None),
        ("S06", "escalated", None),
        ("S07", "recovered_after_other", None),
        ("S08", "recovered_changed", None),
        ("S09", "unresolved", None),
        ("S10", "censored", None),
        ("S11", "recovered_unchanged", None),
        ("S12", "recovered_unchanged", None),
        ("S13", "unresolved", None),
        ("S14", "recovered_unchanged", None),
    ] == rows(
        worked,
        """
        select session_id, outcome, case when session_id in ('S01', 'S02') then time_to_recovery_ms end
        from core.episodes order by session_id
        """,
    )


def test_legs(worked):
    """Legs and their scores give RE 7.5/11, SE 2.333/3 and one success against advice."""
    legs = rows(
        worked, "select session_id, leg_number, round(efficiency, 3) from core.legs order by session_id, leg_number"
    )

    assert [
        ("S01", 1, 1.0), ("S02", 1, 0.5), ("S03", 1, 0.0), ("S04", 1, 1.0), ("S05", 1, 0.0), ("S06", 1, 1.0),
        ("S06", 2, 1.0), ("S07", 1, 1.0), ("S08", 1, 1.0), ("S09", 1, 0.333), ("S10", 1, None), ("S11", 1, 1.0),
        ("S12", 1, None), ("S13", 1, 0.0), ("S13", 2, 1.0), ("S14", 1, 1.0),
    ] == legs  # fmt: skip
    assert [("correctable_or_so", 7.5, 11), ("terminal", 2.333, 3)] == rows(
        worked,
        """
        select
            case when declared_class = 'terminal' then 'terminal' else 'correctable_or_so' end as side,
            round(sum(efficiency), 3),
            count(efficiency)
        from core.legs group by side order by side
        """,
    )
    assert [("S12",)] == rows(worked, "select session_id from core.legs where is_against_advice")
    assert [("S13",)] == rows(worked, "select session_id from core.legs where outcome = 'unsafe'")


def test_clean_unchanged_reissues(worked):
    """Unchanged reissues per code, and the one fair reissue a session that is evidence."""
    assert [
        ("LOCK_HELD", 3, 0), ("NOT_FOUND", 2, 0), ("RATE_LIMITED", 4, 3), ("TIMEOUT", 1, 0), ("UPSTREAM_ERROR", 1, 1),
    ] == rows(
        worked,
        """
        select error_code, count(*), count(*) filter (where is_success)
        from core.reissues where kind = 'unchanged' and error_code is not null and tool = 'tool' and session_id != 'S11'
        group by error_code order by error_code
        """,
    )  # fmt: skip
    assert [
        ("LOCK_HELD", 1, 0), ("NOT_FOUND", 1, 0), ("RATE_LIMITED", 3, 3), ("TIMEOUT", 1, 0), ("UPSTREAM_ERROR", 1, 1),
    ] == rows(
        worked,
        """
        select error_code, trial_count, success_count
        from marts.misclassified_retryables where declared_class in ('transient', 'terminal') order by error_code
        """,
    )  # fmt: skip
    assert [("S02",)] == rows(worked, "select session_id from core.reissues where is_early")


def test_one_success_against_a_terminal_class_is_watched(worked):
    """One success contradicts nothing yet."""
    assert [("watch",)] == rows(
        worked, "select verdict from marts.misclassified_retryables where error_code = 'UPSTREAM_ERROR'"
    )


def test_closed_loops(worked):
    """Three trials: one closed, one failed, one advanced; an edited fix is no trial."""
    assert [("S04", "closed"), ("S05", "failed"), ("S06", "advanced")] == rows(
        worked, "select session_id, verdict from core.closed_loops order by session_id"
    )


def test_parallel_copies_are_one_failure(worked):
    """Three identical calls of one turn are one attempt with three copies; cost is their sum."""
    assert [(3, 300)] == rows(
        worked, "select copies, tokens from core.attempts where session_id = 'S14' and status = 'error'"
    )
    assert [(23, 25, 2500)] == rows(
        worked, "select count(*), sum(copies), sum(tokens) from core.attempts where status = 'error'"
    )


def test_a_failure_under_a_good_status(worked):
    """The error inside a signalled success is a certain false success."""
    assert [("P1", 1)] == rows(worked, "select tier, false_success_count from marts.false_successes")


def test_recovery_rate_keeps_censored_apart(worked):
    """8 of 13 closed episodes recovered; bounds 8 to 9 of 14."""
    outcomes = Counter(outcome for (outcome,) in rows(worked, "select outcome from core.episodes"))

    assert Counter(
        recovered_unchanged=5, recovered_after_fix=1, recovered_changed=1, recovered_after_other=1,
        unresolved=3, escalated=2, censored=1,
    ) == outcomes  # fmt: skip


@pytest.mark.parametrize(
    ("score", "error"),
    [
        (0, None),
        (1, {"code": "AUTH_ERROR", "message": "Authentication failed"}),
        (
            3,
            {
                "code": "CREDENTIALS_EXPIRED",
                "retryable": False,
                "fix_required": "Refresh credentials, then reissue",
                "fix_command": "tool auth refresh",
            },
        ),
        (2, {"code": "CREDENTIALS_EXPIRED", "retryable": False, "fix_required": "Refresh credentials, then reissue"}),
        (3, {"code": "INVALID_ENVIRONMENT", "retryable": False, "fix_required": "Correct the target"}),
        (2, {"code": "VALIDATION_ERROR", "retryable": False}),
        (3, {"code": "RATE_LIMITED", "retryable": True, "retry_after_ms": 5000}),
        (1, {"code": "RATE_LIMITED", "retryable": True}),
        (2, {"code": "SERVICE_UNAVAILABLE", "retryable": True}),
        (3, {"code": "TIMEOUT", "retryable": True, "retry_after_ms": 0}),
        (3, {"code": "PERMISSION_DENIED", "retryable": False}),
        (1, {"code": "INTERNAL_ERROR", "retryable": False}),
        (
            1,
            {
                "code": "TOKEN_MISSING",
                "retryable": False,
                "fix_required": "Log in",
                "fix_command": "tool auth login --token <your-token>",
            },
        ),
        (1, {"code": "CREDENTIALS_EXPIRED", "retryable": True, "reauth_command": "tool auth login"}),
    ],
)
def test_maturity_of_single_errors(analyse, tmp_path, score, error):
    """One error alone scores what the least capable caller can do with it."""
    import json

    log = tmp_path / "one.ndjson"
    envelope = None if error is None else {"ok": False, "data": None, "error": error, "warnings": [], "meta": {}}
    record = {
        "ts": "2026-05-04T10:00:00Z", "session_id": "s", "agent": "a", "call_id": "c", "argv": ["tool", "deploy"],
        "exit_code": 1, "envelope": envelope, "stderr": "Error: Something went wrong" if error is None else "",
    }  # fmt: skip
    log.write_text(json.dumps(record) + "\n")

    assert [(score,)] == rows(analyse(log), "select maturity from core.attempts")
