-- One row per declared class, verdict and end, for each tool and over all: did following the error lead back?
-- Key: (tool, is_total, declared_class, verdict, is_recovered). Verdicts are the lenient ones. Definitions 11.
-- Compliant and not recovered is the tool's share; recovered against advice is evidence against the declaration.
select
    ---------- ids
    tool,
    declared_class,
    lenient as verdict,
    ---------- strings
    case
        when not any_value(is_scored) then null
        when lenient = 'compliant' and (is_recovered or declared_class = 'terminal') then 'as_declared'
        when lenient = 'compliant' then 'tool'
        when is_recovered then 'against_advice'
        else 'agent'
    end as share,
    ---------- numbers
    count(*) as decision_count,
    count(distinct session_id) as session_count,
    ---------- booleans
    is_recovered,
    grouping(tool) = 1 as is_total

from core.decisions

group by grouping sets ((tool, declared_class, lenient, is_recovered), (declared_class, lenient, is_recovered))
