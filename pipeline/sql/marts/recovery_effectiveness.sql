-- One row per tool, agent, model and client, and one over all: how directly failures were left behind (definitions 10).
-- Key: (dimension, value); `value` is null for dimension `all` and where the log does not say.
-- Declaring everything terminal must not look good: the index is blank below ten legs that could recover.
with

legs as (

    select
        legs.tool,
        attempts.agent_name,
        attempts.model,
        attempts.format,
        legs.efficiency,
        legs.outcome,
        legs.is_against_advice,
        legs.declared_class is not distinct from 'terminal' as is_terminal

    from core.legs as legs

    inner join core.attempts as attempts
        on attempts.session_id = legs.session_id and attempts.attempt_number = legs.first_number

),

averaged as (

    select
        case
            when grouping(tool) = 0 then 'tool'
            when grouping(agent_name) = 0 then 'agent'
            when grouping(model) = 0 then 'model'
            when grouping(format) = 0 then 'client'
            else 'all'
        end as dimension,
        coalesce(tool, agent_name, model, format) as value,
        avg(efficiency) filter (where not is_terminal) as recovery_efficiency,
        avg(efficiency) filter (where is_terminal) as stop_efficiency,
        avg(efficiency) as efficiency,
        count(efficiency) filter (where not is_terminal) as recoverable_count,
        count(efficiency) filter (where is_terminal) as terminal_count,
        count(*) as leg_count,
        count(*) filter (where is_terminal) / count(*)::double as terminal_share,
        count(*) filter (where outcome = 'censored') / count(*)::double as censored_share,
        count(*) filter (where is_against_advice) as against_advice_count

    from legs

    group by grouping sets ((), (tool), (agent_name), (model), (format))

    -- the total over nothing is no row
    having count(*) > 0

)

select
    ---------- ids
    dimension,
    value,
    ---------- numbers
    case when recoverable_count >= 10 then 100 * efficiency end as recovery_index,
    recovery_efficiency,
    stop_efficiency,
    recoverable_count,
    terminal_count,
    leg_count,
    terminal_share,
    censored_share,
    against_advice_count

from averaged
