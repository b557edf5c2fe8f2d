-- One row per call: what the agent asked for.
-- Key: call_key (the part of the event's uid behind the colon).
-- A call that several files tell of (forks, resumes, compaction, two recorders) is one call here; `source_count` says
-- how many records tell of it. Originals win over copies, then the smallest place: a choice no order of shipping moves.
select
    ---------- ids
    substr(uid, 3) as call_key,
    session_id,
    coalesce(actor_id, 'main') as actor_id,
    call_id,
    turn_id,
    ---------- strings
    format,
    path,
    agent_name,
    agent_version,
    model,
    tool_name,
    program,
    operation,
    target,
    exact_key,
    invocation_key,
    operation_key,
    argv_key,
    command,
    cwd,
    arguments,
    idempotency_key,
    status_owner,
    status_reason,
    flags,
    benign_exits,
    ---------- numbers
    position,
    time_unix_nano,
    input_tokens,
    output_tokens,
    count(*) over (partition by uid) as source_count,
    ---------- booleans
    coalesce(is_context_known, false) as is_context_known,
    coalesce(is_wait, false) as is_wait,
    coalesce(is_read_only, false) as is_read_only,
    coalesce(is_viewer, false) as is_viewer

from raw.events

where event_name = 'recoup.call'

qualify row_number() over (
    partition by uid
    order by
        list_contains(coalesce(flags, []), 'copied'),
        -- a transcript tells more of a call than a log event, and that more than a span
        case format when 'otlp_span' then 2 when 'otlp_log' then 1 else 0 end,
        time_unix_nano,
        session_id,
        path,
        position,
        row_hash
) = 1
