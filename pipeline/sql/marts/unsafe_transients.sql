-- One row per tool and code declared retryable whose reissue met its own effect: one is a finding (definitions 6).
-- Key: (tool, error_code).
select
    ---------- ids
    legs.tool,
    legs.error_code,
    ---------- numbers
    count(*) as leg_count,
    count(*) filter (where legs.outcome = 'unsafe') as unsafe_count,
    count(distinct case when legs.outcome = 'unsafe' then legs.session_id end) as session_count,
    wilson_lower(count(*) filter (where legs.outcome = 'unsafe'), count(*)) as rate_lower,
    wilson_upper(count(*) filter (where legs.outcome = 'unsafe'), count(*)) as rate_upper,
    ---------- evidence: episodes, at most ten
    arg_min(legs.episode_id, (legs.session_id, legs.episode_id), 10) filter (where legs.outcome = 'unsafe') as evidence,
    ---------- booleans
    true as is_flagged

from core.legs as legs

where legs.declared_class = 'transient' and legs.error_code is not null

group by legs.tool, legs.error_code

having count(*) filter (where legs.outcome = 'unsafe') > 0
