-- One row per tool, code and way of trying again, and one per tool over all codes: does it beat repeating the call, and
-- does it still under like conditions?
-- Key: (tool, error_code, kind, is_total); `error_code` is null where all codes are meant. Statistics 8.
-- Conditions are model x tool version x operation (x code over all codes). Flagged: Simpson's paradox, the mix of
-- conditions makes the pooled difference point the other way. Observed, not an experiment.
with

evidence as (

    select
        tool,
        error_code,
        kind,
        arg_min(episode_id, (session_id, episode_id), 10) as evidence

    from core.strata_trials

    group by grouping sets ((tool, error_code, kind), (tool, kind))

)

select
    ---------- ids
    fits.tool,
    fits.error_code,
    fits.kind,
    ---------- strings
    case
        when not fits.is_enough then 'not compared'
        when fits.difference_lower > 0 then 'better'
        when fits.difference_upper < 0 then 'worse'
        else 'no evidence of a difference'
    end as reading,
    ---------- numbers
    fits.kind_n as kind_count,
    fits.kind_k as kind_success_count,
    fits.unchanged_n as unchanged_count,
    fits.unchanged_k as unchanged_success_count,
    fits.compared_kind_n as compared_kind_count,
    fits.compared_unchanged_n as compared_unchanged_count,
    fits.pooled_difference,
    fits.difference,
    fits.difference_lower,
    fits.difference_upper,
    fits.p_value,
    fits.strata_count,
    ---------- evidence: episodes, at most ten
    evidence.evidence,
    ---------- booleans
    fits.is_total,
    fits.is_reversed,
    fits.is_enough and fits.is_reversed as is_flagged

from core.strata_fits as fits

inner join evidence
    on evidence.tool = fits.tool
    and evidence.error_code is not distinct from fits.error_code
    and evidence.kind = fits.kind
