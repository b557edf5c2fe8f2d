-- One row per attempt that did not work: what its actor did next. Internal.
-- Key: attempt_id.
-- The next step is the first call of a later turn, or the first word to a person once the failure was known: what hands
-- the problem over, and what goes on (definitions 4 and 11).
with

attempts as (

    select
        *,
        ended_ms * 1000000 as known_ns

    from core.attempts

    where not is_wait

),

turns as (

    select
        session_id,
        actor_id,
        turn_number,
        min(order_ns) as call_ns,
        arg_min(attempt_number, (order_ns, attempt_number)) as call_number,
        arg_min(
            case when status = 'blocked' then 'blocked' when tool_name in ('Task', 'Agent') then 'delegation' else 'call' end,
            (order_ns, attempt_number)
        ) as call_kind

    from attempts

    group by session_id, actor_id, turn_number

),

next_turns as (

    select
        session_id,
        actor_id,
        turn_number,
        lead(call_ns) over later as call_ns,
        lead(call_number) over later as call_number,
        lead(call_kind) over later as call_kind

    from turns

    window later as (partition by session_id, actor_id order by turn_number)

),

words as (

    select
        uid,
        session_id,
        actor_id,
        time_unix_nano as word_ns,
        kind,
        coalesce(mentions, []) as mentions,
        is_question

    from staging.turns

    where
        kind in ('answer', 'handover')
        and time_unix_nano is not null
        -- text beside a call is talk, not an answer
        and not (kind = 'answer' and turn_id is not null and turn_id in (select turn_id from staging.calls where turn_id is not null))

),

failures as (

    select * from attempts where status != 'ok'

),

-- failures and words in one row of time; at one instant the failure was known before the word
spoken as (

    select
        attempt_id,
        first_value(uid ignore nulls) over (
            partition by session_id, actor_id
            order by at_ns, is_word, uid
            rows between 1 following and unbounded following
        ) as uid

    from (

        select session_id, actor_id, known_ns as at_ns, false as is_word, attempt_id, null as uid
        from failures
        where known_ns is not null

        union all

        select session_id, actor_id, word_ns, true, null, uid
        from words

    )

),

followed as (

    select
        failures.attempt_id,
        failures.error_code,
        failures.prompts_before,
        next_turns.call_number,
        words.kind as word_kind,
        words.mentions,
        words.is_question or list_contains(words.mentions, failures.error_code) as is_naming,
        coalesce(words.word_ns < next_turns.call_ns, words.word_ns is not null) as is_word,
        next_turns.call_kind,
        failures.session_id

    from failures

    left join next_turns
        on next_turns.session_id = failures.session_id
        and next_turns.actor_id = failures.actor_id
        and next_turns.turn_number = failures.turn_number

    left join spoken on spoken.attempt_id = failures.attempt_id

    left join words on words.uid = spoken.uid

)

select
    ---------- ids
    followed.attempt_id,
    ---------- strings
    case when followed.is_word then followed.word_kind else followed.call_kind end as kind,
    case when followed.is_word then followed.mentions else [] end as mentions,
    ---------- numbers
    case when not followed.is_word then followed.call_number end as attempt_number,
    ---------- booleans
    followed.is_word and coalesce(followed.is_naming, false) as names_error,
    coalesce(
        case
            when followed.is_word then followed.word_kind = 'handover' or followed.is_naming
            else followed.call_kind = 'blocked'
        end,
        false
    ) as is_escalation,
    -- a person spoke before the actor did anything else
    not followed.is_word and coalesce(calls.prompts_before > followed.prompts_before, false) as is_prompted

from followed

left join attempts as calls
    on calls.session_id = followed.session_id and calls.attempt_number = followed.call_number
