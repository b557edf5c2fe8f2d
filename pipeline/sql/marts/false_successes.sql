-- One row per tool, operation and code that failed under a good status: the failure no branch can see (definitions 8).
-- Key: (tool, operation, error_code, tier). Tiers P1 and P2 are certain; S is text only and counted beside them.
with

failures as (

    select
        tool,
        operation,
        coalesce(episode_id, attempts.attempt_id) as evidence_id,
        case
            when list_contains(flags, 'false_success_p1') then 'P1'
            when list_contains(flags, 'false_success_p2') then 'P2'
            when evidence = 'suspected' then 'S'
        end as tier,
        error_code,
        session_id,
        status

    from core.attempts as attempts

    left join core.episode_attempts as episodes on episodes.attempt_id = attempts.attempt_id

    where status = 'error' or evidence = 'suspected'

),

visible as (

    select
        tool,
        operation,
        count(*) filter (where status = 'error') as failure_count

    from failures

    group by tool, operation

)

select
    ---------- ids
    failures.tool,
    failures.operation,
    failures.error_code,
    failures.tier,
    ---------- numbers
    count(*) as false_success_count,
    count(distinct failures.session_id) as session_count,
    any_value(visible.failure_count) as failure_count,
    -- suspected failures are not among the certain ones, so they are no share of them
    case when failures.tier in ('P1', 'P2') then wilson_lower(count(*), any_value(visible.failure_count)) end as rate_lower,
    case when failures.tier in ('P1', 'P2') then wilson_upper(count(*), any_value(visible.failure_count)) end as rate_upper,
    ---------- evidence: episodes, or attempts that are in none, at most ten
    list_sort(list(distinct failures.evidence_id))[:10] as evidence,
    ---------- booleans
    failures.tier in ('P1', 'P2') as is_flagged

from failures

inner join visible
    on visible.tool = failures.tool and visible.operation is not distinct from failures.operation

where failures.tier is not null

group by failures.tool, failures.operation, failures.error_code, failures.tier
