-- One row per step that a failure cost: the failing attempt, the wait after it, the run of its fix. Internal;
-- `core.waste` is the public table.
-- Key: (attempt_id, kind). Statistics 11.
-- Each step is charged once, to the code that caused it: an attempt to the code it failed with, a wait and a fix to the
-- code before them. A wait lasts from the failure, or its fix, to the next step of the recovery, whatever else was done
-- meanwhile; the time of a person, and a reissue beyond the horizon, are no wait.
with

failures as (

    select
        members.episode_id,
        attempts.attempt_id,
        attempts.session_id,
        attempts.actor_id,
        attempts.attempt_number,
        attempts.tool,
        attempts.error_code,
        attempts.declared_class,
        attempts.started_ms,
        attempts.ended_ms,
        attempts.tokens,
        attempts.copies,
        case when attempts.fix_key is distinct from attempts.argv_key then attempts.fix_key end as fix_key,
        reissues.is_futile,
        reissues.is_obedient

    from core.attempts as attempts

    inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

    -- how this attempt came about: as the reissue of another
    left join (

        select
            reissues.reissue_id,
            max((list_contains(reissues.flags, 'identical') and failed.retryable is false)::integer) = 1 as is_futile,
            max((list_contains(reissues.flags, 'identical') and failed.retryable)::integer) = 1 as is_obedient

        from core.reissues as reissues

        inner join core.attempts as failed on failed.attempt_id = reissues.attempt_id

        where reissues.kind in ('unchanged', 'after_other')

        group by reissues.reissue_id

    ) as reissues on reissues.reissue_id = attempts.attempt_id

    where attempts.status = 'error'

),

-- the next step of the recovery, where the agent took one without a person
answers as (

    select
        reissues.attempt_id,
        min(again.attempt_number) as reissue_number,
        arg_min(again.started_ms, again.attempt_number) as reissue_ms

    from core.reissues as reissues

    inner join core.attempts as again on again.attempt_id = reissues.reissue_id

    where not list_contains(reissues.flags, 'late') and reissues.kind not in ('after_human', 'after_refusal')

    group by reissues.attempt_id

),

faced as (

    select
        failures.*,
        answers.reissue_number,
        answers.reissue_ms,
        coalesce(answers.reissue_number, failures.attempt_number + parameters.horizon_attempts) as until_number

    from failures

    cross join meta.parameters as parameters

    left join answers on answers.attempt_id = failures.attempt_id

),

-- a run of the fix is charged to the last failure before it that declared it; one that failed is a failure of its own
fixes as (

    select
        faced.episode_id,
        faced.attempt_id as failed_id,
        faced.error_code,
        faced.declared_class,
        faced.tool,
        runs.attempt_id,
        runs.session_id,
        runs.actor_id,
        runs.attempt_number,
        runs.started_ms,
        runs.ended_ms,
        runs.tokens,
        runs.copies

    from faced

    inner join core.attempts as runs
        on runs.session_id = faced.session_id
        and runs.actor_id = faced.actor_id
        and runs.argv_key = faced.fix_key
        and runs.attempt_number > faced.attempt_number
        and runs.attempt_number < faced.until_number

    where runs.has_run and runs.status != 'error'

    qualify row_number() over (partition by runs.attempt_id order by faced.attempt_number desc) = 1

),

-- what a wait is cut by: the run of the fix between failure and reissue
fix_spans as (

    select
        failed_id,
        min(started_ms) as started_ms,
        max(ended_ms) as ended_ms

    from fixes

    group by failed_id

),

steps as (

    select
        episode_id,
        attempt_id,
        'attempt' as kind,
        session_id,
        actor_id,
        tool,
        error_code,
        declared_class,
        started_ms,
        ended_ms,
        coalesce(tokens, 0) as tokens,
        copies as calls,
        coalesce(is_futile, false) as is_futile_retry,
        coalesce(is_obedient, false) as is_obedient_retry

    from failures

    union all

    select
        episode_id,
        attempt_id,
        'fix',
        session_id,
        actor_id,
        tool,
        error_code,
        declared_class,
        started_ms,
        ended_ms,
        coalesce(tokens, 0),
        copies,
        false,
        false

    from fixes

    union all

    -- from the failure to its fix, or to the reissue where no fix ran
    select
        faced.episode_id,
        faced.attempt_id,
        'wait',
        faced.session_id,
        faced.actor_id,
        faced.tool,
        faced.error_code,
        faced.declared_class,
        faced.ended_ms,
        coalesce(fix_spans.started_ms, faced.reissue_ms),
        0,
        0,
        false,
        false

    from faced

    left join fix_spans on fix_spans.failed_id = faced.attempt_id

    where faced.reissue_ms is not null or fix_spans.started_ms is not null

    union all

    -- from the fix to the reissue
    select
        faced.episode_id,
        faced.attempt_id,
        'wait_after_fix',
        faced.session_id,
        faced.actor_id,
        faced.tool,
        faced.error_code,
        faced.declared_class,
        fix_spans.ended_ms,
        faced.reissue_ms,
        0,
        0,
        false,
        false

    from faced

    inner join fix_spans on fix_spans.failed_id = faced.attempt_id

    where faced.reissue_ms is not null

),

-- clocks that stand still or run backwards cost nothing
timed as (

    select
        * exclude (started_ms, ended_ms),
        case when ended_ms > started_ms then started_ms end as started_ms,
        case when ended_ms > started_ms then ended_ms end as ended_ms

    from steps

),

grouped as (

    select
        *,
        -- a step that begins before all earlier ones of its actor have ended shares time with one of them
        coalesce(started_ms < max(ended_ms) over earlier, false) as is_joined

    from timed

    window earlier as (
        partition by session_id, actor_id
        order by started_ms, ended_ms, attempt_id, kind
        rows between unbounded preceding and 1 preceding
    )

)

select
    ---------- ids
    episode_id,
    attempt_id,
    kind,
    session_id,
    actor_id,
    ---------- strings
    tool,
    error_code,
    declared_class,
    ---------- numbers
    tokens,
    calls,
    sum((not is_joined)::integer) over (in_order rows unbounded preceding)::bigint as overlap_number,
    started_ms,
    ended_ms,
    ---------- booleans
    is_futile_retry,
    is_obedient_retry,
    is_joined or coalesce(lead(is_joined) over in_order, false) as is_overlapping

from grouped

window in_order as (partition by session_id, actor_id order by started_ms, ended_ms, attempt_id, kind)
