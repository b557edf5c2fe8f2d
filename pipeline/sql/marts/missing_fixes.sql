-- One row per tool and code declared terminal that was tried again with something changed: is there a fix it hides?
-- Key: (tool, error_code). Finding `missing_fix` of definitions 6. A trial is the first such reissue of a session.
with

trials as (

    select
        attempts.tool,
        attempts.error_code,
        attempts.session_id,
        attempts.actor_id,
        attempts.attempt_id,
        attempts.attempt_number,
        again.attempt_number as reissue_number,
        members.episode_id,
        concat_ws('/', attempts.agent_name, attempts.model, attempts.actor_id) as actor,
        reissues.kind,
        reissues.is_success

    from core.reissues as reissues

    inner join core.attempts as attempts on attempts.attempt_id = reissues.attempt_id

    inner join core.attempts as again on again.attempt_id = reissues.reissue_id

    inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

    where
        reissues.kind in ('changed', 'after_other')
        and not list_contains(reissues.flags, 'late')
        and attempts.status = 'error'
        and attempts.declared_class = 'terminal'
        and attempts.code_source = 'envelope'

    qualify row_number() over (
        partition by attempts.session_id, attempts.tool, attempts.error_code order by attempts.attempt_number
    ) = 1

),

-- what was done between, or the change of the call itself
remedies as (

    select
        trials.tool,
        trials.error_code,
        actions.operation,
        count(distinct trials.session_id) as remedy_count

    from trials

    inner join core.attempts as actions
        on actions.session_id = trials.session_id
        and actions.actor_id = trials.actor_id
        and actions.attempt_number > trials.attempt_number
        and actions.attempt_number < trials.reissue_number
        and actions.is_changing
        and actions.status = 'ok'

    where trials.is_success and trials.kind = 'after_other' and actions.operation is not null

    group by trials.tool, trials.error_code, actions.operation

),

commonest as (

    select
        tool,
        error_code,
        arg_min(operation, (-remedy_count, operation)) as remedy,
        max(remedy_count) as remedy_count

    from remedies

    group by tool, error_code

),

counted as (

    select
        tool,
        error_code,
        count(*) as trial_count,
        count(*) filter (where is_success) as success_count,
        count(*) filter (where kind = 'changed') as changed_count,
        count(distinct case when is_success then actor end) as success_actor_count,
        arg_min(episode_id, ((not is_success)::integer, session_id, episode_id), 10) as evidence

    from trials

    group by tool, error_code

),

bounded as (

    select
        counted.*,
        commonest.remedy,
        coalesce(commonest.remedy_count, 0) as remedy_count,
        success_count / trial_count::double as success_rate,
        wilson_lower(success_count, trial_count) as rate_lower,
        wilson_upper(success_count, trial_count) as rate_upper,
        parameters.tau_high,
        parameters.missing_fix_sessions as sessions_needed,
        ceil(ln(0.05) / ln(1 - parameters.tau_high))::bigint as trials_to_confirm

    from counted

    cross join meta.parameters as parameters

    left join commonest on commonest.tool = counted.tool and commonest.error_code = counted.error_code

),

judged as (

    select
        *,
        case
            when rate_lower >= tau_high and success_count >= sessions_needed then 'contradicted'
            when success_count > 0 then 'watch'
            when trial_count >= trials_to_confirm then 'supported'
            else 'insufficient'
        end as verdict

    from bounded

)

select
    ---------- ids
    tool,
    error_code,
    ---------- strings
    verdict,
    remedy,
    ---------- numbers
    trial_count,
    success_count,
    success_rate,
    rate_lower,
    rate_upper,
    changed_count,
    success_actor_count,
    remedy_count,
    case verdict
        when 'watch' then greatest(sessions_needed - success_count, 1)
        when 'insufficient' then trials_to_confirm - trial_count
    end as trials_needed,
    ---------- evidence: episodes, those that worked in front, at most ten
    evidence,
    ---------- booleans
    verdict = 'contradicted' as is_flagged

from judged
