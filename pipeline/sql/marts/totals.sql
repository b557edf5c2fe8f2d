-- One row per tool, and one over all tools: how much was seen and what failing cost.
-- Key: (tool, is_total); `tool` is null where all tools are meant.
select
    ---------- ids
    tool,
    ---------- numbers
    count(distinct session_id) as session_count,
    count(distinct (session_id, actor_id)) as actor_count,
    count(distinct agent_name) as agent_count,
    count(*) as attempt_count,
    count(*) filter (where status = 'error') as error_count,
    count(*) filter (where evidence = 'suspected') as suspected_count,
    coalesce(sum(duration_ms) filter (where status = 'error'), 0)::bigint as wasted_ms,
    coalesce(sum(tokens) filter (where status = 'error'), 0)::bigint as wasted_tokens,
    coalesce(sum(copies) filter (where status = 'error'), 0)::bigint as wasted_calls,
    ---------- booleans
    grouping(tool) = 1 as is_total

from core.attempts

group by grouping sets ((tool), ())
