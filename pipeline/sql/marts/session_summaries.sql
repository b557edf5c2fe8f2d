-- One row per session: its attempts, errors and episodes.
-- Key: session_id. Rates that average over sessions start here.
with

attempts as (

    select
        session_id,
        any_value(format) as format,
        min(agent_name) as agent_name,
        count(distinct actor_id) as actor_count,
        count(*) as attempt_count,
        count(*) filter (where status = 'ok') as ok_count,
        count(*) filter (where status = 'error') as error_count,
        min(started_at) as started_at,
        max(ended_at) as ended_at

    from core.attempts

    group by session_id

),

episodes as (

    select
        session_id,
        count(*) as episode_count,
        count(*) filter (where is_recovered) as recovered_count

    from core.episodes

    group by session_id

)

select
    ---------- ids
    attempts.session_id,
    ---------- strings
    attempts.format,
    attempts.agent_name,
    ---------- numbers
    attempts.actor_count,
    attempts.attempt_count,
    attempts.ok_count,
    attempts.error_count,
    attempts.error_count / nullif(attempts.ok_count + attempts.error_count, 0)::double as error_rate,
    coalesce(episodes.episode_count, 0) as episode_count,
    coalesce(episodes.recovered_count, 0) as recovered_count,
    ---------- times
    attempts.started_at,
    attempts.ended_at

from attempts

left join episodes on episodes.session_id = attempts.session_id
