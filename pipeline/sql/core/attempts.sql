-- One row per attempt: a call with one outcome, by one actor, in one session (definitions 1).
-- Key: attempt_id; (session_id, attempt_number).
-- Identical invocations of one turn are one attempt with `copies`: nothing was known yet when they were issued.
select
    ---------- ids
    placed.attempt_id,
    told.session_id,
    told.actor_id,
    placed.attempt_number,
    placed.turn_number,
    told.call_id,
    told.exact_key,
    told.invocation_key,
    told.operation_key,
    told.argv_key,
    ---------- who
    told.format,
    told.path,
    told.position,
    told.agent_name,
    told.model,
    ---------- what was asked
    coalesce(told.program, told.tool_name) as tool,
    told.tool_name,
    told.operation,
    told.target,
    told.command,
    told.arguments,
    told.cwd,
    told.idempotency_key,
    ---------- what came of it
    told.status,
    told.reason,
    told.evidence,
    told.signalled_ok,
    told.true_ok,
    told.exit_code,
    ---------- what the error said
    case when told.status = 'error' and not told.is_signal_conflict then told.told_code end as error_code,
    case when told.status = 'error' and not told.is_signal_conflict then told.told_code_source end as code_source,
    case when told.status = 'error' then told.told_retryable end as retryable,
    case when told.status = 'error' then told.told_retry_after_ms end as retry_after_ms,
    case when told.status = 'error' then told.told_fix_required end as fix_required,
    case when told.status = 'error' then told.told_fix_command end as fix_command,
    case when told.status = 'error' then told.fix_source end as fix_source,
    case when told.status = 'error' then told.told_fix_key end as fix_key,
    case when told.status = 'error' then coalesce(told.told_class, 'undeclared') end as declared_class,
    case
        when told.status = 'error' and told.is_signal_conflict then 0
        when told.status = 'error' then coalesce(told.told_maturity, 0)
    end as maturity,
    case when told.status = 'error' or told.evidence = 'suspected' then told.fingerprint end as fingerprint,
    case when told.status = 'error' then coalesce(told.told_message, told.output) end as message,
    case when told.status = 'error' then told.phase end as phase,
    case when told.status = 'error' then told.suggestion end as suggestion,
    case when told.status = 'error' then told.context end as context,
    case when told.status = 'error' then told.side_effects end as side_effects,
    told.output,
    told.http_status,
    told.request_id,
    ---------- times and costs
    make_timestamp(placed.started_unix_nano // 1000) as started_at,
    make_timestamp(placed.ended_unix_nano // 1000) as ended_at,
    placed.started_unix_nano // 1000000 as started_ms,
    placed.ended_unix_nano // 1000000 as ended_ms,
    placed.order_ns,
    coalesce(
        told.told_duration_ms, (told.result_unix_nano - told.time_unix_nano) // 1000000
    ) as duration_ms,
    placed.tokens,
    told.internal_attempts,
    placed.copies,
    told.source_count + told.result_source_count as source_count,
    told.tool_version,
    ---------- what later models ask
    told.has_run,
    told.is_wait,
    told.is_read_only,
    told.is_viewer,
    told.is_changing,
    placed.changing_before,
    placed.prompts_before,
    list_sort(list_distinct(list_concat(
        coalesce(told.flags, []),
        told.result_flags,
        case when told.is_benign and told.status = 'ok' then ['benign_exit'] else [] end,
        case when told.is_signal_conflict then ['signal_conflict', 'false_failure'] else [] end,
        case when placed.copies > 1 then ['parallel_copies'] else [] end,
        case
            when told.status = 'error' and told.says_failed and told.signalled_ok then
                [case when told.envelope_ok is not null then 'false_success_p1' else 'false_success_p2' end]
            else []
        end,
        case when told.status_owner = 'masked' then ['exit_masked'] else [] end,
        case when told.reason = 'background_exit_unreliable' then ['background_exit_unreliable'] else [] end
    ))) as flags

from core.placements as placed

inner join core.outcomes as told on told.call_key = placed.call_key
