"""The evidence for one error code or one episode, attempt by attempt."""

from typing import TYPE_CHECKING, Any

from pipeline.errors import RecoupError
from pipeline.report.explain_text import code_lines, episode_lines
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_CODES = """
select * from marts.error_codes
where error_code = $subject and tool = coalesce($tool, tool)
order by occurrence_count desc, tool, declared_class
"""
_EPISODES_OF_CODE = """
select episodes.* from core.episodes as episodes
semi join (select episode_id from core.legs where error_code = $subject) as legs using (episode_id)
where episodes.tool = coalesce($tool, episodes.tool)
order by episodes.is_recovered, episodes.attempt_count desc, episodes.started_at desc, episodes.episode_id
limit $limit
"""
_EPISODES = """
select * from core.episodes
where starts_with(episode_id, $subject) and tool = coalesce($tool, tool)
order by episode_id
limit $limit
"""
_STEPS = """
with
members as (
    select attempt_id, 'attempt' as role, null as verdict from core.episode_attempts where episode_id = $episode
),
fixes as (
    select loops.fix_attempt_id as attempt_id, 'fix' as role, min(loops.verdict) as verdict
    from core.closed_loops as loops semi join members on members.attempt_id = loops.failed_attempt_id
    where loops.fix_attempt_id not in (select attempt_id from members)
    group by loops.fix_attempt_id
)
select
    steps.role, steps.verdict, attempts.attempt_id, attempts.attempt_number, attempts.turn_number,
    attempts.tool, attempts.operation, coalesce(attempts.command, attempts.arguments) as asked,
    attempts.status, attempts.exit_code, attempts.error_code, attempts.declared_class, attempts.retryable,
    attempts.retry_after_ms, attempts.fix_required, attempts.fix_command, attempts.message, attempts.flags,
    attempts.started_at, attempts.ended_at, attempts.path, attempts.position,
    reissues.kind as reissue_kind, reissues.is_fair, reissues.is_early, reissues.delay_ms
from (from members union all from fixes) as steps
inner join core.attempts as attempts using (attempt_id)
left join core.reissues as reissues on reissues.reissue_id = steps.attempt_id
order by attempts.attempt_number, steps.role
"""
_KNOWN = "select distinct error_code from core.legs where error_code is not null order by error_code limit 30"


def explanation(
    connection: "duckdb.DuckDBPyConnection", subject: str, *, tool: str | None = None, limit: int = 5
) -> dict[str, Any]:
    """Return what is known of a code or an episode.

    Args:
        connection: A store whose models are built.
        subject: An error code, or an episode's id or the start of one.
        tool: Only this tool's.
        limit: Episodes to return: those that did not recover first, then the longest, then the latest.

    Returns:
        `codes`, rows as `marts.error_codes`, empty for an episode; `episodes`, rows as `core.episodes`, each with
        `steps`: its attempts and the fixes run between them, in order. Text of logs is raw.

    Raises:
        RecoupError: SUBJECT_NOT_FOUND.
    """
    asked = {"subject": subject, "tool": tool}
    codes = records(connection, _CODES, asked)
    episodes = records(connection, _EPISODES_OF_CODE if codes else _EPISODES, asked | {"limit": limit})
    if not (codes or episodes):
        known = [code for (code,) in connection.execute(_KNOWN).fetchall()]
        of_tool = "" if tool is None else f" of the tool {tool}"
        raise RecoupError(
            "SUBJECT_NOT_FOUND",
            f"no error code or episode{of_tool} is named {subject}",
            context={"subject": subject, "tool": tool, "known_codes": known},
        )
    for episode in episodes:
        episode["steps"] = records(connection, _STEPS, {"episode": episode["episode_id"]})
    return {"subject": subject, "codes": codes, "episodes": episodes}


def to_text(found: dict[str, Any]) -> str:
    """Return an explanation for people; text of logs in it is made harmless."""
    blocks = [code_lines(code) for code in found["codes"]]
    blocks += [episode_lines(episode) for episode in found["episodes"]]
    told = sum(code["episode_count"] for code in found["codes"]) - len(found["episodes"])
    if told > 0:
        blocks.append([f"{told:,} more episodes: `--limit` shows more, `--tool` fewer"])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"
