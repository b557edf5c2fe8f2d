-- One row per tool, agent, model, client and actor, and one over all: how often agents did what the error prescribed.
-- Key: (dimension, value); `value` is null for dimension `all` and where the log does not say. Definitions 11.
-- Rates weigh by decision; intervals know that a session decides alike (statistics 1).
with

decisions as (

    select * from core.decisions

),

per_session as (

    select
        case
            when grouping(tool) = 0 then 'tool'
            when grouping(agent_name) = 0 then 'agent'
            when grouping(model) = 0 then 'model'
            when grouping(format) = 0 then 'client'
            when grouping(actor) = 0 then 'actor'
            else 'all'
        end as dimension,
        coalesce(tool, agent_name, model, format, actor) as value,
        session_id,
        count(*) filter (where is_scored) as m,
        count(*) filter (where is_compliant) as lenient_y,
        count(*) filter (where is_strictly_compliant) as strict_y,
        count(*) filter (where lenient = 'censored') as censored,
        count(*) filter (where lenient in ('overruled', 'overtaken')) as unscored

    from decisions

    group by grouping sets (
        (session_id), (session_id, tool), (session_id, agent_name), (session_id, model), (session_id, format), (session_id, actor)
    )

),

summed as (

    select
        dimension,
        value,
        sum(m)::bigint as n,
        sum(lenient_y)::bigint as lenient_k,
        sum(strict_y)::bigint as strict_k,
        count(*) filter (where m > 0) as sessions,
        sum(m * m)::bigint as mm,
        sum(lenient_y * lenient_y)::bigint as lenient_yy,
        sum(lenient_y * m)::bigint as lenient_ym,
        sum(strict_y * strict_y)::bigint as strict_yy,
        sum(strict_y * m)::bigint as strict_ym,
        sum(censored)::bigint as censored_count,
        sum(unscored)::bigint as unscored_count

    from per_session

    group by dimension, value

),

weighted as (

    select
        summed.*,
        lenient_k / nullif(n, 0)::double as lenient_rate,
        strict_k / nullif(n, 0)::double as strict_rate,
        cluster_trials(lenient_k, n, sessions, lenient_yy, lenient_ym, mm) as lenient_n,
        cluster_trials(strict_k, n, sessions, strict_yy, strict_ym, mm) as strict_n,
        cluster_z(n, sessions, mm, quantiles.t) as z

    from summed

    left join meta.t_quantiles as quantiles on quantiles.df = summed.sessions - 1

)

select
    ---------- ids
    dimension,
    value,
    ---------- numbers
    n as decision_count,
    lenient_k as lenient_count,
    lenient_rate,
    score_lower(lenient_rate, lenient_n, z) as lenient_lower,
    score_upper(lenient_rate, lenient_n, z) as lenient_upper,
    strict_k as strict_count,
    strict_rate,
    score_lower(strict_rate, strict_n, z) as strict_lower,
    score_upper(strict_rate, strict_n, z) as strict_upper,
    sessions as session_count,
    censored_count,
    unscored_count

from weighted
