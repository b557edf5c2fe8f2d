-- One row per tool, code and class, one per tool, and one over all: what failures cost, and how few make most of it.
-- Key: (level, tool, error_code, declared_class); `error_code` is null for failures without a code. Statistics 11.
-- Costs are those of `core.waste`, so rows of one level sum to the total. Repeats of a call that said retryable:false are
-- the agent's; repeats of a call that said retryable:true, where that is contradicted, are the tool's (definitions 6).
with

steps as (

    select
        waste.*,
        waste.is_obedient_retry and coalesce(verdicts.finding = 'false_transient', false) as is_misled_retry

    from core.waste as waste

    left join marts.misclassified_retryables as verdicts
        on verdicts.tool = waste.tool
        and verdicts.error_code = waste.error_code
        and verdicts.declared_class = waste.declared_class

),

per_episode as (

    select
        case
            when grouping(declared_class) = 0 then 'code'
            when grouping(tool) = 0 then 'tool'
            else 'all'
        end as level,
        tool,
        error_code,
        declared_class,
        episode_id,
        sum(charged_ms) as ms,
        sum(case when kind = 'attempt' then charged_ms else 0 end) as attempt_ms,
        sum(case when kind in ('wait', 'wait_after_fix') then charged_ms else 0 end) as wait_ms,
        sum(case when kind = 'fix' then charged_ms else 0 end) as fix_ms,
        sum(tokens) as tokens,
        sum(calls) as calls,
        sum(case when is_futile_retry then calls else 0 end) as futile_calls,
        sum(case when is_misled_retry then calls else 0 end) as misled_calls

    from steps

    group by grouping sets ((tool, error_code, declared_class, episode_id), (tool, episode_id), (episode_id))

),

-- the dearest hundredth of the episodes, at least one
ranked as (

    select
        *,
        row_number() over same <= ceil(count(*) over whole / 100.0) as is_top,
        row_number() over same as rank_number

    from per_episode

    window
        whole as (partition by level, tool, error_code, declared_class),
        same as (partition by level, tool, error_code, declared_class order by ms desc, episode_id)

),

summed as (

    select
        level,
        tool,
        error_code,
        declared_class,
        count(*) as episode_count,
        sum(ms)::bigint as total_ms,
        sum(attempt_ms)::bigint as attempt_ms,
        sum(wait_ms)::bigint as wait_ms,
        sum(fix_ms)::bigint as fix_ms,
        avg(ms) as mean_ms,
        median(ms) as median_ms,
        sum(case when is_top then ms else 0 end)::bigint as top_ms,
        sum(tokens)::bigint as tokens,
        sum(calls)::bigint as calls,
        sum(futile_calls)::bigint as futile_calls,
        sum(misled_calls)::bigint as misled_calls,
        arg_min(episode_id, rank_number, 10) as evidence

    from ranked

    group by level, tool, error_code, declared_class

)

select
    ---------- ids
    level,
    tool,
    error_code,
    declared_class,
    ---------- numbers
    episode_count,
    total_ms,
    attempt_ms,
    wait_ms,
    fix_ms,
    mean_ms,
    median_ms,
    top_ms / nullif(total_ms, 0)::double as top_share,
    tokens,
    calls,
    futile_calls,
    misled_calls,
    ---------- evidence: episodes, the dearest first, at most ten
    evidence

from summed
