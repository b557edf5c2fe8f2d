-- One row per tool and code declared correctable whose fix was applied: does applying it ever help?
-- Key: (tool, error_code). Finding `hopeless_fix` of definitions 6. A trial is the first fix of a session; it helped if the
-- next call did not fail with the same code.
with

trials as (

    select * from core.fix_trials where arm = 'fix'

),

counted as (

    select
        tool,
        error_code,
        max(is_command::integer) = 1 as is_command,
        count(*) as trial_count,
        count(*) filter (where is_helped) as helped_count,
        count(*) filter (where is_success) as success_count,
        arg_min(episode_id, (is_helped::integer, session_id, episode_id), 10) as evidence

    from trials

    group by tool, error_code

),

bounded as (

    select
        counted.*,
        helped_count / trial_count::double as helped_rate,
        wilson_lower(helped_count, trial_count) as rate_lower,
        wilson_upper(helped_count, trial_count) as rate_upper,
        parameters.tau_low,
        parameters.tau_high,
        ceil(ln(0.05) / ln(1 - parameters.tau_low))::bigint as trials_to_condemn

    from counted

    cross join meta.parameters as parameters

),

judged as (

    select
        *,
        case
            when rate_upper < tau_low or (helped_count = 0 and trial_count >= trials_to_condemn) then 'contradicted'
            when trial_count < 5 then 'insufficient'
            when rate_lower > tau_high then 'supported'
            else 'watch'
        end as verdict

    from bounded

)

select
    ---------- ids
    tool,
    error_code,
    ---------- strings
    verdict,
    ---------- numbers
    trial_count,
    helped_count,
    success_count,
    helped_rate,
    rate_lower,
    rate_upper,
    case when verdict in ('watch', 'insufficient') then greatest(trials_to_condemn - trial_count, 1) end as trials_needed,
    ---------- evidence: episodes, those that were not helped in front, at most ten
    evidence,
    ---------- booleans
    is_command,
    verdict = 'contradicted' as is_flagged

from judged
