"""The attempts behind findings, sampled: a page shows a few cases of each, and says of how many."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.report.plain import plain
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

CASES = {"breach": 3, "warning": 3, "info": 1}
"""Cases shown of one finding, by its severity."""
STEPS = 10
"""Calls shown of one case: the first and the last ones."""
FINDINGS = 80
"""Findings with evidence, from the front."""

_EPISODES = """
with asked as (select unnest($ids)::varchar as asked_id)
select asked.asked_id, min(members.episode_id) as episode_id
from asked
left join core.episode_attempts as members
    on members.attempt_id = asked.asked_id or members.episode_id = asked.asked_id
group by asked.asked_id
"""
_STEPS = """
with
members as (
    select chosen.episode_id, members.attempt_id
    from (select unnest($ids)::varchar as episode_id) as chosen
    inner join core.episode_attempts as members using (episode_id)
),
fixes as (
    select distinct members.episode_id, loops.fix_attempt_id as attempt_id
    from members
    inner join core.closed_loops as loops on loops.failed_attempt_id = members.attempt_id
    anti join members as known on known.episode_id = members.episode_id and known.attempt_id = loops.fix_attempt_id
),
-- evidence that is part of no episode stands alone
alone as (
    select attempt_id as episode_id, attempt_id from core.attempts where list_contains($alone, attempt_id)
),
told as (
    select *, false as is_fix from members union all select *, true from fixes union all select *, false from alone
)
select
    told.episode_id, told.is_fix, told.attempt_id, attempts.session_id, attempts.agent_name, attempts.true_ok,
    left(coalesce(attempts.command, attempts.arguments, attempts.tool_name), 300) as asked,
    attempts.status, attempts.exit_code, attempts.error_code, left(attempts.message, 300) as message,
    attempts.retryable, attempts.retry_after_ms, left(attempts.fix_command, 300) as fix_command,
    attempts.started_at, attempts.started_ms, attempts.duration_ms,
    reissues.kind as reissue_kind, reissues.is_fair, reissues.is_early, reissues.delay_ms, episodes.outcome
from told
inner join core.attempts as attempts using (attempt_id)
left join core.reissues as reissues on reissues.reissue_id = told.attempt_id
left join core.episodes as episodes on episodes.episode_id = told.episode_id
qualify row_number() over (partition by told.episode_id, told.attempt_id order by reissues.delay_ms) = 1
order by told.episode_id, attempts.attempt_number
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One episode, or one attempt outside of any. Text of logs in it is raw, cut to 300 characters."""

    id: str
    steps: tuple[dict[str, Any], ...]
    left_out: int
    """Calls in the middle that are not among `steps`; they stand after the first half."""


def evidence(
    connection: "duckdb.DuckDBPyConnection", findings: Sequence[dict[str, Any]]
) -> dict[str, tuple[Case, ...]]:
    """Return a few cases by the id of the finding: `CASES` each, of the first `FINDINGS` findings.

    Args:
        connection: The store that the findings come from, its models built.
        findings: Those of the report, in its order.
    """
    wanted = {one["id"]: one["evidence"] for one in findings[:FINDINGS] if one["evidence"]}
    asked = sorted({id for ids in wanted.values() for id in ids})
    episodes = {
        row["asked_id"]: row["episode_id"] or row["asked_id"] for row in records(connection, _EPISODES, {"ids": asked})
    }
    kept = {
        one["id"]: _first(dict.fromkeys(episodes[id] for id in wanted[one["id"]]), CASES[one["severity"]])
        for one in findings[:FINDINGS]
        if one["id"] in wanted
    }
    steps = _steps(connection, {id for ids in kept.values() for id in ids})
    return {finding: tuple(_case(id, steps[id]) for id in ids if id in steps) for finding, ids in kept.items()}


def _first(ids: Iterable[str], count: int) -> list[str]:
    return list(ids)[:count]


def _steps(connection: "duckdb.DuckDBPyConnection", ids: set[str]) -> dict[str, list[dict[str, Any]]]:
    rows = plain(records(connection, _STEPS, {"ids": sorted(ids), "alone": sorted(ids)}))
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        seen = found.setdefault(row["episode_id"], [])
        if all(step["attempt_id"] != row["attempt_id"] for step in seen[-STEPS:]):
            seen.append(row)
    return found


def _case(id: str, steps: list[dict[str, Any]]) -> Case:
    left_out = max(len(steps) - STEPS, 0)
    half = STEPS // 2
    return Case(id, tuple(steps[:half] + steps[-half:] if left_out else steps), left_out)
