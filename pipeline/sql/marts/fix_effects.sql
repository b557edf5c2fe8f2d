-- One row per tool and code whose fix command ran: does the call do better after the fix than after waiting as long?
-- Key: (tool, error_code). Definitions 7. A trial is the first call of a session in each arm; arms are compared within
-- model and delay (Mantel-Haenszel). Observed, not an experiment: agents chose what they did.
with

evidence as (

    select
        tool,
        error_code,
        arg_min(episode_id, ((arm != 'fix')::integer, session_id, episode_id), 10) as evidence

    from core.fix_trials

    where is_command

    group by tool, error_code

)

select
    ---------- ids
    fits.tool,
    fits.error_code,
    ---------- strings
    case
        when not fits.is_enough then 'not compared'
        when fits.difference_lower > 0 then 'distinguishable'
        when fits.difference_upper < 0 then 'worse'
        else 'not distinguishable'
    end as fix_effect,
    ---------- numbers
    fits.fix_n as fix_count,
    fits.fix_k as fix_success_count,
    wilson_lower(fits.fix_k, fits.fix_n) as fix_lower,
    wilson_upper(fits.fix_k, fits.fix_n) as fix_upper,
    fits.none_n as none_count,
    fits.none_k as none_success_count,
    wilson_lower(fits.none_k, fits.none_n) as none_lower,
    wilson_upper(fits.none_k, fits.none_n) as none_upper,
    fits.compared_fix_n as compared_fix_count,
    fits.compared_none_n as compared_none_count,
    fits.pooled_difference,
    fits.difference,
    fits.difference_lower,
    fits.difference_upper,
    -- five comparable sessions in each arm are the least to speak of
    case
        when not fits.is_enough then
            greatest(5 - fits.compared_fix_n, 0) + greatest(5 - fits.compared_none_n, 0)
    end as trials_needed,
    ---------- evidence: episodes, those with the fix in front, at most ten
    evidence.evidence,
    ---------- booleans
    fits.is_reversed,
    fits.is_enough and fits.difference_lower <= 0 as is_flagged

from core.fix_fits as fits

inner join evidence on evidence.tool = fits.tool and evidence.error_code = fits.error_code

where fits.fix_n > 0
