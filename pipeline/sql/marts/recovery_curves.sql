-- One row per tool, code, class, clock and time with an event: the share recovered by then (Aalen-Johansen).
-- Key: (tool, error_code, declared_class, clock, time). Clock `calls`: further calls; `ms`: milliseconds. The value holds
-- from `time` up to the next row. Statistics 5.
select
    ---------- ids
    tool,
    error_code,
    declared_class,
    clock,
    ---------- numbers
    time,
    at_risk_count,
    recovered_count,
    lost_count,
    incidence,
    variance

from core.recovery_points
