-- One row per leg: inside an episode, a maximal run of failures with one code (definitions 4).
-- Key: (episode_id, leg_number).
with

failures as (

    select
        episode_attempts.episode_id,
        attempts.*,
        coalesce(attempts.error_code, attempts.fingerprint, 'uncoded') as label

    from core.episode_attempts

    inner join core.attempts as attempts on attempts.attempt_id = episode_attempts.attempt_id

    where attempts.status = 'error'

),

compared as (

    select
        *,
        lag(label) over (partition by episode_id order by attempt_number) as previous_label

    from failures

),

numbered as (

    select
        *,
        sum(case when previous_label is distinct from label then 1 else 0 end) over (
            partition by episode_id order by attempt_number rows unbounded preceding
        ) as leg_number

    from compared

),

runs as (

    select
        episode_id,
        leg_number,
        any_value(session_id) as session_id,
        any_value(actor_id) as actor_id,
        any_value(tool) as tool,
        any_value(label) as label,
        arg_min(error_code, attempt_number) as error_code,
        arg_min(declared_class, attempt_number) as declared_class,
        arg_min(retryable, attempt_number) as is_retryable,
        arg_min(fix_key, attempt_number) as fix_key,
        min(attempt_number) as first_number,
        max(attempt_number) as last_number,
        count(*) as attempt_count

    from numbered

    group by episode_id, leg_number

),

successes as (

    select
        episode_attempts.episode_id,
        min(attempts.attempt_number) as success_number

    from core.episode_attempts

    inner join core.attempts as attempts on attempts.attempt_id = episode_attempts.attempt_id

    where attempts.true_ok

    group by episode_attempts.episode_id

),

followed as (

    select
        runs.*,
        successes.success_number,
        lead(runs.first_number) over later as next_number,
        lead(runs.error_code) over later as next_code,
        lead(runs.leg_number) over (partition by runs.episode_id, runs.label order by runs.leg_number) is not null
            as is_recurring

    from runs

    left join successes on successes.episode_id = runs.episode_id

    window later as (partition by runs.episode_id order by runs.leg_number)

),

concluded as (

    select
        followed.*,
        coalesce(followed.next_number, followed.success_number) as end_number,
        case
            when followed.next_number is null and followed.success_number is not null then 'resolved'
            when followed.next_number is null then episodes.outcome
            when followed.is_retryable and is_conflict(followed.next_code) then 'unsafe'
            when followed.is_recurring then 'recurred'
            else 'advanced'
        end as outcome

    from followed

    inner join core.episodes as episodes on episodes.episode_id = followed.episode_id

),

-- every call of the actor on the way counts as used; a wait is part of the delay
used as (

    select
        concluded.episode_id,
        concluded.leg_number,
        count(*) as call_count

    from concluded

    inner join core.attempts as attempts
        on attempts.session_id = concluded.session_id
        and attempts.actor_id = concluded.actor_id
        and attempts.attempt_number > concluded.first_number
        and attempts.attempt_number <= concluded.end_number
        and attempts.has_run
        and not attempts.is_wait

    group by concluded.episode_id, concluded.leg_number

)

select
    ---------- ids
    concluded.episode_id,
    concluded.leg_number,
    concluded.session_id,
    concluded.actor_id,
    ---------- strings
    concluded.tool,
    concluded.error_code,
    concluded.declared_class,
    concluded.outcome,
    ---------- numbers
    concluded.first_number,
    concluded.last_number,
    concluded.attempt_count,
    used.call_count as further_call_count,
    -- definitions 10: ideal over actual for what can be recovered, stopping early for what cannot
    case
        when concluded.outcome = 'censored' then null
        when concluded.declared_class = 'terminal' and concluded.outcome = 'resolved' then null
        when concluded.declared_class = 'terminal' then 1.0::double / concluded.attempt_count
        when concluded.outcome in ('resolved', 'advanced') then
            least(1.0::double, (case when concluded.fix_key is null then 1 else 2 end) / used.call_count::double)
        else 0.0::double
    end as efficiency,
    ---------- booleans
    concluded.declared_class = 'terminal' and concluded.outcome = 'resolved' as is_against_advice

from concluded

left join used on used.episode_id = concluded.episode_id and used.leg_number = concluded.leg_number
