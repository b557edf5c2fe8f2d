-- One row per tool, code and fix command that was run after the failure: did the fix itself run? (REQ-C-030, definitions 7)
-- Key: (tool, error_code, fix_command). Whether it helped is another question: `marts.failed_closed_loops`.
with

fixes as (

    select distinct
        loops.tool,
        loops.error_code,
        loops.fix_command,
        loops.session_id,
        runs.attempt_id,
        runs.argv_key,
        runs.attempt_number,
        runs.status,
        runs.status = 'not_run' or coalesce(runs.exit_code in (126, 127), false) as is_unrunnable,
        runs.status = 'error' as is_failed

    from core.closed_loops as loops

    inner join core.attempts as runs on runs.attempt_id = loops.fix_attempt_id

    where loops.error_code is not null and runs.status in ('ok', 'error', 'not_run')

),

counted as (

    select
        tool,
        error_code,
        fix_command,
        count(*) as run_count,
        count(distinct session_id) as session_count,
        count(*) filter (where is_unrunnable) as unrunnable_count,
        count(*) filter (where is_failed or is_unrunnable) as failed_count,
        arg_min(attempt_id, (session_id, attempt_number), 10) filter (where is_failed or is_unrunnable) as evidence

    from fixes

    group by tool, error_code, fix_command

)

select
    ---------- ids
    counted.tool,
    counted.error_code,
    counted.fix_command,
    ---------- numbers
    counted.run_count,
    counted.failed_count,
    counted.unrunnable_count,
    counted.session_count,
    wilson_lower(counted.failed_count, counted.run_count) as rate_lower,
    wilson_upper(counted.failed_count, counted.run_count) as rate_upper,
    coalesce(repeated.repeat_count, 0) as repeat_count,
    coalesce(repeated.failed_repeat_count, 0) as failed_repeat_count,
    repeated.rate_lower as repeat_lower,
    repeated.rate_upper as repeat_upper,
    ---------- evidence: runs of the fix, at most ten
    coalesce(counted.evidence, []) as evidence,
    coalesce(repeated.evidence, []) as repeat_evidence,
    ---------- booleans
    counted.failed_count > 0 or coalesce(repeated.failed_repeat_count, 0) > 0 as is_flagged

from counted

left join marts.fix_idempotency as repeated
    on repeated.tool = counted.tool
    and repeated.error_code = counted.error_code
    and repeated.fix_command = counted.fix_command
