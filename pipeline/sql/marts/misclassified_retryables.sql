-- One row per tool, code and class that was fairly reissued: does what happened contradict `retryable`?
-- Key: (tool, error_code, declared_class). Definitions 6. A trial is the first fair reissue of a session.
with

chains as (

    select
        tool,
        error_code,
        declared_class,
        count(*) as trial_count,
        count(*) filter (where is_first_success) as success_count,
        count(*) filter (where is_recovered) as recovered_count,
        sum(reissue_count) as reissue_count,
        count(distinct case when is_first_success then session_id end) as success_session_count,
        count(distinct case when is_first_success then actor end) as success_actor_count,
        arg_min(episode_id, (session_id, episode_id), 10) as evidence

    from core.retry_chains

    group by tool, error_code, declared_class

),

bounded as (

    select
        chains.*,
        fits.permanent_probability,
        fits.is_permanent,
        fits.r3,
        fits.r3_lower,
        fits.r3_upper,
        success_count / trial_count::double as success_rate,
        wilson_lower(success_count, trial_count) as rate_lower,
        wilson_upper(success_count, trial_count) as rate_upper,
        parameters.tau_low,
        parameters.tau_high,
        parameters.false_permanent_successes as successes_needed,
        parameters.false_permanent_actors as actors_needed,
        -- zero successes in so many sessions would exclude the lower threshold (1 - tau)^n <= 5 %
        ceil(ln(0.05) / ln(1 - parameters.tau_low))::bigint as trials_to_condemn,
        ceil(ln(0.05) / ln(1 - parameters.tau_high))::bigint as trials_to_confirm

    from chains

    cross join meta.parameters as parameters

    left join core.retry_fits as fits
        on fits.tool = chains.tool
        and fits.error_code = chains.error_code
        and fits.declared_class = chains.declared_class

),

judged as (

    select
        *,
        case
            -- a code whose second or third reissue works is not permanent, however the first one goes
            when declared_class = 'transient' and trial_count >= 5 and coalesce(r3_lower, 0) <= tau_low and (
                is_permanent
                or r3_upper < tau_low
                or (recovered_count = 0 and trial_count >= trials_to_condemn)
            ) then 'contradicted'
            when declared_class = 'transient' and recovered_count >= successes_needed and r3_lower > tau_high then 'supported'
            when declared_class = 'transient' and trial_count >= 5 then 'watch'
            when declared_class = 'transient' then 'insufficient'
            when declared_class in ('terminal', 'correctable')
                and rate_lower > tau_high
                and success_session_count >= successes_needed
                and success_actor_count >= actors_needed then 'contradicted'
            when declared_class in ('terminal', 'correctable') and rate_upper < tau_high then 'supported'
            when declared_class in ('terminal', 'correctable') and success_count > 0 then 'watch'
            when declared_class in ('terminal', 'correctable') and trial_count >= trials_to_confirm then 'supported'
            when declared_class in ('terminal', 'correctable') then 'insufficient'
            else 'undeclared'
        end as verdict

    from bounded

)

select
    ---------- ids
    tool,
    error_code,
    declared_class,
    ---------- strings
    verdict,
    case
        when verdict = 'contradicted' and declared_class = 'transient' then 'false_transient'
        when verdict = 'contradicted' then 'false_permanent'
    end as finding,
    case
        when declared_class not in ('undeclared', 'maybe', 'contradictory') then null
        when recovered_count >= successes_needed and r3_lower > tau_high then 'transient'
        when is_permanent and trial_count >= 5 then 'permanent'
    end as estimated_class,
    ---------- numbers
    trial_count,
    success_count,
    success_rate,
    rate_lower,
    rate_upper,
    recovered_count,
    reissue_count,
    success_session_count,
    success_actor_count,
    permanent_probability,
    r3,
    r3_lower,
    r3_upper,
    case
        when verdict not in ('insufficient', 'watch') then null
        when declared_class = 'transient' and recovered_count > 0 then greatest(successes_needed - recovered_count, 1)
        when declared_class = 'transient' then greatest(trials_to_condemn - trial_count, 1)
        else greatest(trials_to_confirm - trial_count, 1)
    end as trials_needed,
    ---------- evidence: episodes, at most ten
    evidence,
    ---------- booleans
    verdict = 'contradicted' as is_flagged

from judged
