"""Hard cases from public bug reports: each input and its right answer (families A, B and C)."""

from collections import Counter

import pytest


def rows(connection, query):
    """Return the query's rows as tuples."""
    return connection.execute(query).fetchall()


def one(connection, query):
    """Return the query's single row."""
    [row] = rows(connection, query)
    return row


def test_a01_short_wait_that_never_helps(case):
    """Three fair reissues without success leave the episode unresolved and the code without a verdict."""
    db = case("A01.jsonl")

    assert [("unresolved", 4, 3, 3)] == rows(
        db, "select outcome, attempt_count, reissue_count, fair_reissue_count from core.episodes"
    )
    assert [("transient", 3, 0)] == rows(
        db, "select declared_class, fair_reissue_count, fair_success_count from marts.error_codes"
    )
    assert [("insufficient", 1, 58)] == rows(
        db, "select verdict, trial_count, trials_needed from marts.misclassified_retryables"
    )


def test_a02_identical_reissues_of_a_correctable_error(case):
    """Reissues after retryable:false support the declaration and cost the tool nothing."""
    db = case("A02.jsonl")

    assert [("unresolved", 5, "correctable")] == rows(
        db, "select outcome, attempt_count, origin_class from core.episodes"
    )
    assert 4 == one(db, "select count(*) from core.reissues where list_contains(flags, 'identical')")[0]
    assert [(3, 3, "unproven")] == rows(db, "select maturity, proven_maturity, maturity_state from marts.error_codes")
    assert [] == rows(db, "select * from marts.misclassified_retryables where is_flagged")


def test_a05_early_retries_test_the_wait_not_the_class(case):
    """Only the reissue that waited as declared is fair."""
    db = case("A05.jsonl")

    assert [(2000, True, False), (4000, True, False), (31000, False, True)] == rows(
        db, "select delay_ms, is_early, is_fair from core.reissues order by delay_ms"
    )
    assert [("recovered_unchanged", 4, 40000)] == rows(
        db, "select outcome, attempt_count, time_to_recovery_ms from core.episodes"
    )
    assert [(1, 1)] == rows(db, "select fair_reissue_count, fair_success_count from marts.error_codes")


def test_a06_fix_that_does_not_help(case):
    """A fix that exits 0 and leaves the same code is a failed closed loop, and no recovery."""
    db = case("A06.jsonl")

    assert [("failed", False)] == rows(db, "select verdict, is_dirty from core.closed_loops")
    assert [("unresolved", 2)] == rows(db, "select outcome, attempt_count from core.episodes")
    assert [(1, 1, 1)] == rows(
        db, "select closed_loop_count, failed_loop_count, proven_maturity from marts.error_codes"
    )


def test_a08_static_rules_on_fix_commands(case):
    """Every kind of unsafe remedy is named, and what one event cannot show is not claimed."""
    db = case("A08.jsonl")
    rules = {}
    for code, found in rows(db, "select error_code, rules from marts.fix_command_lint"):
        rules.setdefault(code, set()).update(found)

    assert {"CREDENTIALS_EXPIRED", "CONFIG_MISSING"} == {code for code, found in rules.items() if not found}
    assert {"REPO_NOT_TRUSTED", "STATE_LOCKED"} == {code for code, found in rules.items() if "interpolated" in found}
    assert {"TOKEN_MISSING", "PROJECT_UNSET"} == {code for code, found in rules.items() if "placeholder" in found}
    assert {"STATE_DIVERGED"} == {code for code, found in rules.items() if "destructive" in found}
    assert {"STATE_LOCKED", "DEPS_BROKEN"} == {code for code, found in rules.items() if "destructive_suspect" in found}
    assert {"LOG_FULL", "CACHE_STALE", "REPO_NOT_TRUSTED"} == {
        code for code, found in rules.items() if "shell_syntax" in found
    }
    assert {"DEPS_BROKEN"} == {code for code, found in rules.items() if "foreign_program" in found}
    assert {"MIGRATION_PENDING"} == {code for code, found in rules.items() if "needs_manifest" in found}


def test_a09_failures_under_exit_zero(case):
    """ok:false with exit 0 is a failure and a false success; another call's success recovers nothing."""
    db = case("A09.jsonl")

    assert Counter({"error": 4, "ok": 1}) == Counter(
        status for (status,) in rows(db, "select status from core.attempts")
    )
    assert 3 == one(db, "select sum(false_success_count) from marts.false_successes where tier = 'P1'")[0]
    assert [] == rows(db, "select * from core.episodes where is_recovered")


def test_a15_terminal_that_clears_by_itself(case):
    """Four of five unchanged reissues work: evidence against the class, held back while one agent saw it alone."""
    db = case("A15.jsonl")

    assert 6 == one(db, "select count(*) from core.episodes")[0]
    verdict, k, n, lower, upper = one(
        db, "select verdict, success_count, trial_count, rate_lower, rate_upper from marts.misclassified_retryables"
    )
    assert ("watch", 4, 5) == (verdict, k, n)
    assert (0.376, 0.964) == (round(lower, 3), round(upper, 3))


def test_a17_refusals_and_blocks_are_no_tool_errors(case):
    """A person's no and a hook's block stay out of the error rate and open no episode."""
    db = case("A17.jsonl")

    assert Counter({"refused": 1, "blocked": 1, "error": 1, "ok": 1}) == Counter(
        status for (status,) in rows(db, "select status from core.attempts")
    )
    assert [("recovered_unchanged", 3000)] == rows(
        db,
        "select outcome, delay_ms from core.episodes inner join core.reissues on attempt_id = episode_id",
    )
    assert [("after_refusal", False)] == rows(
        db, "select kind, is_fair from core.reissues where kind = 'after_refusal'"
    )


def test_a19_a_success_closes_the_episode(case):
    """The same call failing again after a success is a second episode, and waiting out an outage is no loop."""
    db = case("A19.jsonl")

    assert [("recovered_unchanged", 4), ("recovered_unchanged", 2)] == rows(
        db, "select outcome, attempt_count from core.episodes order by started_at"
    )
    assert [(4, 2)] == rows(db, "select fair_reissue_count, fair_success_count from marts.error_codes")


def test_b01_one_message_on_several_lines(case):
    """Lines of one message are one step: calls count once, usage counts once, the last line is right."""
    db = case("B01.jsonl")

    assert Counter({"error": 1, "ok": 1}) == Counter(
        status for (status,) in rows(db, "select status from core.attempts")
    )
    assert [] == rows(db, "select * from core.reissues")
    assert 1 == one(db, "select count(distinct turn_number) from core.attempts")[0]
    assert 23 == one(db, "select max(output_tokens) from staging.calls")[0]


def test_b02_a_replayed_history_is_not_a_reissue(case):
    """Replayed records fold into their calls; an hour and a person later the reissue is no retry evidence."""
    db = case("B02.jsonl")

    assert 2 == one(db, "select count(*) from core.attempts")[0]
    assert [("after_human", False, False, ["late", "identical"])] == rows(
        db, "select kind, is_fair, is_early, flags from core.reissues"
    )


def test_b04_rapid_repeats_survive(case):
    """Equal content under different ids is three attempts."""
    db = case("B04.jsonl")

    assert 3 == one(db, "select count(*) from core.attempts")[0]
    assert [(600, True), (600, True)] == rows(db, "select delay_ms, is_early from core.reissues")


def test_b07_a_code_at_the_end_of_a_long_line(case):
    """The code behind 200 KB of warnings is found, and nothing after the line is lost."""
    db = case("B07.jsonl")

    assert [("BUILD_FAILED", 1)] == rows(db, "select error_code, exit_code from core.attempts where status = 'error'")
    assert [("recovered_unchanged",)] == rows(db, "select outcome from core.episodes")


def test_b08_damaged_text_costs_nothing(case):
    """A lone surrogate, a bad byte, a NUL, a BOM and a CRLF lose no record."""
    db = case("B08.jsonl")

    assert 3 == one(db, "select count(*) from core.attempts")[0]
    assert [("recovered_unchanged",)] == rows(db, "select outcome from core.episodes")
    assert 2 == one(db, "select count(*) from raw.events where list_contains(flags, 'text_repaired')")[0]


def test_b09_instants_not_strings(case):
    """Times in four notations, and lines out of order, are compared as instants."""
    db = case("B09.jsonl")

    assert [(29750, True, True)] == rows(db, "select delay_ms, is_fair, is_success from core.reissues")
    flags = {flag for (found,) in rows(db, "select flags from raw.events") for flag in found or ()}
    assert {"naive_timestamp", "no_timestamp"} <= flags


def test_b10_interrupted_and_unanswered_calls(case):
    """Interrupted and unanswered calls are no errors."""
    db = case("B10.jsonl")

    assert Counter({"interrupted": 2, "ok": 1, "pending": 1}) == Counter(
        status for (status,) in rows(db, "select status from core.attempts")
    )
    assert [] == rows(db, "select * from core.episodes")


def test_b12_shapes_that_vary_by_version(case):
    """Strings, objects, arrays and nulls in one field read alike; an exit code that is not stated stays null."""
    db = case("B12.jsonl")

    assert [
        ("a", "error", None, None),
        ("b", "error", "ARG_ERROR", None),
        ("c", "ok", None, None),
        ("d", "error", "UNAVAILABLE", 12),
        ("e", "ok", None, None),
        ("f", "ok", None, None),
    ] == rows(db, "select split_part(operation, ' ', 2), status, error_code, exit_code from core.attempts order by 1")
    assert 3 == one(db, "select sum(record_count) from raw.skipped")[0]


def test_b17_threads_are_actors(case):
    """A sub-agent's failures are its own; the parent delegated."""
    db = case("B17")

    assert 4 == one(db, "select count(*) from core.attempts")[0]
    assert [("ab12cd34", "recovered_unchanged", []), ("main", "abandoned", ["delegated"])] == rows(
        db, "select actor_id, outcome, flags from core.episodes order by actor_id"
    )
    assert [(4000,)] == rows(db, "select delay_ms from core.reissues")


def test_c01_attempts_and_operations_are_different_denominators(case):
    """Every success rate has a denominator of its own."""
    db = case("C01.jsonl")

    assert (6, 4) == one(db, "select count(*), count(*) filter (where true_ok) from core.attempts")
    assert (4, 4, 3) == one(
        db,
        """
        select count(*), count(*) filter (where last_ok), count(*) filter (where first_ok)
        from (
            select arg_max(true_ok, attempt_number) as last_ok, arg_min(true_ok, attempt_number) as first_ok
            from core.attempts group by session_id, actor_id, operation_key
        )
        """,
    )
    assert (2, 1) == one(db, "select count(*), count(*) filter (where is_success) from core.reissues")


def test_c02_a_green_end_hides_the_cost(case):
    """Every episode recovered, and 14 failed attempts took 35 seconds."""
    db = case("C02.jsonl")

    assert (24, 14) == one(db, "select count(*), count(*) filter (where status = 'error') from core.attempts")
    assert (7, 7) == one(db, "select count(*), count(*) filter (where is_recovered) from core.episodes")
    assert [(35000, 14)] == rows(db, "select wasted_ms, wasted_calls from marts.error_codes")
    assert [("supported",)] == rows(db, "select verdict from marts.misclassified_retryables")


def test_c03_waits_in_every_notation(case):
    """Seconds, dates, zero and nonsense: what is not a wait is not declared."""
    db = case("C03.jsonl")

    waits = dict(rows(db, "select call_id, retry_after_ms from core.attempts"))
    assert {
        "c1": 120000, "c2": 120000, "c3": 0, "c4": None, "c5": None, "c6": 0,
        "c7": 30000, "c8": None, "c9": 120000, "c10": None, "c11": 0, "c12": 60000,
    } == waits  # fmt: skip
    assert [("c7",)] == rows(
        db, "select call_id from core.attempts where list_contains(flags, 'unit_mismatch_suspected')"
    )


def test_c06_small_counts_carry_wide_intervals(case):
    """One of one is not the best code, and one failure is no verdict."""
    db = case("C06.jsonl")

    bounds = {
        code: (round(lower, 3), round(upper, 3))
        for code, lower, upper in rows(db, "select error_code, rate_lower, rate_upper from marts.error_codes")
    }
    assert {
        "E_ONE_GOOD": (0.207, 1.0),
        "E_ONE_BAD": (0.0, 0.793),
        "E_TWO": (0.342, 1.0),
        "E_TEN": (0.596, 0.982),
        "E_FORTY": (0.709, 0.929),
    } == bounds
    assert ["E_FORTY", "E_TEN", "E_TWO", "E_ONE_GOOD", "E_ONE_BAD"] == sorted(bounds, key=lambda code: -bounds[code][0])
    assert [("insufficient",)] == rows(
        db, "select verdict from marts.misclassified_retryables where error_code = 'E_ONE_BAD'"
    )
    assert [] == rows(db, "select * from marts.misclassified_retryables where is_flagged")


def test_c07_censored_is_not_failed(case):
    """Episodes whose log stops are counted apart, never as failures."""
    db = case("C07.jsonl")

    assert Counter({"recovered_unchanged": 4, "unresolved": 1, "abandoned": 1, "censored": 2}) == Counter(
        outcome for (outcome,) in rows(db, "select outcome from core.episodes")
    )
    assert (5, 4) == one(db, "select count(*), count(*) filter (where is_success) from core.reissues")


def test_c09_tries_inside_the_tool(case):
    """The tool's own tries are a column of their own; waits start at the end of a call."""
    db = case("C09.jsonl")

    assert (3, 8) == one(db, "select count(*), sum(internal_attempts) from core.attempts")
    assert [(11000,), (16000,)] == rows(db, "select delay_ms from core.reissues order by 1")


def test_c11_the_world_changed_between(case):
    """An edit or a person between two identical calls makes the second no evidence about retrying."""
    db = case("C11.jsonl")

    assert [("recovered_after_other", []), ("recovered_after_other", ["late", "with_human"])] == rows(
        db, "select outcome, flags from core.episodes order by started_at"
    )
    assert 0 == one(db, "select count(*) from core.reissues where is_fair")[0]


def test_c14_part_of_a_batch(case):
    """Reissuing the failed part recovers that part, not the call; the whole batch again is unsafe."""
    db = case("C14.jsonl")

    assert [("narrowed", True)] == rows(db, "select kind, is_success from core.reissues where kind = 'narrowed'")
    assert 1 == one(db, "select count(*) from core.reissues where list_contains(flags, 'unsafe_reissue')")[0]
    assert [] == rows(db, "select * from core.episodes where is_recovered")


@pytest.mark.parametrize(
    "name", ["retries-plain", "retries-description-varies", "retries-sleep-between", "retries-sleep-and-description"]
)
def test_one_behaviour_written_four_ways(case, name):
    """Descriptions and sleeps between are no part of the behaviour."""
    db = case(f"discriminating/{name}.jsonl")

    assert [("recovered_unchanged", 4, 3)] == rows(
        db, "select outcome, attempt_count, reissue_count from core.episodes"
    )
    assert ["unchanged"] * 3 == [kind for (kind,) in rows(db, "select kind from core.reissues")]


def test_a_recovery_and_a_fix_that_did_not_help_are_told_apart(case):
    """The two sessions that look alike to a counter of errors have opposite answers."""
    good, bad = case("discriminating/A-recovered.jsonl"), case("discriminating/B-fix-did-not-help.jsonl")

    assert [("recovered_unchanged", 3, 2)] == rows(
        good, "select outcome, attempt_count, fair_reissue_count from core.episodes"
    )
    assert [] == rows(good, "select * from core.closed_loops")
    assert [("failed",)] == rows(bad, "select verdict from core.closed_loops")
    assert [("P1", "ERROR", 1)] == rows(bad, "select tier, error_code, false_success_count from marts.false_successes")
    assert [] == rows(bad, "select * from core.episodes where is_recovered")
