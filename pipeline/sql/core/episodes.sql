-- One row per episode: from the first failure of an operation to its first success in the same session and by the same
-- actor, or to the last attempt where none succeeded (definitions 4).
-- Key: episode_id, the attempt_id of the first failure.
with

members as (

    select
        episode_attempts.episode_id,
        attempts.*

    from core.episode_attempts

    inner join core.attempts as attempts on attempts.attempt_id = episode_attempts.attempt_id

),

spans as (

    select
        episode_id,
        any_value(session_id) as session_id,
        any_value(actor_id) as actor_id,
        min(attempt_number) as first_number,
        max(attempt_number) as last_number,
        max(case when status = 'error' then attempt_number end) as last_failure_number,
        min(case when true_ok then attempt_number end) as success_number,
        count(*) as attempt_count,
        count(*) filter (where status = 'error') as failure_count,
        sum(case when not coalesce(true_ok, false) then is_changing::integer else 0 end) as own_changing_count

    from members

    group by episode_id

),

retries as (

    select
        members.episode_id,
        count(*) as reissue_count,
        count(*) filter (where reissues.is_fair) as fair_reissue_count,
        max(list_contains(reissues.flags, 'late')::integer) = 1 as is_late,
        max(list_contains(reissues.flags, 'unsafe_reissue')::integer) = 1 as is_unsafe

    from members

    inner join core.reissues as reissues on reissues.attempt_id = members.attempt_id

    where reissues.kind != 'narrowed'

    group by members.episode_id

),

fixed as (

    select distinct spans.episode_id

    from spans

    inner join members on members.episode_id = spans.episode_id and members.fix_key is not null

    inner join core.attempts as fixes
        on fixes.session_id = members.session_id
        and fixes.argv_key = members.fix_key
        and fixes.status = 'ok'
        and fixes.attempt_number > members.attempt_number
        and fixes.attempt_number < spans.success_number

),

session_ends as (

    select
        session_id,
        max(turn_number) as last_turn_number

    from core.attempts

    group by session_id

),

session_words as (

    select
        session_id,
        max(time_unix_nano) as last_word_ns

    from staging.turns

    where kind in ('prompt', 'answer', 'handover', 'session_end')

    group by session_id

),

described as (

    select
        spans.*,
        failures.tool,
        failures.operation,
        failures.error_code as origin_code,
        failures.declared_class as origin_class,
        failures.started_at,
        failures.invocation_key as failed_key,
        failures.ended_ms as failed_ms,
        successes.invocation_key as success_key,
        successes.ended_at as recovered_at,
        successes.ended_ms as recovered_ms,
        ends.ended_ms as last_ended_ms,
        coalesce(retries.reissue_count, 0) as reissue_count,
        coalesce(retries.fair_reissue_count, 0) as fair_reissue_count,
        coalesce(retries.is_late, false) as is_late,
        coalesce(retries.is_unsafe, false) as is_unsafe,
        fixed.episode_id is not null as has_fix_run,
        ends.changing_before - failures.changing_before - spans.own_changing_count > 0 as has_other_change,
        ends.prompts_before > failures.prompts_before as is_with_human,
        next_steps.kind as next_kind,
        coalesce(next_steps.is_escalation, false) as is_escalated,
        last_failures.error_code as last_code,
        session_ends.last_turn_number > last_failures.turn_number
            or coalesce(session_words.last_word_ns >= last_failures.ended_ms * 1000000, false) as has_gone_on

    from spans

    inner join core.attempts as failures on failures.attempt_id = spans.episode_id

    inner join core.attempts as last_failures
        on last_failures.session_id = spans.session_id and last_failures.attempt_number = spans.last_failure_number

    inner join core.attempts as ends
        on ends.session_id = spans.session_id and ends.attempt_number = spans.last_number

    left join core.attempts as successes
        on successes.session_id = spans.session_id and successes.attempt_number = spans.success_number

    left join retries on retries.episode_id = spans.episode_id

    left join fixed on fixed.episode_id = spans.episode_id

    left join core.next_steps as next_steps on next_steps.attempt_id = last_failures.attempt_id

    left join session_ends on session_ends.session_id = spans.session_id

    left join session_words on session_words.session_id = spans.session_id

),

concluded as (

    select
        *,
        case
            when success_number is not null and has_fix_run then 'recovered_after_fix'
            when success_number is not null and success_key != failed_key then 'recovered_changed'
            when success_number is not null and (has_other_change or is_with_human) then 'recovered_after_other'
            when success_number is not null then 'recovered_unchanged'
            when is_escalated then 'escalated'
            when not has_gone_on then 'censored'
            when reissue_count > 0 then 'unresolved'
            else 'abandoned'
        end as outcome

    from described

)

select
    ---------- ids
    episode_id,
    session_id,
    actor_id,
    ---------- strings
    tool,
    operation,
    origin_code,
    origin_class,
    outcome,
    list_sort(list_concat(
        case when is_with_human and success_number is not null then ['with_human'] else [] end,
        case when is_late then ['late'] else [] end,
        case when success_number is null and next_kind = 'delegation' then ['delegated'] else [] end,
        case when is_unsafe and is_conflict(last_code) then ['effect_already_applied'] else [] end,
        case when outcome = 'recovered_unchanged' and origin_class = 'terminal' then ['against_advice'] else [] end
    )) as flags,
    ---------- numbers
    attempt_count,
    failure_count,
    reissue_count,
    fair_reissue_count,
    recovered_ms - failed_ms as time_to_recovery_ms,
    coalesce(recovered_ms, last_ended_ms) - failed_ms as observed_ms,
    ---------- booleans
    success_number is not null as is_recovered,
    ---------- times
    started_at,
    recovered_at

from concluded
