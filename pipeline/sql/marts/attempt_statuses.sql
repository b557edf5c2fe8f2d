-- One row per status, reason and evidence: what became of every call, the ones that say nothing about tools included.
-- Key: (status, reason, evidence). Definitions 1.
select
    status,
    reason,
    evidence,
    count(*) as attempt_count,
    sum(copies)::bigint as call_count,
    count(distinct session_id) as session_count

from core.attempts

group by status, reason, evidence
