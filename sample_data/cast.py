"""Who lives through what: the one table to edit when the counts of a story should change."""

from collections.abc import Callable
from typing import Any, NamedTuple

from stories import claude_only, common, correctable, terminal, transient, undecided

SESSIONS = 30
"""Sessions of each agent; the first half runs tool 1.4.0, the second half 1.5.0."""


class Row(NamedTuple):
    """How many sessions of each agent hold a story."""

    group: str
    """Stories of one group never share a session: each (session, code) gives one clean piece of evidence."""
    story: Callable[[Any], None]
    claude: int
    builder: int
    version: str | None = None
    """The only release of the tool the story can happen with."""
    is_last: bool = False
    """The story ends its session."""


CAST: tuple[Row, ...] = (
    Row("end", common.ends_after_a_failure, 1, 2, is_last=True),
    Row("end", claude_only.ends_before_the_result, 1, 0, is_last=True),
    Row("end", claude_only.build_interrupted, 2, 0, is_last=True),
    Row("outdated", terminal.update_renames, 1, 1, version="1.4.0", is_last=True),
    Row("outdated", terminal.update_helps, 1, 1, version="1.4.0"),
    Row("outdated", terminal.update_helps, 1, 1, version="1.5.0"),
    Row("promote", terminal.promote_clears, 2, 1, version="1.4.0"),
    Row("promote", terminal.promote_stays, 0, 1, version="1.4.0"),
    Row("promote", terminal.promote_clears, 2, 2, version="1.5.0"),
    Row("warming", transient.warming_early, 20, 20),
    Row("warming", transient.warming_waited, 2, 2),
    Row("quota", transient.quota_one_try, 4, 4),
    Row("quota", transient.quota_two_tries, 5, 5),
    Row("quota", transient.quota_three_tries, 4, 4),
    Row("artifact", terminal.artifact_retried, 9, 11),
    Row("artifact", terminal.artifact_obeyed, 1, 1),
    Row("upstream", transient.upstream_clears, 6, 8),
    Row("upstream", transient.upstream_clears_second, 1, 1),
    Row("upstream", transient.upstream_early, 1, 1),
    Row("upstream", transient.upstream_recurs, 1, 0),
    Row("upstream", transient.upstream_dropped, 1, 1),
    Row("rate", transient.rate_needs_four_times, 4, 6),
    Row("rate", transient.rate_patient, 4, 4),
    Row("role", terminal.role_clears, 6, 6),
    Row("role", terminal.role_stays, 1, 1),
    Row("role", terminal.role_obeyed, 2, 2),
    Row("credentials", correctable.credentials_closed, 5, 7),
    Row("credentials", correctable.credentials_advanced, 1, 1),
    Row("credentials", correctable.credentials_fix_skipped, 1, 1),
    Row("credentials", correctable.credentials_fix_edited, 1, 1),
    Row("credentials", correctable.credentials_open, 1, 0),
    Row("credentials", correctable.credentials_stale, 0, 1),
    Row("credentials", claude_only.credentials_asked_about, 1, 0),
    Row("config", correctable.config_fails, 3, 3),
    Row("config", correctable.config_fails_dirty, 0, 1),
    Row("config", correctable.config_closed, 1, 1),
    Row("review", terminal.branch_pushed, 3, 4),
    Row("mission", transient.mission_exists, 1, 2),
    Row("mission", transient.mission_clears, 1, 0),
    Row("throttled", transient.throttled_clears, 1, 1),
    Row("throttled", transient.throttled_stays, 1, 1),
    Row("mirror", transient.mirror_clears, 2, 2),
    Row("maybe", undecided.mirror_maybe, 1, 1),
    Row("runners", transient.runners_busy_in_parallel, 1, 1),
    Row("region", transient.region_down_once, 0, 1),
    Row("queue", terminal.queue_clears, 1, 0),
    Row("queue", terminal.queue_stays, 0, 1),
    Row("root", terminal.root_used, 1, 1),
    Row("mails", terminal.mails_narrowed, 1, 1),
    Row("mails", terminal.mails_sent_twice, 0, 1),
    Row("deps", correctable.deps_fix_fails, 1, 2),
    Row("runtime", correctable.runtime_fix_unknown, 1, 1),
    Row("token", correctable.token_placeholder_run, 1, 1),
    Row("token", correctable.token_handed_over, 1, 1),
    Row("state", claude_only.state_reset_refused, 1, 0),
    Row("state", correctable.state_reset, 0, 1),
    Row("state", correctable.state_merged_by_person, 1, 1),
    Row("schema", correctable.schema_step_twice, 1, 1),
    Row("cache", correctable.cache_warmed, 2, 2),
    Row("index", correctable.index_pipeline, 1, 1),
    Row("lock", correctable.lock_fix_is_itself, 1, 0),
    Row("license", correctable.license_prose, 0, 1),
    Row("typo", correctable.typo_corrected, 3, 3),
    Row("approval", correctable.approval_given, 1, 1),
    Row("moved", correctable.command_moved, 1, 1),
    Row("prune", undecided.generic_clears, 1, 2),
    Row("prune", undecided.generic_stays, 2, 1),
    Row("api", undecided.build_repaired, 2, 2),
    Row("debug", undecided.session_retried, 1, 0),
    Row("debug", undecided.session_unlocked, 0, 1),
    Row("prose", undecided.prose_only, 2, 2),
    Row("trace", undecided.stack_trace, 1, 2),
    Row("status", undecided.status_lies, 2, 3),
    Row("export", undecided.export_lies, 0, 1),
    Row("lint", undecided.lint_false_failure, 0, 1),
    Row("tickets", undecided.tickets_limited, 3, 3),
    Row("tickets", claude_only.tickets_hidden_flag, 1, 0),
    Row("tickets", claude_only.tickets_hidden_status, 1, 0),
    Row("tickets", claude_only.tickets_hidden_error, 1, 0),
    Row("search", undecided.tickets_bad_query, 2, 2),
    Row("canary", claude_only.canary_delegated, 1, 0),
    Row("blocked", claude_only.push_blocked, 1, 0),
    Row("sibling", claude_only.sibling_cancelled, 1, 0),
    Row("input", claude_only.wrong_input, 1, 0),
    Row("killed", common.killed_from_outside, 0, 1),
    Row("killed", claude_only.bench_timed_out, 1, 0),
    Row("masked", claude_only.masked_by_pipe, 2, 0),
    Row("no match", claude_only.no_match, 1, 0),
    Row("provider", claude_only.provider_overloaded, 1, 0),
    Row("mirror", transient.mirror_changed, 1, 0),
    Row("checks", common.services_checked, 8, 30),
)
