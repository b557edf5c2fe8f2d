-- One row per tool and kind of failure that carries no code of its own: what the agent could only read as prose.
-- Key: (tool, lifted_code, fingerprint). A stable code found in the text is named; no group here is ever called a code.
with

failures as (

    select
        attempts.*,
        episodes.episode_id

    from core.attempts as attempts

    left join core.episode_attempts as episodes on episodes.attempt_id = attempts.attempt_id

    where attempts.status = 'error' and (attempts.error_code is null or attempts.code_source != 'envelope')

)

select
    ---------- ids
    tool,
    case when code_source != 'envelope' then error_code end as lifted_code,
    case when code_source is null then fingerprint end as fingerprint,
    ---------- strings
    arg_min(message, (order_ns, attempt_id)) as first_message,
    arg_min(operation, (order_ns, attempt_id)) as first_operation,
    ---------- numbers
    count(*) as occurrence_count,
    count(distinct session_id) as session_count,
    sum(copies)::bigint as wasted_calls,
    sum(coalesce(duration_ms, 0))::bigint as wasted_ms,
    sum(coalesce(tokens, 0))::bigint as wasted_tokens,
    ---------- evidence: episodes, at most ten
    list_sort(list(distinct coalesce(episode_id, attempt_id)))[:10] as evidence

from failures

group by
    tool,
    case when code_source != 'envelope' then error_code end,
    case when code_source is null then fingerprint end
