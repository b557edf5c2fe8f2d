"""Hard cases from public bug reports, as other agents and servers than Claude Code log them (families A, B and D)."""

from collections import Counter


def rows(connection, query):
    """Return the query's rows as tuples."""
    return connection.execute(query).fetchall()


def test_a04_surrender_on_a_declared_transient_error(case):
    """An agent that ends its task on a transient error abandoned it; no trial is no evidence about retrying."""
    db = case("A04.jsonl")

    assert [("abandoned", 1, 0, "transient", "UNAVAILABLE")] == rows(
        db, "select outcome, attempt_count, reissue_count, origin_class, origin_code from core.episodes"
    )
    assert [(0,)] == rows(db, "select fair_reissue_count from marts.error_codes")


def test_a14_conflict_after_a_create_that_had_worked(case):
    """The reissue of a create that timed out is unsafe; CONFLICT says that the first attempt had worked."""
    db = case("A14.jsonl")

    assert [("TIMEOUT", 10), ("CONFLICT", 6), (None, 0)] == rows(
        db, "select error_code, exit_code from core.attempts order by attempt_number"
    )
    assert [(2, 1, ["effect_already_applied"])] == rows(
        db, "select attempt_count, reissue_count, flags from core.episodes"
    )
    assert [("unchanged", True, False)] == rows(
        db, "select kind, list_contains(flags, 'unsafe_reissue'), is_success from core.reissues"
    )


def test_b14_six_ways_to_state_an_exit_code(case):
    """Header, JSON and process line state the code; a phrase inside the output does not, and nothing is guessed."""
    db = case("B14.jsonl")

    assert [
        (1, "error", 12, "UNAVAILABLE"),
        (2, "error", 12, "UNAVAILABLE"),
        (3, "error", 12, "UNAVAILABLE"),
        (4, "error", None, "UNAVAILABLE"),
        (5, "unknown", None, None),
        (6, "killed", None, None),
        (7, "ok", 0, None),
        (8, "not_run", None, None),
        (9, "error", 1, None),
    ] == rows(
        db,
        """
        select split_part(call_id, '_', 3)::int, status, case when status != 'killed' then exit_code end, error_code
        from core.attempts order by attempt_number
        """,
    )
    assert [(124, "X_TRANSPORT_TIMEOUT")] == rows(
        db, "select exit_code, reason from core.attempts where status = 'killed'"
    )
    assert [(1,), (2,), (3,), (4,), (6,), (8,), (9,)] == rows(
        db, "select split_part(call_id, '_', 3)::int from core.attempts where not signalled_ok order by 1"
    )


def test_d09_one_call_written_four_ways(case):
    """Vector, nested `-c`, plain vector and string are one operation; a program PowerShell did not find never ran."""
    db = case("D09.jsonl")

    assert ["tool deploy"] * 5 == [
        operation for (operation,) in rows(db, "select operation from core.attempts order by attempt_number")
    ]
    assert ["error", "error", "error", "ok", "not_run"] == [
        status for (status,) in rows(db, "select status from core.attempts order by attempt_number")
    ]
    assert [(4, 3, True)] == rows(db, "select attempt_count, reissue_count, is_recovered from core.episodes")
    # the assignment of the first is context: taking it away makes the second a changed call
    assert [("changed", 2600), ("unchanged", 2600), ("unchanged", 2000)] == rows(
        db,
        """
        select kind, delay_ms from core.reissues
        inner join core.attempts as attempts using (attempt_id) order by attempts.attempt_number
        """,
    )


def test_d14_killed_from_outside(case):
    """Timeouts and signals of others are no error codes of the tool; only the timeout it declares itself is."""
    db = case("D14.jsonl")

    assert ["timeout", "X_TRANSPORT_TIMEOUT", "signal:9", "signal:15", "signal:2", "exit_code"] == [
        reason for (reason,) in rows(db, "select reason from core.attempts order by attempt_number")
    ]
    assert Counter({"killed": 5, "error": 1}) == Counter(
        status for (status,) in rows(db, "select status from core.attempts")
    )
    assert [("TIMEOUT", 10)] == rows(db, "select error_code, exit_code from core.attempts where status = 'error'")
    assert [("unchanged", False)] == rows(
        db, "select kind, is_fair from core.reissues where list_contains(flags, 'unsafe_reissue')"
    )


def test_a11_mcp_flags_that_are_missing_false_or_misused(case):
    """A structured error under a good flag is certain, prose is suspected, data is data, the protocol another layer."""
    db = case("A11.jsonl")

    assert [
        ("1", "ok", False),
        ("2", "ok", True),
        ("3", "ok", True),
        ("4", "error", False),
        ("5", "ok", False),
        ("6", "error", False),
        ("7", "not_run", False),
        ("8", "pending", False),
    ] == rows(
        db,
        "select call_id, status, list_contains(flags, 'suspected_failure') from core.attempts order by attempt_number",
    )
    assert [("get_record", "NOT_FOUND", 1)] == rows(
        db,
        """
        select operation, error_code, false_success_count from marts.false_successes
        where is_flagged and tier in ('P1', 'P2')
        """,
    )
