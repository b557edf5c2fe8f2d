-- One row per step that a failure cost: the failing attempt, the waits after it, the runs of its fix (statistics 11).
-- Key: (attempt_id, kind). Every step is charged once, to the code that caused it, so that charges sum to what an
-- episode cost; where steps of one actor overlap, each of k open ones is charged 1/k of every millisecond.
select
    ---------- ids
    steps.episode_id,
    steps.attempt_id,
    steps.kind,
    steps.session_id,
    steps.actor_id,
    ---------- strings
    steps.tool,
    steps.error_code,
    steps.declared_class,
    ---------- numbers
    coalesce(shares.charged_ms, steps.ended_ms - steps.started_ms, 0) as charged_ms,
    steps.tokens,
    steps.calls,
    steps.started_ms,
    steps.ended_ms,
    ---------- booleans
    steps.is_futile_retry,
    steps.is_obedient_retry

from core.waste_steps as steps

left join core.waste_shares as shares on shares.attempt_id = steps.attempt_id and shares.kind = steps.kind
