-- One row per episode: how its clock stopped, and when, in further calls and in milliseconds.
-- Key: episode_id. Statistics 5.
-- Further calls are those of the actor behind the first failure, as legs count them (definitions 10); waits are none. An
-- episode that is lost or censored is seen up to its last attempt.
with

-- how many calls an actor has made up to each of its attempts: two of these give the calls on the way
numbered as (

    select
        attempt_id,
        attempt_number,
        ended_ms,
        true_ok,
        sum((has_run and not is_wait)::integer) over (
            partition by session_id, actor_id order by attempt_number rows unbounded preceding
        ) as call_count

    from core.attempts

),

-- the first success of the episode, else its last attempt
ends as (

    select
        members.episode_id,
        min(numbered.attempt_number) as first_number,
        arg_min(numbered.call_count, numbered.attempt_number) as first_call_count,
        arg_min_null(numbered.ended_ms, numbered.attempt_number) as first_ms,
        arg_max(numbered.call_count, numbered.attempt_number) as last_call_count,
        arg_max_null(numbered.ended_ms, numbered.attempt_number) as last_ms,
        arg_min(numbered.call_count, numbered.attempt_number) filter (where numbered.true_ok) as success_call_count,
        arg_min_null(numbered.ended_ms, numbered.attempt_number) filter (where numbered.true_ok) as success_ms

    from core.episode_attempts as members

    inner join numbered on numbered.attempt_id = members.attempt_id

    group by members.episode_id

)

select
    ---------- ids
    episodes.episode_id,
    episodes.session_id,
    episodes.tool,
    episodes.origin_code as error_code,
    episodes.origin_class as declared_class,
    ---------- strings
    case
        when episodes.is_recovered then 'recovered'
        when episodes.outcome = 'censored' then 'censored'
        else 'lost'
    end as ending,
    ---------- numbers
    greatest(coalesce(ends.success_call_count, ends.last_call_count) - ends.first_call_count, 0)::bigint
        as further_call_count,
    -- not `greatest`, which drops nulls: a time that is not known stays so
    case
        when (case when episodes.is_recovered then ends.success_ms else ends.last_ms end) < ends.first_ms then 0
        else (case when episodes.is_recovered then ends.success_ms else ends.last_ms end) - ends.first_ms
    end as observed_ms,
    ---------- booleans
    row_number() over (
        partition by episodes.session_id, episodes.tool, episodes.origin_code, episodes.origin_class
        order by ends.first_number
    ) = 1 as is_first_of_session

from core.episodes as episodes

inner join ends on ends.episode_id = episodes.episode_id
