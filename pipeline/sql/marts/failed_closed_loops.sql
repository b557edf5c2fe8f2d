-- One row per tool, code and fix command that was ever run: does the fix clear the failure? (REQ-C-030, definitions 7)
-- Key: (tool, error_code, fix_command).
with

loops as (

    select
        tool,
        error_code,
        fix_command,
        session_id,
        verdict,
        failed_attempt_id,
        (verdict in ('closed', 'advanced', 'failed'))::integer as m,
        (verdict = 'failed')::integer as y

    from core.closed_loops

    where error_code is not null

),

per_session as (

    select
        tool,
        error_code,
        fix_command,
        session_id,
        sum(m) as m,
        sum(y) as y

    from loops

    group by tool, error_code, fix_command, session_id

),

sums as (

    select
        tool,
        error_code,
        fix_command,
        sum(m)::bigint as trial_count,
        sum(y)::bigint as failed_count,
        count(*) filter (where m > 0) as session_count,
        sum(y * y)::bigint as yy,
        sum(y * m)::bigint as ym,
        sum(m * m)::bigint as mm

    from per_session

    group by tool, error_code, fix_command

),

counted as (

    select
        tool,
        error_code,
        fix_command,
        count(*) filter (where verdict = 'closed') as closed_count,
        count(*) filter (where verdict = 'advanced') as advanced_count,
        count(*) filter (where verdict = 'open') as open_count,
        count(*) filter (where verdict = 'stale') as stale_count,
        count(*) filter (where verdict = 'indeterminate') as indeterminate_count,
        count(*) filter (where verdict = 'fix_failed') as fix_failed_count,
        count(*) filter (where verdict = 'fix_unrunnable') as fix_unrunnable_count,
        count(*) filter (where verdict = 'self_referential') as self_referential_count,
        arg_min(failed_attempt_id, ((verdict != 'failed')::integer, session_id, failed_attempt_id), 10) as evidence

    from loops

    group by tool, error_code, fix_command

)

select
    ---------- ids
    sums.tool,
    sums.error_code,
    sums.fix_command,
    ---------- numbers
    sums.trial_count,
    sums.failed_count,
    sums.session_count,
    sums.failed_count / nullif(sums.trial_count, 0)::double as failed_rate,
    score_lower(
        sums.failed_count / nullif(sums.trial_count, 0)::double,
        cluster_trials(sums.failed_count, sums.trial_count, sums.session_count, sums.yy, sums.ym, sums.mm),
        cluster_z(sums.trial_count, sums.session_count, sums.mm, quantiles.t)
    ) as rate_lower,
    score_upper(
        sums.failed_count / nullif(sums.trial_count, 0)::double,
        cluster_trials(sums.failed_count, sums.trial_count, sums.session_count, sums.yy, sums.ym, sums.mm),
        cluster_z(sums.trial_count, sums.session_count, sums.mm, quantiles.t)
    ) as rate_upper,
    counted.closed_count,
    counted.advanced_count,
    counted.open_count,
    counted.stale_count,
    counted.indeterminate_count,
    counted.fix_failed_count,
    counted.fix_unrunnable_count,
    counted.self_referential_count,
    ---------- evidence: the attempts that declared the fix, failed loops first, at most ten
    counted.evidence,
    ---------- booleans
    sums.failed_count > 0 or counted.fix_failed_count > 0 or counted.fix_unrunnable_count > 0 as is_flagged

from sums

inner join counted
    on counted.tool = sums.tool
    and counted.error_code = sums.error_code
    and counted.fix_command = sums.fix_command

left join meta.t_quantiles as quantiles on quantiles.df = sums.session_count - 1
