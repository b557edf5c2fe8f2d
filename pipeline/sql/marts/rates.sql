-- One row per measure, weighting and tool, and one over all tools: a rate, its counts and its interval.
-- Key: (measure, weighting, tool, is_total); `tool` is null where all tools are meant. Definitions 1 and 4.
with

attempts as (

    select
        attempt_id,
        session_id,
        tool,
        status,
        true_ok

    from core.attempts

    where status in ('ok', 'error')

),

episodes as (

    select
        session_id,
        tool,
        outcome,
        is_recovered

    from core.episodes

),

-- an operation as it was tried up to its first success: an episode, or a success that needed none
operations as (

    select
        session_id,
        tool,
        true as is_first_success,
        true as is_final_success

    from attempts

    where true_ok and attempt_id not in (select attempt_id from core.episode_attempts)

    union all

    select
        session_id,
        tool,
        false,
        case when outcome != 'censored' then is_recovered end

    from episodes

),

trials as (

    select session_id, tool, 'error' as measure, 'attempt' as unit, status = 'error' as is_counted from attempts
    union all
    select session_id, tool, 'attempt_success', 'attempt', status = 'ok' from attempts
    union all
    select session_id, tool, 'first_attempt_success', 'operation', is_first_success from operations
    union all
    select session_id, tool, 'final_success', 'operation', is_final_success from operations
    union all
    select session_id, tool, 'recovery', 'episode', is_recovered from episodes where outcome != 'censored'

),

per_session as (

    select
        measure,
        unit,
        session_id,
        tool,
        grouping(tool) = 1 as is_total,
        count(*) filter (where is_counted) as y,
        count(*) as m,
        y / m::double as rate

    from trials

    where is_counted is not null

    group by grouping sets ((measure, unit, session_id, tool), (measure, unit, session_id))

),

summed as (

    select
        measure,
        unit,
        tool,
        is_total,
        sum(y)::bigint as k,
        sum(m)::bigint as n,
        count(*) as sessions,
        sum(y * y)::bigint as yy,
        sum(y * m)::bigint as ym,
        sum(m * m)::bigint as mm,
        avg(rate) as mean_rate,
        coalesce(var_samp(rate), 0) / count(*) as mean_variance

    from per_session

    group by measure, unit, tool, is_total

),

weighted as (

    select
        measure,
        unit as weighting,
        tool,
        is_total,
        k,
        n,
        sessions,
        k / n::double as rate,
        cluster_trials(k, n, sessions, yy, ym, mm) as effective_n,
        cluster_z(n, sessions, mm, quantiles.t) as z

    from summed

    left join meta.t_quantiles as quantiles on quantiles.df = summed.sessions - 1

    union all

    -- the mean of session rates: a session with a thousand attempts weighs no more than one with three
    select
        measure,
        'session',
        tool,
        is_total,
        k,
        n,
        sessions,
        mean_rate,
        case
            when sessions < 2 or mean_rate in (0, 1) then sessions::double
            when mean_variance = 0 then n::double
            else least(n::double, mean_rate * (1 - mean_rate) / mean_variance)
        end,
        coalesce(quantiles.t, z_quantile())

    from summed

    left join meta.t_quantiles as quantiles on quantiles.df = greatest(summed.sessions - 1, 1)

)

select
    ---------- ids
    measure,
    weighting,
    tool,
    ---------- numbers
    k,
    n,
    sessions as session_count,
    rate as value,
    score_lower(rate, effective_n, z) as rate_lower,
    score_upper(rate, effective_n, z) as rate_upper,
    ---------- booleans
    is_total

from weighted
