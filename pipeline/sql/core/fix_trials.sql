-- One row per session, code and arm: how the first call after a correctable failure went, with the fix and without it.
-- Key: (session_id, tool, error_code, declared_class, arm). Internal evidence of definitions 6 and 7.
-- Arm `fix`: the declared command ran and the call was repeated; where no command is declared, the call was changed or
-- other things were done first. Arm `none`: the call was repeated with nothing done, and no run of the fix before it.
with

failures as (

    select
        attempts.*,
        members.episode_id,
        attempts.fix_key is not null and attempts.fix_key is distinct from attempts.argv_key as has_command

    from core.attempts as attempts

    inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

    where
        attempts.status = 'error'
        and attempts.declared_class = 'correctable'
        and attempts.code_source = 'envelope'

),

first_fixes as (

    select
        failures.attempt_id,
        min(runs.attempt_number) as fix_number

    from failures

    inner join core.attempts as runs
        on runs.session_id = failures.session_id and runs.argv_key = failures.fix_key

    where failures.has_command

    group by failures.attempt_id

),

answered as (

    select
        failures.session_id,
        failures.tool,
        failures.error_code,
        failures.declared_class,
        'fix' as arm,
        true as is_command,
        failures.attempt_id,
        failures.attempt_number,
        failures.episode_id,
        failures.model,
        again.started_ms - failures.ended_ms as delay_ms,
        loops.verdict = 'closed' as is_success,
        loops.verdict in ('closed', 'advanced') as is_helped

    from core.closed_loops as loops

    inner join failures on failures.attempt_id = loops.failed_attempt_id

    inner join core.attempts as again on again.attempt_id = loops.reissue_id

    where loops.verdict in ('closed', 'advanced', 'failed')

    union all

    select
        failures.session_id,
        failures.tool,
        failures.error_code,
        failures.declared_class,
        case when reissues.kind = 'unchanged' then 'none' else 'fix' end,
        failures.has_command,
        failures.attempt_id,
        failures.attempt_number,
        failures.episode_id,
        failures.model,
        reissues.delay_ms,
        reissues.is_success,
        reissues.is_success or again.error_code is distinct from failures.error_code

    from core.reissues as reissues

    inner join failures on failures.attempt_id = reissues.attempt_id

    inner join core.attempts as again on again.attempt_id = reissues.reissue_id

    left join first_fixes on first_fixes.attempt_id = failures.attempt_id

    where
        not list_contains(reissues.flags, 'late')
        and again.status in ('ok', 'error')
        and case
            when reissues.kind = 'unchanged' then coalesce(first_fixes.fix_number > again.attempt_number, true)
            else reissues.kind in ('changed', 'after_other') and not failures.has_command
        end

)

select
    ---------- ids
    session_id,
    tool,
    error_code,
    declared_class,
    arm,
    attempt_id,
    episode_id,
    ---------- strings
    model,
    ---------- numbers
    delay_ms,
    -- delays within a factor of four are alike
    floor(log2(greatest(delay_ms, 250) / 1000.0) / 2)::integer as delay_band,
    ---------- booleans
    is_command,
    is_success,
    is_helped

from answered

qualify row_number() over (
    partition by session_id, tool, error_code, declared_class, arm order by attempt_number
) = 1
