-- One row per answered call: what came back, and what it declares about itself.
-- Key: call_key.
-- Of several records that answer one call the last word counts: an end over a launch receipt, an envelope over none.
with

answers as (

    select
        *,
        substr(uid, 3) as call_key

    from raw.events

    where event_name = 'recoup.result'

),

chosen as (

    select
        *,
        count(*) over (partition by call_key) as source_count

    from answers

    qualify row_number() over (
        partition by call_key
        order by
            status is not distinct from 'running',
            dialect is null,
            list_contains(coalesce(flags, []), 'copied'),
            case format when 'otlp_span' then 2 when 'otlp_log' then 1 else 0 end,
            time_unix_nano desc,
            session_id,
            path,
            position,
            row_hash
    ) = 1

),

told as (

    select
        *,
        -- what was said, not what it means: an envelope's own verdict, or an error object under no verdict
        envelope_ok is false or (dialect is not null and (error_code is not null or message is not null)) as says_failed,
        code_source = 'envelope' and regexp_full_match(error_code, '[A-Z][A-Z0-9_]+') as has_machine_code,
        coalesce(fix_required is not null or fix_command is not null, false) as has_fix,
        is_fix_placeholder(fix_command) as is_unrunnable_fix

    from chosen

),

classed as (

    select
        *,
        case
            when not coalesce(says_failed, false) and error_code is null then null
            when retryable and has_fix then 'contradictory'
            when retryable and side_effects in ('partial', 'complete') then 'contradictory'
            when retryable is false and retry_after_ms is not null then 'contradictory'
            when fix_source = 'fix_command' and fix_required is null then 'contradictory'
            when retryable then 'transient'
            when retryable is false and has_fix then 'correctable'
            when retryable is false then 'terminal'
            when retryable_text is not null then 'maybe'
            else 'undeclared'
        end as declared_class

    from told

)

select
    ---------- ids
    call_key,
    request_id,
    ---------- strings
    path,
    status,
    status_reason,
    output,
    output_hash,
    fingerprint,
    tool_version,
    dialect,
    error_code,
    code_source,
    message,
    retryable_text,
    retry_strategy,
    fix_required,
    fix_command,
    fix_source,
    fix_key,
    phase,
    suggestion,
    context,
    side_effects,
    declared_class,
    flags,
    ---------- numbers
    position,
    time_unix_nano,
    exit_code,
    echoed_exit_code,
    duration_ms,
    output_bytes,
    tokens,
    retry_after_ms,
    max_retries,
    http_status,
    internal_attempts,
    source_count,
    -- the ladder's height for the least capable caller (definitions 9)
    case
        when not coalesce(has_machine_code, false) then 0
        when is_generic_code(error_code) and retryable is null then 0
        when retryable is null then 1
        when is_generic_code(error_code) then 1
        when declared_class = 'contradictory' then 1
        when is_unrunnable_fix then 1
        when is_rate_limit(error_code, exit_code, http_status) and retryable and retry_after_ms is null then 1
        when declared_class = 'transient' and retry_after_ms is null then 2
        when declared_class = 'correctable' and fix_command is null and is_command_fixable(error_code) then 2
        when declared_class = 'terminal' and is_caller_fixable(error_code, exit_code) then 2
        else 3
    end as maturity,
    ---------- booleans
    signalled_ok,
    envelope_ok,
    coalesce(says_failed, false) as says_failed,
    coalesce(looks_failed, false) as looks_failed,
    retryable

from classed
