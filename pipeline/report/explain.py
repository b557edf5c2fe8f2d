"""The evidence for one error code, one episode or one finding, attempt by attempt."""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.words import counted
from pipeline.errors import RecoupError
from pipeline.report.explain_finding import finding_lines, named
from pipeline.report.explain_text import attempt_lines, code_lines, episode_lines
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

    from pipeline.parameters import Parameters

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
_EVIDENCE = """
select asked.id, episodes.*
from (select unnest($ids)::varchar as id, generate_subscripts($ids, 1) as place) as asked
left join core.episode_attempts as members on members.attempt_id = asked.id
left join core.episodes as episodes on episodes.episode_id in (members.episode_id, asked.id)
qualify row_number() over (partition by coalesce(episodes.episode_id, asked.id) order by asked.place) = 1
order by asked.place
limit $limit
"""
_STEPS = """
with
members as (
    select attempt_id, 'attempt' as role, null as verdict from core.episode_attempts where episode_id = $episode
    union all
    select attempt_id, 'attempt', null from core.attempts where attempt_id = $alone
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
_KINDS = ("error code", "episode id or its start", "finding id or its start")
_KNOWN = "select distinct error_code from core.legs where error_code is not null order by error_code limit 30"


def explanation(
    connection: "duckdb.DuckDBPyConnection",
    subject: str,
    *,
    parameters: "Parameters | None" = None,
    tool: str | None = None,
    limit: int = 5,
) -> dict[str, Any]:
    """Return what is known of a code, an episode or a finding.

    Args:
        connection: A store whose models are built.
        subject: An error code, an episode's id or the start of one, or a finding's id or the start of only one.
        parameters: The values that the models were built with; without them no finding is looked for.
        tool: Only this tool's.
        limit: Episodes to return: those that did not recover first, then the longest, then the latest; of a finding
            its evidence, in its order.

    Returns:
        `findings`, at most one, as `explain_finding.named` returns it; `codes`, rows as `marts.error_codes`, for a code
        only; `episodes`, rows as `core.episodes`, each with `steps`: its attempts and the fixes run between them, in
        order; `attempts`, the evidence of a finding that is part of no episode, each as a step. Text of logs is raw.

    Raises:
        RecoupError: SUBJECT_NOT_FOUND.
    """
    asked = {"subject": subject, "tool": tool}
    codes = records(connection, _CODES, asked)
    episodes = records(connection, _EPISODES_OF_CODE if codes else _EPISODES, asked | {"limit": limit})
    found: dict[str, Any] = {"subject": subject, "findings": [], "codes": codes, "episodes": episodes, "attempts": []}
    if not (codes or episodes):
        finding = named(connection, parameters, subject, tool=tool) if parameters and subject else None
        if finding is None:
            raise _unknown(connection, subject, tool)
        found |= {"findings": [finding]} | _evidence(connection, finding["evidence"], limit)
    for episode in found["episodes"]:
        episode["steps"] = records(connection, _STEPS, {"episode": episode["episode_id"], "alone": None})
    return found


def _evidence(connection: "duckdb.DuckDBPyConnection", ids: list[str], limit: int) -> dict[str, Any]:
    """Return the episodes that ids of attempts or episodes lead to, and the attempts that are part of none."""
    rows = records(connection, _EVIDENCE, {"ids": ids, "limit": limit})
    alone = [row["id"] for row in rows if row["episode_id"] is None]
    episodes = [{name: row[name] for name in row if name != "id"} for row in rows if row["episode_id"] is not None]
    steps = [records(connection, _STEPS, {"episode": None, "alone": id}) for id in alone]
    return {"episodes": episodes, "attempts": [step for found in steps for step in found if step["role"] == "attempt"]}


def _unknown(connection: "duckdb.DuckDBPyConnection", subject: str, tool: str | None) -> RecoupError:
    known = [code for (code,) in connection.execute(_KNOWN).fetchall()]
    of_tool = "" if tool is None else f" of the tool {tool}"
    return RecoupError(
        "SUBJECT_NOT_FOUND",
        f"no error code, episode or finding{of_tool} is named {subject}",
        context={"subject": subject, "tool": tool, "accepted": list(_KINDS), "known_codes": known},
    )


def to_text(found: dict[str, Any]) -> str:
    """Return an explanation for people; text of logs in it is made harmless."""
    blocks = [finding_lines(finding) for finding in found["findings"]]
    blocks += [code_lines(code) for code in found["codes"]]
    blocks += [episode_lines(episode) for episode in found["episodes"]]
    blocks += [attempt_lines(attempt) for attempt in found["attempts"]]
    told = sum(code["episode_count"] for code in found["codes"]) - len(found["episodes"])
    if found["codes"] and told > 0:
        blocks.append([f"{told:,} more episodes: `--limit` shows more, `--tool` fewer"])
    for finding in found["findings"]:
        blocks += _sampled(finding, len(found["episodes"]) + len(found["attempts"]))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _sampled(finding: dict[str, Any], shown: int) -> list[list[str]]:
    """Return the line that says how much of the evidence stands above; nothing where a finding names none."""
    kept = len(finding["evidence"])
    more = "; `--limit` shows more" if shown < kept else ""
    return (
        [[f"evidence: {counted(shown, 'case')} of the {counted(kept, 'id')} that the finding names{more}"]]
        if kept
        else []
    )
