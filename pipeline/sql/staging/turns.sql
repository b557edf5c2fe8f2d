-- One row per message that matters to recovery: prompts, answers, hand-overs, interruptions, ends.
-- Key: uid.
select
    uid,
    session_id,
    coalesce(actor_id, 'main') as actor_id,
    turn_id,
    case when event_name = 'recoup.session_end' then 'session_end' else turn_kind end as kind,
    reason,
    mentions,
    coalesce(is_question, false) as is_question,
    path,
    position,
    time_unix_nano,
    input_tokens,
    output_tokens

from raw.events

where event_name in ('recoup.turn', 'recoup.session_end')

qualify row_number() over (
    partition by uid
    order by list_contains(coalesce(flags, []), 'copied'), time_unix_nano, session_id, path, position, row_hash
) = 1
