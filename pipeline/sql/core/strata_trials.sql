-- One row per session, code and way of trying again: how it went, and under which conditions. Internal evidence of
-- `marts.strata`.
-- Key: (session_id, tool, error_code, kind). Statistics 8. Conditions are the model, the version of the tool and the
-- operation: what may decide both the way and its success.
select
    ---------- ids
    attempts.session_id,
    attempts.tool,
    attempts.error_code,
    members.episode_id,
    ---------- strings
    reissues.kind,
    attempts.model,
    attempts.tool_version,
    attempts.operation,
    ---------- booleans
    reissues.is_success

from core.reissues as reissues

inner join core.attempts as attempts on attempts.attempt_id = reissues.attempt_id

inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

where
    reissues.kind in ('unchanged', 'changed', 'after_fix', 'after_other')
    and not reissues.is_early
    and not list_contains(reissues.flags, 'late')
    and attempts.status = 'error'
    and attempts.code_source = 'envelope'

qualify row_number() over (
    partition by attempts.session_id, attempts.tool, attempts.error_code, reissues.kind order by attempts.attempt_number
) = 1
