-- One row per tool, code and class: what share recovers within three further calls, and within five minutes.
-- Key: (tool, error_code, declared_class). A trial is a session's first episode of the code. Statistics 5.
-- Beside each rate stand the bounds that assume nothing about logs that stop: all of them lost, all of them recovered.
select
    ---------- ids
    tool,
    error_code,
    declared_class,
    ---------- numbers
    max(case when clock = 'calls' then episode_count end) as episode_count,
    max(case when clock = 'calls' then censored_count end) as calls_censored_count,
    max(case when clock = 'calls' then horizon end) as calls_horizon,
    max(case when clock = 'calls' then recovered_count end) as calls_recovered_count,
    max(case when clock = 'calls' then recovered_rate end) as calls_rate,
    max(case when clock = 'calls' then rate_lower end) as calls_lower,
    max(case when clock = 'calls' then rate_upper end) as calls_upper,
    max(case when clock = 'calls' then if_censored_lost end) as calls_if_censored_lost,
    max(case when clock = 'calls' then if_censored_recovered end) as calls_if_censored_recovered,
    max(case when clock = 'ms' then episode_count end) as timed_count,
    max(case when clock = 'ms' then censored_count end) as time_censored_count,
    max(case when clock = 'ms' then horizon end) as time_horizon_ms,
    max(case when clock = 'ms' then recovered_count end) as time_recovered_count,
    max(case when clock = 'ms' then recovered_rate end) as time_rate,
    max(case when clock = 'ms' then rate_lower end) as time_lower,
    max(case when clock = 'ms' then rate_upper end) as time_upper,
    max(case when clock = 'ms' then if_censored_lost end) as time_if_censored_lost,
    max(case when clock = 'ms' then if_censored_recovered end) as time_if_censored_recovered

from core.recovery_fits

group by tool, error_code, declared_class
