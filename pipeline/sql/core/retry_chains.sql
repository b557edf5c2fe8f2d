-- One row per session, tool, code and class: the first failure there that was fairly reissued, and how far it was taken.
-- Key: (session_id, tool, error_code, declared_class). Internal evidence of definitions 6: one session is one trial.
with

fair as (

    select
        legs.episode_id,
        legs.leg_number,
        attempts.attempt_id,
        attempts.session_id,
        attempts.tool,
        attempts.error_code,
        attempts.declared_class,
        attempts.attempt_number,
        concat_ws('/', attempts.agent_name, attempts.model, attempts.actor_id) as actor,
        reissues.is_success,
        reissues.delay_ms,
        reissues.retry_after_ms

    from core.reissues as reissues

    inner join core.attempts as attempts on attempts.attempt_id = reissues.attempt_id

    inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

    inner join core.legs as legs
        on legs.episode_id = members.episode_id
        and legs.error_code = attempts.error_code
        and attempts.attempt_number between legs.first_number and legs.last_number

    where reissues.is_fair and attempts.code_source = 'envelope'

),

chains as (

    select
        episode_id,
        leg_number,
        session_id,
        tool,
        error_code,
        declared_class,
        any_value(actor) as actor,
        min(attempt_number) as first_number,
        arg_min(attempt_id, attempt_number) as attempt_id,
        count(*) as reissue_count,
        arg_min(is_success, attempt_number) as is_first_success,
        max(is_success::integer) = 1 as is_recovered

    from fair

    group by episode_id, leg_number, session_id, tool, error_code, declared_class

)

select
    session_id,
    tool,
    error_code,
    declared_class,
    actor,
    episode_id,
    attempt_id,
    reissue_count,
    is_first_success,
    is_recovered

from chains

qualify row_number() over (partition by session_id, tool, error_code, declared_class order by first_number) = 1
