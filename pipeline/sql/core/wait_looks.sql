-- One row per look at whether a failure had cleared: an unchanged reissue after a declared wait. Internal evidence of
-- `marts.retry_after_calibration` (definitions 6, statistics 6).
-- Key: attempt_id.
-- Early reissues are in: they test the wait. Of a session, one reissue in each group of waits counts, so that a session
-- that loops is one witness; the groups are below half the wait, below it, up to 1.5, up to 3 times, and longer.
with

reissues as (

    select
        reissues.attempt_id,
        reissues.session_id,
        attempts.tool,
        attempts.error_code,
        attempts.declared_class,
        attempts.attempt_number,
        attempts.retry_after_ms as declared_ms,
        members.episode_id,
        reissues.is_success,
        -- a wait that is short by the tolerance is honoured
        case
            when reissues.is_fair then greatest(reissues.delay_ms, attempts.retry_after_ms)
            else reissues.delay_ms
        end as delay_ms

    from core.reissues as reissues

    inner join core.attempts as attempts on attempts.attempt_id = reissues.attempt_id

    inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

    where
        reissues.kind = 'unchanged'
        and not list_contains(reissues.flags, 'late')
        and reissues.delay_ms >= 0
        and attempts.status = 'error'
        and attempts.declared_class = 'transient'
        and attempts.code_source = 'envelope'
        and attempts.retry_after_ms > 0

),

banded as (

    select
        *,
        case
            when delay_ms < 0.5 * declared_ms then 1
            when delay_ms < declared_ms then 2
            when delay_ms < 1.5 * declared_ms then 3
            when delay_ms < 3 * declared_ms then 4
            else 5
        end as band_number

    from reissues

)

select
    ---------- ids
    attempt_id,
    session_id,
    tool,
    error_code,
    declared_class,
    episode_id,
    ---------- numbers
    declared_ms,
    delay_ms,
    ---------- booleans
    is_success

from banded

qualify row_number() over (
    partition by session_id, tool, error_code, declared_class, declared_ms, band_number order by attempt_number
) = 1
