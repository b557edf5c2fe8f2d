-- One row per tool, code and fix command that was run twice in a row: does the second run do harm? (REQ-C-030)
-- Key: (tool, error_code, fix_command). Finding `fix_not_idempotent` of definitions 7.
with

attempts as (

    select
        *,
        lag(argv_key) over own as previous_key,
        lag(status) over own as previous_status

    from core.attempts

    where not is_wait

    window own as (partition by session_id, actor_id order by attempt_number)

),

fixes as (

    select distinct
        loops.tool,
        loops.error_code,
        loops.fix_command,
        loops.session_id,
        runs.argv_key,
        runs.attempt_number

    from core.closed_loops as loops

    inner join attempts as runs on runs.attempt_id = loops.fix_attempt_id

    where loops.error_code is not null and runs.status = 'ok'

),

repeats as (

    select distinct
        fixes.tool,
        fixes.error_code,
        fixes.fix_command,
        fixes.session_id,
        again.attempt_id,
        again.attempt_number,
        again.status

    from fixes

    inner join attempts as again
        on again.session_id = fixes.session_id
        and again.argv_key = fixes.argv_key
        and again.previous_key = fixes.argv_key
        and again.previous_status = 'ok'
        and again.attempt_number > fixes.attempt_number

    where again.status in ('ok', 'error')

)

select
    ---------- ids
    tool,
    error_code,
    fix_command,
    ---------- numbers
    count(*) as repeat_count,
    count(*) filter (where status = 'error') as failed_repeat_count,
    count(distinct session_id) as session_count,
    wilson_lower(count(*) filter (where status = 'error'), count(*)) as rate_lower,
    wilson_upper(count(*) filter (where status = 'error'), count(*)) as rate_upper,
    ---------- evidence: the second runs that failed, at most ten
    coalesce(
        arg_min(attempt_id, (session_id, attempt_number), 10) filter (where status = 'error'), []
    ) as evidence,
    ---------- booleans
    count(*) filter (where status = 'error') > 0 as is_flagged

from repeats

group by tool, error_code, fix_command
