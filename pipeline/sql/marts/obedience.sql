-- One row per tool, code and class: do agents do what the error prescribes, and does it lead back where they do?
-- Key: (tool, error_code, declared_class). Verdicts are the lenient ones. Definitions 11.
-- Flagged where agents mostly do something else, or where doing as told mostly leads nowhere.
with

scored as (

    select * from core.decisions where is_scored and error_code is not null

),

per_session as (

    select
        tool,
        error_code,
        declared_class,
        session_id,
        count(*) as m,
        count(*) filter (where is_compliant) as y,
        count(*) filter (where is_compliant and is_recovered) as x

    from scored

    group by tool, error_code, declared_class, session_id

),

summed as (

    select
        tool,
        error_code,
        declared_class,
        sum(m)::bigint as n,
        sum(y)::bigint as k,
        count(*) as sessions,
        sum(m * m)::bigint as mm,
        sum(y * y)::bigint as yy,
        sum(y * m)::bigint as ym,
        sum(x)::bigint as recovered_count,
        count(*) filter (where y > 0) as obedient_sessions,
        sum(x * x)::bigint as xx,
        sum(x * y)::bigint as xy

    from per_session

    group by tool, error_code, declared_class

),

weighted as (

    select
        summed.*,
        k / n::double as rate,
        cluster_trials(k, n, sessions, yy, ym, mm) as effective_n,
        cluster_z(n, sessions, mm, quantiles.t) as z,
        recovered_count / nullif(k, 0)::double as recovered_rate,
        cluster_trials(recovered_count, k, obedient_sessions, xx, xy, yy) as recovered_n,
        cluster_z(k, obedient_sessions, yy, obedient_quantiles.t) as recovered_z

    from summed

    left join meta.t_quantiles as quantiles on quantiles.df = summed.sessions - 1

    left join meta.t_quantiles as obedient_quantiles on obedient_quantiles.df = summed.obedient_sessions - 1

),

violations as (

    select
        tool,
        error_code,
        declared_class,
        lenient,
        count(*) as violation_count,
        count(*) filter (where is_recovered) as recovered_count,
        arg_min(attempt_id, (session_id, attempt_number), 10) as evidence

    from scored

    where not is_compliant

    group by tool, error_code, declared_class, lenient

),

commonest as (

    select
        tool,
        error_code,
        declared_class,
        arg_min(lenient, (-violation_count, lenient)) as violation,
        max(violation_count) as violation_count,
        sum(recovered_count)::bigint as against_advice_count,
        arg_min(evidence, (-violation_count, lenient)) as evidence

    from violations

    group by tool, error_code, declared_class

),

obeyed as (

    select
        tool,
        error_code,
        declared_class,
        arg_min(attempt_id, (is_recovered, session_id, attempt_number), 10) as evidence

    from scored

    where is_compliant

    group by tool, error_code, declared_class

),

bounded as (

    select
        weighted.tool,
        weighted.error_code,
        weighted.declared_class,
        commonest.violation,
        weighted.n,
        weighted.k,
        weighted.rate,
        score_lower(weighted.rate, weighted.effective_n, weighted.z) as rate_lower,
        score_upper(weighted.rate, weighted.effective_n, weighted.z) as rate_upper,
        weighted.recovered_count,
        weighted.recovered_rate,
        score_lower(weighted.recovered_rate, weighted.recovered_n, weighted.recovered_z) as recovered_lower,
        score_upper(weighted.recovered_rate, weighted.recovered_n, weighted.recovered_z) as recovered_upper,
        coalesce(commonest.violation_count, 0) as violation_count,
        coalesce(commonest.against_advice_count, 0) as against_advice_count,
        weighted.sessions,
        coalesce(commonest.evidence, []) as violation_evidence,
        coalesce(obeyed.evidence, []) as obeyed_evidence

    from weighted

    left join commonest
        on commonest.tool = weighted.tool
        and commonest.error_code = weighted.error_code
        and commonest.declared_class = weighted.declared_class

    left join obeyed
        on obeyed.tool = weighted.tool
        and obeyed.error_code = weighted.error_code
        and obeyed.declared_class = weighted.declared_class

)

select
    ---------- ids
    tool,
    error_code,
    declared_class,
    ---------- strings
    violation,
    ---------- numbers
    n as decision_count,
    k as compliant_count,
    rate as compliant_rate,
    rate_lower,
    rate_upper,
    recovered_count,
    recovered_rate,
    recovered_lower,
    recovered_upper,
    violation_count,
    against_advice_count,
    sessions as session_count,
    ---------- evidence: attempts, at most ten; those that did as told and did not recover in front
    violation_evidence,
    obeyed_evidence,
    ---------- booleans
    coalesce(rate_upper < 0.5, false) as is_disobeyed,
    declared_class != 'terminal' and coalesce(recovered_upper < 0.5, false) as is_leading_nowhere,
    coalesce(rate_upper < 0.5, false) or (declared_class != 'terminal' and coalesce(recovered_upper < 0.5, false)) as is_flagged

from bounded
