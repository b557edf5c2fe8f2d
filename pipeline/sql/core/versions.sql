-- One row per attempt: the version of its tool, stated or carried over. Internal.
-- Key: attempt_id.
-- A version is what the tool last stated in the session, or states next where it has stated none yet.
select
    attempt_id,
    coalesce(
        last_value(tool_version ignore nulls) over (
            partition by session_id, tool order by attempt_number rows unbounded preceding
        ),
        first_value(tool_version ignore nulls) over (
            partition by session_id, tool order by attempt_number rows between 1 following and unbounded following
        )
    ) as tool_version

from core.attempts
