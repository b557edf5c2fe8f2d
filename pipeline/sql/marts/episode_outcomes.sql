-- One row per outcome and tool, and one per outcome over all tools: how episodes ended.
-- Key: (outcome, tool, is_total); `tool` is null where all tools are meant. Definitions 4.
select
    ---------- ids
    outcome,
    tool,
    ---------- numbers
    count(*) as episode_count,
    count(distinct session_id) as session_count,
    ---------- booleans
    grouping(tool) = 1 as is_total

from core.episodes

group by grouping sets ((outcome, tool), (outcome))
