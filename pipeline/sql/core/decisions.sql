-- One row per decision point: a signalled failure of a declared class, what the class prescribed, and what the agent did
-- (definitions 11). Kept apart from the tool's own score.
-- Key: attempt_id.
-- `strict` allows three attempts in all, `lenient` three reissues; both name the violation, or say `compliant`.
-- Not scored: `censored` (the log stops first), `overruled` (a person stepped in first), `overtaken` (a sibling of the
-- same turn had already worked).
with

failures as (

    select
        members.episode_id,
        legs.leg_number,
        min(legs.first_number) over (partition by members.episode_id) as first_number,
        attempts.attempt_id,
        attempts.session_id,
        attempts.actor_id,
        attempts.attempt_number,
        attempts.operation_key,
        attempts.tool,
        attempts.error_code,
        attempts.declared_class,
        attempts.retry_after_ms,
        attempts.exit_code,
        attempts.http_status,
        attempts.fix_key,
        attempts.fix_source,
        attempts.agent_name,
        attempts.model,
        attempts.format,
        row_number() over (partition by members.episode_id, legs.leg_number order by attempts.attempt_number) as failure_number,
        concat_ws('/', attempts.agent_name, attempts.model, attempts.actor_id) as actor,
        -- a fix that cannot be run, or is the failing call, prescribes nothing: its condition does
        attempts.fix_key is not null
            and attempts.fix_key is distinct from attempts.argv_key
            and not is_fix_placeholder(attempts.fix_command) as has_usable_fix,
        trim(regexp_replace(
            regexp_extract(attempts.fix_command, '^\s*[^\s-]\S*(\s+[^\s-]\S*)*'), '\s+', ' ', 'g'
        )) as fix_operation,
        regexp_extract(attempts.fix_command, '^\s*(\S+)', 1) as fix_program

    from core.attempts as attempts

    inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

    inner join core.legs as legs
        on legs.episode_id = members.episode_id
        and attempts.attempt_number between legs.first_number and legs.last_number

    where
        attempts.status = 'error'
        -- an agent that was told of success had nothing to decide
        and attempts.signalled_ok is distinct from true
        and attempts.declared_class in ('transient', 'correctable', 'terminal')

),

-- the first answer to the failure, within the horizon; an answer after a person spoke is not the agent's
answers as (

    select
        reissues.attempt_id,
        reissues.reissue_id,
        reissues.kind,
        reissues.delay_ms,
        again.attempt_number as reissue_number

    from core.reissues as reissues

    inner join core.attempts as again on again.attempt_id = reissues.reissue_id

    where not list_contains(reissues.flags, 'late')

    qualify row_number() over (partition by reissues.attempt_id order by again.attempt_number) = 1

),

faced as (

    select
        failures.*,
        answers.reissue_id,
        answers.kind as reissue_kind,
        answers.delay_ms,
        answers.kind in ('after_human', 'after_refusal') as is_after_person,
        coalesce(answers.reissue_number, failures.attempt_number + parameters.horizon_attempts) as until_number,
        parameters.wait_tolerance_ms,
        parameters.wait_tolerance_share

    from failures

    cross join meta.parameters as parameters

    left join answers on answers.attempt_id = failures.attempt_id

),

fix_runs as (

    select
        faced.attempt_id,
        count(*) filter (where runs.attempt_number < faced.attempt_number and runs.status = 'ok') as earlier_run_count,
        count(*) filter (where runs.attempt_number > faced.attempt_number) as run_count,
        arg_min(runs.attempt_id, runs.attempt_number) filter (where runs.attempt_number > faced.attempt_number)
            as fix_attempt_id,
        arg_min(runs.status, runs.attempt_number) filter (where runs.attempt_number > faced.attempt_number)
            as fix_status,
        count(*) filter (where runs.status in ('refused', 'blocked')) > 0 as is_fix_refused

    from faced

    inner join core.attempts as runs
        on runs.session_id = faced.session_id
        and runs.argv_key = faced.fix_key
        and runs.attempt_number between faced.first_number and faced.until_number

    where faced.has_usable_fix

    group by faced.attempt_id

),

-- the fix with words added, left out or replaced: the same command path, other arguments
fix_edits as (

    select distinct faced.attempt_id

    from faced

    inner join core.attempts as runs
        on runs.session_id = faced.session_id
        and runs.actor_id = faced.actor_id
        and runs.tool = faced.fix_program
        and runs.attempt_number > faced.attempt_number
        and runs.attempt_number < faced.until_number

    where
        faced.has_usable_fix
        and runs.has_run
        and not runs.is_read_only
        and runs.argv_key is distinct from faced.fix_key
        and runs.operation_key is distinct from faced.operation_key
        and (
            starts_with(runs.operation || ' ', faced.fix_operation || ' ')
            or (contains(runs.operation, ' ') and starts_with(faced.fix_operation || ' ', runs.operation || ' '))
        )

),

acted as (

    select
        faced.*,
        episodes.outcome,
        episodes.is_recovered,
        fix_runs.fix_attempt_id,
        fix_runs.fix_status,
        coalesce(fix_runs.run_count, 0) as fix_run_count,
        coalesce(fix_runs.earlier_run_count, 0) as earlier_fix_count,
        fix_edits.attempt_id is not null as is_fix_edited,
        -- a fix that failed is what the agent hands over next
        coalesce(after_fix.is_escalation, next_steps.is_escalation, false)
            or coalesce(list_contains(after_fix.mentions, faced.error_code), false) as is_escalated,
        case
            when fix_runs.is_fix_refused then 'overruled'
            when faced.reissue_id is not null and not faced.is_after_person then
                case when next_steps.is_escalation then 'escalated' else 'reissued' end
            when coalesce(next_steps.is_escalation, false) then 'escalated'
            when coalesce(next_steps.is_prompted, false) then 'overruled'
            when episodes.outcome = 'censored' then 'censored'
            when faced.reissue_id is null and episodes.is_recovered and not list_contains(episodes.flags, 'late')
                and not list_contains(episodes.flags, 'with_human') then 'overtaken'
            else 'stopped'
        end as action,
        case
            when faced.retry_after_ms is not null then faced.retry_after_ms
            -- the sources disagree about a rate limit without a wait, so none is charged
            when is_rate_limit(faced.error_code, faced.exit_code, faced.http_status) then 0
            else 1000
        end as wait_ms

    from faced

    inner join core.episodes as episodes on episodes.episode_id = faced.episode_id

    left join core.next_steps as next_steps on next_steps.attempt_id = faced.attempt_id

    left join fix_runs on fix_runs.attempt_id = faced.attempt_id

    left join core.next_steps as after_fix on after_fix.attempt_id = fix_runs.fix_attempt_id

    left join fix_edits on fix_edits.attempt_id = faced.attempt_id

),

judged as (

    select
        *,
        case
            when declared_class = 'transient' and failure_number > 3 then 'escalate'
            when declared_class = 'transient' then 'wait_and_reissue'
            when declared_class = 'terminal' then 'escalate'
            when has_usable_fix and earlier_fix_count > 0 then 'escalate'
            when has_usable_fix then 'run_fix_and_reissue'
            when failure_number > 1 then 'escalate'
            else 'change_and_reissue'
        end as prescribed,
        case
            when action in ('censored', 'overruled', 'overtaken') then action

            ---------- transient
            when declared_class = 'transient' and action = 'reissued' and (
                reissue_kind in ('changed', 'narrowed', 'escalated')
            ) then 'changed_transient'
            when declared_class = 'transient' and action = 'reissued' and failure_number > 3 then 'over_budget'
            when declared_class = 'transient' and action = 'reissued' and coalesce(
                delay_ms < wait_ms - greatest(wait_tolerance_ms, wait_tolerance_share * wait_ms), false
            ) then 'early_retry'
            when declared_class = 'transient' and action = 'reissued' then 'compliant'
            when declared_class = 'transient' and action = 'escalated' and failure_number > 1 then 'compliant'
            when declared_class = 'transient' and failure_number > 3 then 'stop_no_escalation'
            when declared_class = 'transient' then 'premature_abandon'

            ---------- terminal
            when declared_class = 'terminal' and action = 'reissued' then 'retried_terminal'
            when declared_class = 'terminal' and action = 'escalated' then 'compliant'
            when declared_class = 'terminal' then 'stop_no_escalation'

            ---------- correctable by a command: run it once, reissue once, then hand over
            when has_usable_fix and earlier_fix_count > 0 and fix_run_count > 0 then 'repeated_fix'
            when has_usable_fix and earlier_fix_count > 0 and is_fix_edited then 'edited_fix'
            when has_usable_fix and earlier_fix_count > 0 and action = 'reissued' then 'retried_more'
            when has_usable_fix and earlier_fix_count > 0 and action = 'escalated' then 'compliant'
            when has_usable_fix and earlier_fix_count > 0 then 'stop_no_escalation'
            when has_usable_fix and fix_run_count > 1 then 'repeated_fix'
            when has_usable_fix and fix_run_count = 1 and fix_status = 'ok' then
                case
                    -- a redirect is the call itself by its new name: nothing is left to reissue
                    when fix_source = 'redirect' then 'compliant'
                    when reissue_kind in ('changed', 'narrowed', 'escalated') then 'no_reissue_after_fix'
                    when action = 'reissued' then 'compliant'
                    else 'no_reissue_after_fix'
                end
            when has_usable_fix and fix_run_count = 1 then
                case
                    when action = 'reissued' then 'unchanged_correctable'
                    when is_escalated then 'compliant'
                    else 'stop_no_escalation'
                end
            when has_usable_fix and is_fix_edited then 'edited_fix'
            when has_usable_fix then 'skipped_fix'

            ---------- correctable by the caller: one changed reissue, or hand the condition over
            when action = 'reissued' and reissue_kind = 'unchanged' then 'unchanged_correctable'
            when action = 'reissued' and failure_number > 1 then 'retried_more'
            when action in ('reissued', 'escalated') then 'compliant'
            else 'stop_no_escalation'
        end as lenient

    from acted

),

budgeted as (

    select
        *,
        -- the one difference: the third reissue is the fourth attempt
        case
            when declared_class = 'transient' and failure_number = 3 and action = 'reissued' and lenient in ('compliant', 'early_retry')
                then 'over_budget'
            when declared_class = 'transient' and failure_number = 3 and lenient = 'premature_abandon' then 'stop_no_escalation'
            else lenient
        end as strict

    from judged

)

select
    ---------- ids
    attempt_id,
    episode_id,
    leg_number,
    session_id,
    actor_id,
    reissue_id,
    fix_attempt_id,
    ---------- strings
    tool,
    error_code,
    declared_class,
    agent_name,
    model,
    format,
    actor,
    prescribed,
    action,
    lenient,
    strict,
    outcome,
    ---------- numbers
    attempt_number,
    failure_number,
    delay_ms,
    wait_ms,
    ---------- booleans
    lenient not in ('censored', 'overruled', 'overtaken') as is_scored,
    lenient = 'compliant' as is_compliant,
    strict = 'compliant' as is_strictly_compliant,
    is_recovered

from budgeted
