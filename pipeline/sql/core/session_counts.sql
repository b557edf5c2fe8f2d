-- One row per session, measure and conditions: trials and successes, for comparing groups of sessions. Internal.
-- Key: (session_id, measure, tool, operation, error_code, model, agent_name, format, tool_version).
-- Measures: `error` of attempts, `recovery` of episodes that are not censored, `fair_reissue` (the first of a session and
-- code), `compliance` of scored decisions (lenient).
with

trials as (

    select 'error' as measure, attempt_id, null as error_code, status = 'error' as is_counted
    from core.attempts
    where status in ('ok', 'error')

    union all

    select 'recovery', episode_id, origin_code, is_recovered
    from core.episodes
    where outcome != 'censored'

    union all

    select 'compliance', attempt_id, error_code, is_compliant
    from core.decisions
    where is_scored

    union all

    select 'fair_reissue', attempt_id, error_code, is_first_success
    from core.retry_chains

)

select
    ---------- ids
    attempts.session_id,
    trials.measure,
    attempts.tool,
    attempts.operation,
    trials.error_code,
    attempts.model,
    attempts.agent_name,
    attempts.format,
    versions.tool_version,
    ---------- numbers
    count(*) as trial_count,
    count(*) filter (where trials.is_counted) as success_count

from trials

inner join core.attempts as attempts on attempts.attempt_id = trials.attempt_id

inner join core.versions as versions on versions.attempt_id = trials.attempt_id

group by
    attempts.session_id,
    trials.measure,
    attempts.tool,
    attempts.operation,
    trials.error_code,
    attempts.model,
    attempts.agent_name,
    attempts.format,
    versions.tool_version
