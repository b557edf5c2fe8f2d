-- One row per attempt: where it stands in its session, and what stood before it. Internal, and narrow on purpose:
-- everything that needs the order of a session is computed here; `core.attempts` adds the words.
-- Key: attempt_id; (session_id, attempt_number).
-- Identical invocations of one turn are one attempt with `copies`: nothing was known yet when they were issued.
with

outcomes as (

    select
        call_key,
        session_id,
        actor_id,
        invocation_key,
        turn_id,
        coalesce(turn_id, call_key) as turn_key,
        path,
        position,
        time_unix_nano,
        result_unix_nano,
        told_tokens,
        status,
        is_changing

    from core.outcomes

),

-- a record without a time keeps its place behind the last one before it in its file
untimed as (

    select
        call_key,
        max(time_unix_nano) over (partition by path order by position rows unbounded preceding) as carried_ns

    from outcomes

    semi join (select path from outcomes where time_unix_nano is null) as gaps using (path)

),

-- usage is stated per message and repeated on each of its lines: the last is the largest
turn_usage as (

    select
        turn_id,
        max(input_tokens) + max(output_tokens) as tokens

    from (

        select turn_id, input_tokens, output_tokens from staging.calls
        union all
        select turn_id, input_tokens, output_tokens from staging.turns

    )

    where turn_id is not null and output_tokens is not null

    group by turn_id

),

turns as (

    select
        turns.session_id,
        turns.actor_id,
        turns.turn_key,
        dense_rank() over (partition by turns.session_id order by turns.turn_ns, turns.actor_id, turns.turn_key)
            as turn_number,
        turns.turn_ns,
        turn_usage.tokens // turns.call_count as call_tokens

    from (

        select
            session_id,
            actor_id,
            turn_key,
            min(coalesce(time_unix_nano, untimed.carried_ns, result_unix_nano, 0)) as turn_ns,
            any_value(turn_id) as turn_id,
            count(*) as call_count

        from outcomes

        left join untimed on untimed.call_key = outcomes.call_key

        group by session_id, actor_id, turn_key

    ) as turns

    left join turn_usage on turn_usage.turn_id = turns.turn_id

),

merged as (

    select
        session_id,
        actor_id,
        turn_key,
        min(outcomes.call_key) as attempt_id,
        -- the copy that speaks for all: one that worked, else one that failed, else the first
        arg_min(outcomes.call_key, (
            case status when 'ok' then 0 when 'error' then 1 else 2 end,
            coalesce(time_unix_nano, untimed.carried_ns, result_unix_nano, 0),
            position,
            outcomes.call_key
        )) as call_key,
        count(*) as copies,
        min(position) as position,
        min(coalesce(time_unix_nano, untimed.carried_ns, result_unix_nano, 0)) as started_ns,
        min(time_unix_nano) as started_unix_nano,
        max(result_unix_nano) as ended_unix_nano,
        sum(told_tokens) as told_tokens,
        max(is_changing::integer) as is_changing

    from outcomes

    left join untimed on untimed.call_key = outcomes.call_key

    group by session_id, actor_id, turn_key, invocation_key

),

numbered as (

    select
        merged.*,
        turns.turn_number,
        coalesce(merged.told_tokens, turns.call_tokens * merged.copies)::bigint as tokens,
        row_number() over in_session as attempt_number,
        sum(merged.is_changing) over in_session - merged.is_changing as changing_before

    from merged

    inner join turns
        on turns.session_id = merged.session_id
        and turns.actor_id = merged.actor_id
        and turns.turn_key = merged.turn_key

    window in_session as (
        partition by merged.session_id
        order by merged.started_ns, turns.turn_ns, merged.position, merged.attempt_id
        rows unbounded preceding
    )

),

prompted as (

    select
        attempt_id,
        sum(is_prompt) over (
            partition by session_id order by order_ns, is_prompt desc rows unbounded preceding
        ) as prompt_count

    from (

        select session_id, time_unix_nano as order_ns, 1 as is_prompt, null as attempt_id
        from staging.turns
        where kind = 'prompt' and time_unix_nano is not null

        union all

        select session_id, started_ns, 0, attempt_id
        from numbered
        semi join (select session_id from staging.turns where kind = 'prompt') as asked using (session_id)

    )

)

select
    ---------- ids
    numbered.attempt_id,
    numbered.call_key,
    numbered.session_id,
    numbered.attempt_number,
    numbered.turn_number::bigint as turn_number,
    ---------- numbers
    numbered.started_ns as order_ns,
    numbered.started_unix_nano,
    numbered.ended_unix_nano,
    numbered.tokens,
    numbered.copies,
    numbered.changing_before::bigint as changing_before,
    coalesce(prompted.prompt_count, 0)::bigint as prompts_before

from numbered

left join prompted on prompted.attempt_id = numbered.attempt_id
