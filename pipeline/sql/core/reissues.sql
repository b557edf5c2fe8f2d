-- One row per failed, refused or blocked attempt that was issued again (definitions 3).
-- Key: attempt_id.
-- Only `is_fair` rows are evidence about `retryable`: unchanged, nothing in between, the declared wait honoured.
with

attempts as (

    select
        *,
        sum(case when status in ('refused', 'blocked') then 1 else 0 end) over (
            partition by session_id, actor_id, operation_key order by attempt_number
        ) as refusals_so_far

    from core.attempts

    where not is_wait

),

turn_heads as (

    select
        session_id,
        actor_id,
        operation_key,
        turn_number,
        min(attempt_number) as head_number,
        min(case when has_run then attempt_number end) as ran_number

    from attempts

    group by session_id, actor_id, operation_key, turn_number

),

-- siblings of one turn were issued before the failure was seen: the reissue stands in a later turn
following as (

    select
        *,
        min(head_number) over later as next_number,
        min(ran_number) over later as next_ran_number

    from turn_heads

    window later as (
        partition by session_id, actor_id, operation_key
        order by turn_number
        rows between 1 following and unbounded following
    )

),

linked as (

    select
        attempts.*,
        coalesce(
            corrected.attempt_number,
            case when attempts.status in ('refused', 'blocked') then following.next_number else following.next_ran_number end
        ) as reissue_number,
        corrections.kind as correction_kind

    from attempts

    inner join following
        on following.session_id = attempts.session_id
        and following.actor_id = attempts.actor_id
        and following.operation_key = attempts.operation_key
        and following.turn_number = attempts.turn_number

    left join core.corrections as corrections
        on corrections.attempt_id = attempts.attempt_id and corrections.kind = 'corrected'

    left join core.attempts as corrected on corrected.attempt_id = corrections.reissue_id

    where attempts.status in ('error', 'killed', 'refused', 'blocked')

    union all

    -- the failed part of a batch, issued alone, answers the batch without recovering it
    select
        attempts.*,
        part.attempt_number,
        corrections.kind

    from attempts

    inner join core.corrections as corrections
        on corrections.attempt_id = attempts.attempt_id and corrections.kind = 'narrowed'

    inner join core.attempts as part on part.attempt_id = corrections.reissue_id

),

fixed as (

    select distinct linked.attempt_id

    from linked

    inner join attempts as fixes
        on fixes.session_id = linked.session_id
        and fixes.argv_key = linked.fix_key
        and fixes.status = 'ok'
        and fixes.attempt_number > linked.attempt_number
        and fixes.attempt_number < linked.reissue_number

),

paired as (

    select
        linked.attempt_id,
        reissues.attempt_id as reissue_id,
        linked.session_id,
        linked.actor_id,
        linked.tool,
        linked.error_code,
        linked.declared_class,
        linked.status,
        linked.retry_after_ms,
        linked.correction_kind,
        reissues.status as reissue_status,
        reissues.true_ok is true as is_success,
        reissues.started_ms - linked.ended_ms as delay_ms,
        reissues.attempt_number - linked.attempt_number as distance,
        linked.invocation_key = reissues.invocation_key as is_unchanged,
        list_contains(reissues.flags, 'elevated') and not list_contains(linked.flags, 'elevated') as is_elevated,
        reissues.changing_before - linked.changing_before - linked.is_changing::integer as changing_between,
        reissues.prompts_before - linked.prompts_before as prompts_between,
        linked.status in ('refused', 'blocked') or reissues.refusals_so_far > linked.refusals_so_far as has_refusal,
        fixed.attempt_id is not null as has_fix_run,
        -- the same call again while nobody knows what the first one left behind
        not linked.is_read_only
            and linked.idempotency_key is null
            and linked.retryable is not true
            and (
                linked.status = 'killed'
                or linked.exit_code in (3, 10)
                or linked.side_effects in ('partial', 'complete', 'unknown')
            ) as is_effect_unknown

    from linked

    inner join attempts as reissues
        on reissues.session_id = linked.session_id and reissues.attempt_number = linked.reissue_number

    left join fixed on fixed.attempt_id = linked.attempt_id

    -- a call that began before the failure was known does not answer it
    where coalesce(reissues.started_ms >= linked.ended_ms, true)

),

named as (

    select
        *,
        case
            when correction_kind = 'narrowed' then 'narrowed'
            when has_refusal then 'after_refusal'
            when prompts_between > 0 then 'after_human'
            when is_unchanged and is_elevated then 'escalated'
            when is_unchanged and has_fix_run then 'after_fix'
            when not is_unchanged then 'changed'
            when changing_between > 0 then 'after_other'
            else 'unchanged'
        end as kind,
        coalesce(retry_after_ms, 0) as wait_ms

    from paired

),

timed as (

    select
        named.*,
        delay_ms < wait_ms - greatest(parameters.wait_tolerance_ms, parameters.wait_tolerance_share * wait_ms) as is_short,
        distance > parameters.horizon_attempts
            or coalesce(delay_ms > greatest(parameters.horizon_ms, 2 * wait_ms), false) as is_late

    from named

    cross join meta.parameters as parameters

)

select
    ---------- ids
    attempt_id,
    reissue_id,
    session_id,
    actor_id,
    ---------- strings
    tool,
    error_code,
    declared_class,
    kind,
    list_concat(
        case when is_late then ['late'] else [] end,
        case when correction_kind = 'corrected' then ['corrected'] else [] end,
        case when is_unchanged then ['identical'] else [] end,
        case when is_unchanged and is_effect_unknown then ['unsafe_reissue'] else [] end,
        case when status != 'error' then ['after_' || status] else [] end
    ) as flags,
    ---------- numbers
    delay_ms,
    retry_after_ms,
    ---------- booleans
    kind = 'unchanged' and status = 'error' and not is_late and not coalesce(is_short, wait_ms > 0) as is_fair,
    kind = 'unchanged' and status = 'error' and not is_late and coalesce(is_short, false) as is_early,
    is_success

from timed
