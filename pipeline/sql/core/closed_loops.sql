-- One row per closed-loop trial: a failure that declared a fix, the fix run, the original call again (REQ-C-030).
-- Key: (failed_attempt_id). Definitions 7. Only `closed`, `advanced` and `failed` count in the failed-loop rate.
with

attempts as (

    select * from core.attempts where not is_wait

),

failures as (

    select * from attempts where status = 'error' and fix_key is not null

),

fix_runs as (

    select
        failures.attempt_id as failed_attempt_id,
        min(fixes.attempt_number) as fix_number

    from failures

    inner join attempts as fixes
        on fixes.session_id = failures.session_id
        and fixes.argv_key = failures.fix_key
        and fixes.attempt_number > failures.attempt_number
        and (fixes.has_run or fixes.status = 'not_run')

    where failures.fix_key is distinct from failures.argv_key

    group by failures.attempt_id

),

-- several failures of one call before one run of the fix are one trial: its last failure
trials as (

    select
        failures.*,
        fix_runs.fix_number

    from failures

    left join fix_runs on fix_runs.failed_attempt_id = failures.attempt_id

    where fix_runs.fix_number is not null or failures.fix_key = failures.argv_key

    qualify row_number() over (
        partition by failures.session_id, failures.actor_id, failures.invocation_key, fix_runs.fix_number
        order by failures.attempt_number desc
    ) = 1

),

reissued as (

    select
        trials.attempt_id as failed_attempt_id,
        min(again.attempt_number) as reissue_number

    from trials

    inner join attempts as again
        on again.session_id = trials.session_id
        and again.actor_id = trials.actor_id
        and again.invocation_key = trials.invocation_key
        and again.has_run
        and again.attempt_number > trials.fix_number

    group by trials.attempt_id

),

compared as (

    select
        trials.*,
        fixes.attempt_id as fix_attempt_id,
        fixes.status as fix_status,
        fixes.exit_code as fix_exit_code,
        again.attempt_id as reissue_id,
        again.status as again_status,
        again.error_code as again_code,
        again.exit_code as again_exit_code,
        again.fix_key as again_fix_key,
        regexp_replace(again.message, '[0-9]+', '#', 'g') as again_template,
        regexp_replace(trials.message, '[0-9]+', '#', 'g') as template,
        -- two names that the user lists as one error
        exists (

            select 1
            from meta.aliases as aliases
            where
                (aliases.alias = again.error_code and aliases.code = trials.error_code)
                or (aliases.code = again.error_code and aliases.alias = trials.error_code)

        ) as is_alias,
        coalesce(again.started_ms - fixes.ended_ms > parameters.closed_loop_ms, false) as is_stale,
        coalesce(again.changing_before - fixes.changing_before - fixes.is_changing::integer > 0, false) as is_dirty

    from trials

    cross join meta.parameters as parameters

    left join attempts as fixes
        on fixes.session_id = trials.session_id and fixes.attempt_number = trials.fix_number

    left join reissued on reissued.failed_attempt_id = trials.attempt_id

    left join attempts as again
        on again.session_id = trials.session_id and again.attempt_number = reissued.reissue_number

)

select
    ---------- ids
    session_id,
    actor_id,
    attempt_id as failed_attempt_id,
    fix_attempt_id,
    reissue_id,
    ---------- strings
    tool,
    error_code,
    declared_class,
    fix_command,
    case
        when fix_key = argv_key then 'self_referential'
        when fix_status = 'not_run' or fix_exit_code in (126, 127) then 'fix_unrunnable'
        when fix_status = 'error' and has_placeholder(fix_command) then 'fix_unrunnable'
        when fix_status = 'error' then 'fix_failed'
        when fix_status != 'ok' then 'indeterminate'
        when reissue_id is null then 'open'
        when is_stale then 'stale'
        when again_status = 'ok' then 'closed'
        when again_status != 'error' then 'indeterminate'
        when again_code = error_code or is_alias then 'failed'
        when again_template = template
            and again_exit_code is not distinct from exit_code
            and again_fix_key is not distinct from fix_key then 'indeterminate'
        else 'advanced'
    end as verdict,
    ---------- booleans
    is_dirty

from compared
