-- One row per session, code, class and version of the tool: the first fair reissue. Internal evidence of
-- `marts.live_monitor`: counts start anew with each version (statistics 4).
-- Key: (session_id, tool, error_code, declared_class, tool_version).
select
    ---------- ids
    attempts.session_id,
    attempts.tool,
    attempts.error_code,
    attempts.declared_class,
    coalesce(versions.tool_version, '') as tool_version,
    members.episode_id,
    ---------- numbers
    attempts.order_ns,
    ---------- booleans
    reissues.is_success

from core.reissues as reissues

inner join core.attempts as attempts on attempts.attempt_id = reissues.attempt_id

inner join core.episode_attempts as members on members.attempt_id = attempts.attempt_id

inner join core.versions as versions on versions.attempt_id = attempts.attempt_id

where
    reissues.is_fair
    and attempts.code_source = 'envelope'
    and attempts.declared_class in ('transient', 'correctable', 'terminal')

qualify row_number() over (
    partition by attempts.session_id, attempts.tool, attempts.error_code, attempts.declared_class,
        coalesce(versions.tool_version, '')
    order by attempts.attempt_number
) = 1
