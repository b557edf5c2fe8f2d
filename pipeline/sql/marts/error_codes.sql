-- One row per tool, code and class as emitted: how often, how it ends, what it costs, how high its ladder is.
-- Key: (tool, error_code, declared_class). One code with two classes is two rows, never pooled (definitions 5).
with

occurrences as (

    select * from core.attempts where status = 'error' and error_code is not null and code_source = 'envelope'

),

counted as (

    select
        tool,
        error_code,
        declared_class,
        count(*) as occurrence_count,
        count(distinct session_id) as session_count,
        sum(coalesce(duration_ms, 0)) as wasted_ms,
        sum(coalesce(tokens, 0)) as wasted_tokens,
        sum(copies) as wasted_calls,
        count(*) filter (where maturity >= 1) as reached_1,
        count(*) filter (where maturity >= 2) as reached_2,
        count(*) filter (where maturity >= 3) as reached_3,
        count(retryable) as with_retryable_count,
        count(retry_after_ms) as with_retry_after_count,
        count(fix_required) as with_fix_required_count,
        count(fix_command) as with_fix_command_count,
        count(distinct retry_after_ms) as retry_after_variants,
        arg_min(message, (order_ns, attempt_id)) as first_message,
        arg_min(attempt_id, (maturity, order_ns, attempt_id), 10) as evidence,
        list_sort(list(distinct tool_version) filter (where tool_version is not null)) as tool_versions

    from occurrences

    group by tool, error_code, declared_class

),

ended as (

    select
        legs.tool,
        legs.error_code,
        legs.declared_class,
        count(distinct legs.episode_id) as episode_count,
        count(distinct case when episodes.is_recovered then legs.episode_id end) as recovered_count,
        count(distinct case when episodes.outcome = 'censored' then legs.episode_id end) as censored_count

    from core.legs as legs

    inner join core.episodes as episodes on episodes.episode_id = legs.episode_id

    group by legs.tool, legs.error_code, legs.declared_class

),

retried as (

    select
        attempts.tool,
        attempts.error_code,
        attempts.declared_class,
        attempts.session_id,
        count(*) as m,
        count(*) filter (where reissues.is_success) as y

    from core.reissues as reissues

    inner join occurrences as attempts on attempts.attempt_id = reissues.attempt_id

    where reissues.is_fair

    group by attempts.tool, attempts.error_code, attempts.declared_class, attempts.session_id

),

rates as (

    select
        tool,
        error_code,
        declared_class,
        sum(m)::bigint as n,
        sum(y)::bigint as k,
        count(*) as sessions,
        sum(y * y)::bigint as yy,
        sum(y * m)::bigint as ym,
        sum(m * m)::bigint as mm

    from retried

    group by tool, error_code, declared_class

),

bounded as (

    select
        rates.*,
        cluster_trials(k, n, sessions, yy, ym, mm) as effective_n,
        cluster_z(n, sessions, mm, quantiles.t) as z

    from rates

    left join meta.t_quantiles as quantiles on quantiles.df = rates.sessions - 1

),

reissued as (

    select
        attempts.tool,
        attempts.error_code,
        attempts.declared_class,
        count(*) as reissue_count,
        count(*) filter (where reissues.is_early) as early_reissue_count,
        count(*) filter (where reissues.kind = 'unchanged') as unchanged_count,
        count(*) filter (where reissues.kind = 'unchanged' and reissues.is_success) as unchanged_success_count,
        count(*) filter (where reissues.kind = 'changed') as changed_count,
        count(*) filter (where reissues.kind = 'changed' and reissues.is_success) as changed_success_count

    from core.reissues as reissues

    inner join occurrences as attempts on attempts.attempt_id = reissues.attempt_id

    where not list_contains(reissues.flags, 'late') and reissues.kind != 'narrowed'

    group by attempts.tool, attempts.error_code, attempts.declared_class

),

loops as (

    select
        tool,
        error_code,
        declared_class,
        count(*) filter (where verdict in ('closed', 'advanced', 'failed')) as closed_loop_count,
        count(*) filter (where verdict = 'failed') as failed_loop_count

    from core.closed_loops

    group by tool, error_code, declared_class

),

-- the findings of definitions 6 that make a declaration untrue; waits are judged by themselves
contradicted as (

    select tool, error_code, declared_class, finding
    from marts.misclassified_retryables
    where verdict = 'contradicted'

    union all

    select tool, error_code, 'transient', 'unsafe_transient' from marts.unsafe_transients where is_flagged

    union all

    select tool, error_code, 'terminal', 'missing_fix' from marts.missing_fixes where is_flagged

    union all

    select tool, error_code, 'correctable', 'hopeless_fix' from marts.hopeless_fixes where is_flagged

    union all

    select tool, error_code, declared_class, 'failed_closed_loop' from loops where failed_loop_count > 0

),

contradictions as (

    select
        tool,
        error_code,
        declared_class,
        list_sort(list(finding)) as findings

    from contradicted

    group by tool, error_code, declared_class

),

scored as (

    select
        counted.*,
        case
            when reached_3 >= parameters.maturity_share * occurrence_count then 3
            when reached_2 >= parameters.maturity_share * occurrence_count then 2
            when reached_1 >= parameters.maturity_share * occurrence_count then 1
            else 0
        end as maturity,
        occurrence_count < parameters.maturity_occurrences as is_provisional,
        ceil(ln(0.05) / ln(1 - parameters.tau_high))::bigint as trials_to_confirm

    from counted

    cross join meta.parameters as parameters

)

select
    ---------- ids
    scored.tool,
    scored.error_code,
    scored.declared_class,
    ---------- strings
    case
        when verdicts.verdict = 'contradicted' or loops.failed_loop_count > 0 then 'contradicted'
        -- zero failed loops in fewer trials would still allow a fix that fails more often than the upper threshold
        when verdicts.verdict = 'supported' or loops.closed_loop_count >= scored.trials_to_confirm then 'supported'
        else 'unproven'
    end as maturity_state,
    coalesce(contradictions.findings, []) as contradictions,
    verdicts.verdict as retryable_verdict,
    scored.first_message,
    scored.tool_versions,
    ---------- numbers
    scored.occurrence_count,
    scored.session_count,
    coalesce(ended.episode_count, 0) as episode_count,
    coalesce(ended.recovered_count, 0) as recovered_count,
    coalesce(ended.censored_count, 0) as censored_count,
    coalesce(reissued.reissue_count, 0) as reissue_count,
    coalesce(reissued.early_reissue_count, 0) as early_reissue_count,
    coalesce(reissued.unchanged_count, 0) as unchanged_count,
    coalesce(reissued.unchanged_success_count, 0) as unchanged_success_count,
    coalesce(reissued.changed_count, 0) as changed_count,
    coalesce(reissued.changed_success_count, 0) as changed_success_count,
    coalesce(bounded.n, 0) as fair_reissue_count,
    coalesce(bounded.k, 0) as fair_success_count,
    bounded.k / bounded.n::double as fair_success_rate,
    score_lower(bounded.k / bounded.n::double, bounded.effective_n, bounded.z) as rate_lower,
    score_upper(bounded.k / bounded.n::double, bounded.effective_n, bounded.z) as rate_upper,
    coalesce(loops.closed_loop_count, 0) as closed_loop_count,
    coalesce(loops.failed_loop_count, 0) as failed_loop_count,
    scored.maturity,
    case
        when contradictions.findings is not null then least(scored.maturity, 1)
        else scored.maturity
    end as proven_maturity,
    scored.wasted_ms::bigint as wasted_ms,
    scored.wasted_tokens::bigint as wasted_tokens,
    scored.wasted_calls::bigint as wasted_calls,
    scored.with_retryable_count,
    scored.with_retry_after_count,
    scored.with_fix_required_count,
    scored.with_fix_command_count,
    ---------- evidence: attempts, lowest maturity first, at most ten
    scored.evidence,
    ---------- booleans
    scored.is_provisional,
    count(*) over (partition by scored.tool, scored.error_code) > 1 as is_inconsistent,
    -- several errors under one name: its rates are an average of unlike things, and are not ranked
    coalesce(purity.is_generic, false) as is_generic

from scored

left join ended
    on ended.tool = scored.tool
    and ended.error_code = scored.error_code
    and ended.declared_class = scored.declared_class

left join bounded
    on bounded.tool = scored.tool
    and bounded.error_code = scored.error_code
    and bounded.declared_class = scored.declared_class

left join reissued
    on reissued.tool = scored.tool
    and reissued.error_code = scored.error_code
    and reissued.declared_class = scored.declared_class

left join loops
    on loops.tool = scored.tool
    and loops.error_code = scored.error_code
    and loops.declared_class = scored.declared_class

left join marts.misclassified_retryables as verdicts
    on verdicts.tool = scored.tool
    and verdicts.error_code = scored.error_code
    and verdicts.declared_class = scored.declared_class

left join contradictions
    on contradictions.tool = scored.tool
    and contradictions.error_code = scored.error_code
    and contradictions.declared_class = scored.declared_class

left join marts.code_purity as purity
    on purity.tool = scored.tool
    and purity.error_code = scored.error_code
    and purity.declared_class = scored.declared_class
