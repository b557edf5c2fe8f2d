-- One row per tool, and one over all tools: recovery effectiveness as the report's summary states it (definitions 10).
-- Key: (tool, is_total); `tool` is null where all tools are meant.
select
    ---------- ids
    value as tool,
    ---------- numbers
    recovery_index,
    recovery_efficiency,
    stop_efficiency,
    recoverable_count,
    terminal_count,
    leg_count,
    terminal_share,
    censored_share,
    against_advice_count,
    ---------- booleans
    dimension = 'all' as is_total

from marts.recovery_effectiveness

where dimension in ('tool', 'all')
