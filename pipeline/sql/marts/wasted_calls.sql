-- One row per tool and code: what its failures cost, and its share of what all failures cost.
-- Key: (tool, error_code). Ranked by the largest of its three shares: calls, time, tokens.
with

failures as (

    select * from core.attempts where status = 'error'

),

totals as (

    select
        sum(copies)::bigint as total_calls,
        sum(duration_ms)::bigint as total_ms,
        sum(tokens)::bigint as total_tokens

    from failures

),

charged as (

    select
        tool,
        error_code,
        count(*) as occurrence_count,
        count(distinct session_id) as session_count,
        sum(copies)::bigint as wasted_calls,
        coalesce(sum(duration_ms), 0)::bigint as wasted_ms,
        coalesce(sum(tokens), 0)::bigint as wasted_tokens,
        -- the dearest first
        arg_min(attempt_id, (-coalesce(duration_ms, 0), order_ns, attempt_id), 10) as evidence

    from failures

    where code_source = 'envelope' and error_code is not null

    group by tool, error_code

),

shared as (

    select
        charged.*,
        totals.*,
        greatest(
            wasted_calls / total_calls::double,
            coalesce(wasted_ms / nullif(total_ms, 0)::double, 0),
            coalesce(wasted_tokens / nullif(total_tokens, 0)::double, 0)
        ) as share

    from charged

    cross join totals

),

ranked as (

    select
        *,
        row_number() over (order by share desc, wasted_calls desc, tool, error_code) as rank_number

    from shared

)

select
    ---------- ids
    tool,
    error_code,
    ---------- numbers
    rank_number,
    occurrence_count,
    session_count,
    wasted_calls,
    wasted_ms,
    wasted_tokens,
    total_calls,
    coalesce(total_ms, 0) as total_ms,
    coalesce(total_tokens, 0) as total_tokens,
    share,
    ---------- evidence: attempts, at most ten
    evidence,
    ---------- booleans
    rank_number <= 5 as is_flagged

from ranked
