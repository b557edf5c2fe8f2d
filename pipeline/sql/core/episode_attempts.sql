-- One row per attempt that belongs to an episode. Internal; `core.episodes` is the public table.
-- Key: attempt_id.
-- An episode opens at a failure when none is open for the operation and holds everything up to its first success;
-- a corrected argument goes on with the same episode (definitions 2 and 4).
with recursive

attempts as (

    select
        attempt_id,
        session_id,
        actor_id,
        operation_key,
        attempt_number,
        status,
        true_ok

    from core.attempts

    where has_run and not is_wait

),

-- only operations that ever failed can hold an episode
failing as (

    select attempts.*

    from attempts

    semi join (select * from attempts where status = 'error') as failures
        using (session_id, actor_id, operation_key)

),

grouped as (

    select
        *,
        count(*) filter (where true_ok) over (
            partition by session_id, actor_id, operation_key
            order by attempt_number
            rows between unbounded preceding and 1 preceding
        ) as success_count

    from failing

),

opened as (

    select
        *,
        min(case when status = 'error' then attempt_number end) over same as first_number,
        arg_min(attempt_id, case when status = 'error' then attempt_number end) over same as run_id

    from grouped

    window same as (partition by session_id, actor_id, operation_key, success_count)

),

runs as (

    select
        run_id,
        attempt_id,
        attempt_number

    from opened

    where attempt_number >= first_number

),

corrections as (

    select
        corrected.reissue_id,
        runs.run_id as parent_id

    from core.corrections as corrected

    inner join runs on runs.attempt_id = corrected.attempt_id

    where corrected.kind = 'corrected'

),

chains (run_id, episode_id) as (

    select distinct
        run_id,
        run_id

    from runs

    where run_id not in (select reissue_id from corrections)

    union all

    select
        corrections.reissue_id,
        chains.episode_id

    from chains

    inner join corrections on corrections.parent_id = chains.run_id

)

select
    coalesce(chains.episode_id, runs.run_id) as episode_id,
    runs.attempt_id

from runs

left join chains on chains.run_id = runs.run_id

union all

-- a correction that worked at once opened no run of its own
select
    chains.episode_id,
    corrections.reissue_id

from corrections

inner join chains on chains.run_id = corrections.parent_id

where corrections.reissue_id not in (select attempt_id from runs)
