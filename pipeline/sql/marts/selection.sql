-- One row per tool, code and class: how many sessions repeated the call at all, and what their choice could hide.
-- Key: (tool, error_code, declared_class). Statistics 7 (C. F. Manski, 1989).
-- Agents choose what they repeat. If a share r of the failures was fairly reissued and p of those worked, then between
-- r p and r p + 1 - r would have worked had all been. A failure is a session's, not an attempt.
with

failures as (

    select
        tool,
        error_code,
        declared_class,
        count(distinct session_id) as failure_count

    from core.attempts

    where status = 'error' and code_source = 'envelope' and error_code is not null

    group by tool, error_code, declared_class

),

chains as (

    select
        tool,
        error_code,
        declared_class,
        count(*) as reissued_count,
        count(*) filter (where is_first_success) as success_count

    from core.retry_chains

    group by tool, error_code, declared_class

)

select
    ---------- ids
    failures.tool,
    failures.error_code,
    failures.declared_class,
    ---------- numbers
    failures.failure_count,
    coalesce(chains.reissued_count, 0) as reissued_count,
    coalesce(chains.success_count, 0) as success_count,
    coalesce(chains.reissued_count, 0) / failures.failure_count::double as reissue_share,
    chains.success_count / chains.reissued_count::double as success_rate,
    coalesce(chains.success_count, 0) / failures.failure_count::double as bound_lower,
    (coalesce(chains.success_count, 0) + failures.failure_count - coalesce(chains.reissued_count, 0))
    / failures.failure_count::double as bound_upper

from failures

left join chains
    on chains.tool = failures.tool
    and chains.error_code = failures.error_code
    and chains.declared_class = failures.declared_class
