-- One row per tool, and one over all tools: compliance as the report's summary states it.
-- Key: (tool, is_total); `tool` is null where all tools are meant. Definitions 11.
select
    ---------- ids
    value as tool,
    ---------- numbers
    decision_count,
    lenient_count,
    lenient_rate,
    lenient_lower,
    lenient_upper,
    strict_count,
    strict_rate,
    strict_lower,
    strict_upper,
    session_count,
    censored_count,
    unscored_count,
    ---------- booleans
    dimension = 'all' as is_total

from marts.compliance

where dimension in ('tool', 'all')
