"""What `sample_data` plants, found again: the figures of its README."""

from pathlib import Path

import duckdb
import pytest

from pipeline import ingest, models
from pipeline.parameters import Parameters
from pipeline.store import open_store

SAMPLE = Path(__file__).parents[3] / "sample_data"


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The built store of the sample logs."""
    store = tmp_path_factory.mktemp("sample") / "recoup.duckdb"
    ingest.import_paths(store, [SAMPLE / "claude_code", SAMPLE / "envelope_log"])
    with open_store(store, write=True) as connection:
        models.rebuild(connection, Parameters())
    with duckdb.connect(str(store), read_only=True) as connection:
        yield connection


def rows(connection, query):
    """Return the query's rows as tuples."""
    return connection.execute(query).fetchall()


def test_waits_that_are_too_short_and_too_long(sample):
    """RATE_LIMITED: 0 of 10 at its wait, 18 of 18 at four times it; ENV_WARMING: 40 of 40 below half of its."""
    assert rows(
        sample,
        """
        select error_code, finding, declared_k, declared_n, early_k, early_n, recommended_k, recommended_n
        from marts.retry_after_calibration where is_flagged order by error_code
        """,
    ) == [
        ("ENV_WARMING", "retry_after_too_long", 4, 4, 40, 40, 44, 44),
        ("RATE_LIMITED", "retry_after_too_short", 0, 10, 0, 0, 18, 18),
    ]


def test_a_proposed_wait_is_one_that_was_seen(sample):
    """No recommended wait lies beyond the longest delay of its code."""
    assert (
        rows(sample, "select error_code from marts.retry_after_calibration where recommended_ms > longest_delay_ms")
        == []
    )


def test_the_fix_that_is_missing(sample):
    """One `git push` clears BRANCH_NOT_PUSHED in seven of seven sessions."""
    query = "select error_code, remedy, success_count, trial_count from marts.missing_fixes where is_flagged"

    assert rows(sample, query) == [("BRANCH_NOT_PUSHED", "git push", 7, 7)]


def test_a_fix_that_must_not_run_twice(sample):
    """SCHEMA_OUTDATED's fix failed both times it was run again."""
    query = "select error_code, failed_repeat_count, repeat_count from marts.fix_idempotency where is_flagged"

    assert rows(sample, query) == [("SCHEMA_OUTDATED", 2, 2)]


def test_whose_repeats_were_wasted(sample):
    """Twenty futile retries of NOT_FOUND are the agents'; the 52 repeats of QUOTA_EXHAUSTED are the tool's."""
    query = """
        select futile_calls, misled_calls from marts.waste
        where level = 'code' and error_code in ('NOT_FOUND', 'QUOTA_EXHAUSTED') order by error_code
    """

    assert rows(sample, query) == [(20, 0), (0, 52)]


def test_what_changed_with_the_release(sample):
    """One code changed its class, one its name."""
    query = "select kind, before, after, before_version, after_version from marts.code_stability order by kind"

    assert rows(sample, query) == [
        ("class_flip", "terminal", "transient", "1.4.0", "1.5.0"),
        ("rename", "TOOL_OUTDATED", "CLI_OUTDATED", "1.4.0", "1.5.0"),
    ]


def test_the_generic_code(sample):
    """ERROR holds two failures: one clears, one stays; no other code is generic."""
    assert rows(sample, "select error_code, verdict from marts.code_purity where is_generic") == [("ERROR", "watch")]


def test_the_oldest_version_proved_it_alone(sample):
    """PERMISSION_DENIED clears by itself: proven of each version, and no alarm yet over all codes of the current."""
    query = """
        select tool_version, is_proven, is_current, is_alarm from marts.live_monitor
        where error_code = 'PERMISSION_DENIED' order by tool_version
    """

    assert rows(sample, query) == [("1.4.0", True, False, False), ("1.5.0", True, True, False)]


@pytest.mark.parametrize(
    ("mart", "key"),
    [
        ("core.decisions", "attempt_id"),
        ("core.waste", "attempt_id, kind"),
        ("core.recovery_times", "episode_id"),
        ("core.next_steps", "attempt_id"),
        ("core.behaviours", "session_id, tool, error_code, declared_class, template"),
        ("core.fix_trials", "session_id, tool, error_code, declared_class, arm"),
        ("core.wait_looks", "attempt_id"),
        ("core.live_trials", "session_id, tool, error_code, declared_class, tool_version"),
        ("core.strata_trials", "session_id, tool, error_code, kind"),
        ("core.versions", "attempt_id"),
        (
            "core.session_counts",
            "session_id, measure, tool, operation, error_code, model, agent_name, format, tool_version",
        ),
        ("marts.compliance", "dimension, value"),
        ("marts.compliance_outcomes", "tool, is_total, declared_class, verdict, is_recovered"),
        ("marts.obedience", "tool, error_code, declared_class"),
        ("marts.waste", "level, tool, error_code, declared_class"),
        ("marts.retry_after_calibration", "tool, error_code, declared_class, declared_ms"),
        ("marts.missing_fixes", "tool, error_code"),
        ("marts.hopeless_fixes", "tool, error_code"),
        ("marts.fix_effects", "tool, error_code"),
        ("marts.fix_idempotency", "tool, error_code, fix_command"),
        ("marts.recovery_by", "tool, error_code, declared_class"),
        ("marts.recovery_curves", "tool, error_code, declared_class, clock, time"),
        ("marts.code_purity", "tool, error_code, declared_class"),
        ("marts.code_stability", "tool, kind, error_code, before, after"),
        ("marts.strata", "tool, error_code, kind, is_total"),
        ("marts.selection", "tool, error_code, declared_class"),
        ("marts.live_monitor", "tool, error_code, declared_class, tool_version"),
        ("marts.recovery_effectiveness", "dimension, value"),
        ("marts.error_codes", "tool, error_code, declared_class"),
    ],
)
def test_keys_are_unique(sample, mart, key):
    """Each table holds one row per key, and is not empty."""
    assert rows(sample, f"select {key} from {mart} group by {key} having count(*) > 1") == []
    assert rows(sample, f"select count(*) > 0 from {mart}") == [(True,)]


def test_rates_and_bounds_are_shares(sample):
    """Whatever calls itself a rate, a share or a bound lies between nought and one."""
    columns = rows(
        sample,
        """
        select table_schema || '.' || table_name, column_name from information_schema.columns
        where table_schema = 'marts' and data_type = 'DOUBLE'
            and regexp_matches(column_name, '(_rate|_share|_lower|_upper)$|^(rate|bound|if_censored)_')
            and column_name not like 'difference_%'
        """,
    )

    assert len(columns) > 50
    for table, column in columns:
        assert rows(sample, f"select {column} from {table} where not ({column} between 0 and 1)") == [], (table, column)
