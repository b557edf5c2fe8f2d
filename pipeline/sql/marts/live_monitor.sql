-- One row per tool, code, class and version of the tool: what is proven against the declared class at any look.
-- Key: (tool, error_code, declared_class, tool_version); `tool_version` is empty where none was stated. Statistics 4.
-- Counts start anew with each version. `is_proven` holds for that code alone; `is_alarm` over all codes of the current
-- versions (e-BH), however often somebody looks.
with

evidence as (

    select
        tool,
        error_code,
        declared_class,
        tool_version,
        arg_min(episode_id, (order_ns, episode_id), 10) as evidence,
        make_timestamp(min(order_ns) // 1000) as first_at,
        make_timestamp(max(order_ns) // 1000) as last_at

    from core.live_trials

    group by tool, error_code, declared_class, tool_version

)

select
    ---------- ids
    fits.tool,
    fits.error_code,
    fits.declared_class,
    fits.tool_version,
    ---------- strings
    case
        when not fits.is_alarm then null
        when fits.declared_class = 'transient' then 'false_transient'
        else 'false_permanent'
    end as finding,
    ---------- numbers
    fits.trial_count,
    fits.success_count,
    fits.threshold,
    fits.log_e,
    fits.running_lower,
    fits.running_upper,
    ---------- evidence: episodes, at most ten
    evidence.evidence,
    ---------- booleans
    fits.is_current,
    coalesce(fits.log_e >= ln(20), false) as is_proven,
    fits.is_alarm,
    fits.is_alarm as is_flagged,
    ---------- times
    evidence.first_at,
    evidence.last_at

from core.live_fits as fits

inner join evidence
    on evidence.tool = fits.tool
    and evidence.error_code = fits.error_code
    and evidence.declared_class = fits.declared_class
    and evidence.tool_version = fits.tool_version
