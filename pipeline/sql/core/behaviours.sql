-- One row per session, code and message template: how that failure ended there. Internal evidence of `marts.code_purity`.
-- Key: (session_id, tool, error_code, declared_class, template). Statistics 9.
-- A failure clears by itself, by a fix, by a changed call, or never; one that was not tried again shows nothing.
with

legs as (

    select
        legs.*,
        message_template(attempts.message) as template,
        attempts.operation,
        attempts.exit_code

    from core.legs as legs

    inner join core.attempts as attempts
        on attempts.session_id = legs.session_id and attempts.attempt_number = legs.first_number

    where attempts.code_source = 'envelope'

),

-- what was tried within the leg, in order; the last one ended it
answers as (

    select
        legs.episode_id,
        legs.leg_number,
        count(*) filter (where not reissues.is_early) as answer_count,
        arg_max(reissues.kind, failed.attempt_number) as last_kind

    from legs

    inner join core.attempts as failed
        on failed.session_id = legs.session_id
        and failed.attempt_number between legs.first_number and legs.last_number

    inner join core.episode_attempts as members
        on members.attempt_id = failed.attempt_id and members.episode_id = legs.episode_id

    inner join core.reissues as reissues on reissues.attempt_id = failed.attempt_id

    where not list_contains(reissues.flags, 'late') and reissues.kind != 'narrowed'

    group by legs.episode_id, legs.leg_number

),

ended as (

    select
        legs.*,
        case
            when legs.outcome in ('resolved', 'advanced') then
                case
                    when answers.last_kind = 'unchanged' then 'clears'
                    when answers.last_kind in ('after_fix', 'after_other') then 'by_fix'
                    when answers.last_kind in ('changed', 'escalated') then 'by_change'
                end
            when legs.outcome in ('unresolved', 'escalated', 'abandoned', 'unsafe') and answers.answer_count > 0 then 'never'
        end as behaviour

    from legs

    left join answers on answers.episode_id = legs.episode_id and answers.leg_number = legs.leg_number

)

select
    ---------- ids
    session_id,
    tool,
    error_code,
    declared_class,
    episode_id,
    ---------- strings
    coalesce(template, '') as template,
    operation,
    behaviour,
    ---------- numbers
    exit_code

from ended

where behaviour is not null

qualify row_number() over (
    partition by session_id, tool, error_code, declared_class, template order by first_number
) = 1
