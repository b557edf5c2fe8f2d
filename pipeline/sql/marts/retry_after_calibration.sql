-- One row per tool, code and declared wait: does a reissue after that wait work, and would another wait serve better?
-- Key: (tool, error_code, declared_class, declared_ms). Definitions 6, statistics 6.
-- A code that declares several waits has a row over all of them (`is_total`, `declared_ms` null), laid over each other
-- as shares of the declared wait, and one for each wait with ten reissues. Only rows of `is_total` are judged.
with

evidence as (

    select
        tool,
        error_code,
        declared_class,
        count(distinct session_id) as session_count,
        min(declared_ms) as least_declared_ms,
        max(declared_ms) as most_declared_ms,
        max(delay_ms) as longest_delay_ms,
        arg_min(episode_id, (abs(delay_ms - declared_ms), session_id, attempt_id), 10) as declared_evidence,
        arg_min(episode_id, (delay_ms, session_id, attempt_id), 10) as early_evidence

    from core.wait_looks

    group by tool, error_code, declared_class

)

select
    ---------- ids
    fits.tool,
    fits.error_code,
    fits.declared_class,
    fits.declared_ms,
    ---------- strings
    case
        when not fits.is_total then null
        when fits.is_too_short or fits.is_too_long then 'contradicted'
        when fits.declared_lower > 0.5 then 'supported'
        -- four of four, or none of four, are the fewest that show on which side of one half the wait stands
        when fits.declared_n < 4 then 'insufficient'
        else 'watch'
    end as verdict,
    case
        when not fits.is_total then null
        when fits.is_too_short then 'retry_after_too_short'
        when fits.is_too_long then 'retry_after_too_long'
    end as finding,
    ---------- numbers
    evidence.least_declared_ms,
    evidence.most_declared_ms,
    fits.look_count,
    evidence.session_count,
    fits.declared_k,
    fits.declared_n,
    fits.declared_lower,
    fits.declared_upper,
    fits.early_k,
    fits.early_n,
    fits.early_lower,
    fits.early_upper,
    fits.reached_ratio,
    fits.recommended_ratio,
    fits.recommended_ms,
    fits.recommended_k,
    fits.recommended_n,
    evidence.longest_delay_ms,
    case when fits.is_total and fits.declared_n < 4 then 4 - fits.declared_n end as trials_needed,
    ---------- evidence: episodes of the reissues nearest to the declared wait, or of the earliest, at most ten
    list_sort(list_distinct(
        case when fits.is_too_long then evidence.early_evidence else evidence.declared_evidence end
    )) as evidence,
    ---------- booleans
    fits.is_total,
    fits.is_total and (fits.is_too_short or fits.is_too_long) as is_flagged

from core.wait_fits as fits

inner join evidence
    on evidence.tool = fits.tool
    and evidence.error_code = fits.error_code
    and evidence.declared_class = fits.declared_class
