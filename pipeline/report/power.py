"""How many sessions it takes to see a change of one code."""

from typing import TYPE_CHECKING, Any

from pipeline.errors import RecoupError
from pipeline.report.escape import escape
from pipeline.report.plain import plain
from pipeline.statistics.differences import sessions_for_difference
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = """
select
    trials.tool,
    count(distinct trials.session_id) as session_count,
    count(*) filter (where trials.is_first_success) as success_count,
    count(*) as trial_count,
    min(sessions.started_at) as first_at,
    max(sessions.started_at) as last_at
from core.retry_chains as trials
inner join marts.session_summaries as sessions on sessions.session_id = trials.session_id
where trials.error_code = $code and trials.tool = coalesce($tool, trials.tool)
group by trials.tool
order by trial_count desc, trials.tool
"""
_WEEK_SECONDS = 7 * 24 * 3600


def sample_size(
    connection: "duckdb.DuckDBPyConnection",
    code: str,
    *,
    effect: float,
    tool: str | None = None,
    power: float = 0.8,
) -> dict[str, Any]:
    """Return the sessions with a fair reissue of a code, a side, that show its success to change by `effect`.

    Args:
        connection: A store whose models are built.
        code: The error code.
        effect: The change to see, 0..1; down where the rate has no room above.
        tool: The tool whose code it is; None for the one that emitted it most.
        power: Chance to see the change, 0..1.

    Raises:
        RecoupError: SUBJECT_NOT_FOUND where the store holds no fair reissue of it; ARGUMENT_INVALID for an effect or a
            power outside 0..1, both excluded, or an effect that the rate has no room for.
    """
    if not (0 < effect < 1 and 0 < power < 1):
        raise RecoupError("ARGUMENT_INVALID", f"effect {effect:g} and power {power:g} lie between 0 and 1")
    held = records(connection, _QUERY, {"code": code, "tool": tool})
    if not held:
        raise RecoupError("SUBJECT_NOT_FOUND", f"no fair reissue of {code!r}", context={"code": code, "tool": tool})
    row = held[0]
    rate = row["success_count"] / row["trial_count"]
    other = rate + effect if rate + effect <= 1 else rate - effect
    if other < 0:
        raise RecoupError("ARGUMENT_INVALID", f"a rate of {rate:.2f} has no room for a change of {effect:g}")
    needed = sessions_for_difference(rate, other, power=power)
    spent = (row["last_at"] - row["first_at"]).total_seconds() if row["first_at"] and row["last_at"] else 0.0
    pace = row["trial_count"] / spent * _WEEK_SECONDS if spent > 0 and row["trial_count"] > 1 else None
    found: dict[str, Any] = plain(
        {
            "tool": row["tool"],
            "error_code": code,
            "k": row["success_count"],
            "n": row["trial_count"],
            "rate": rate,
            "other_rate": other,
            "effect": effect,
            "power": power,
            "sessions_needed": needed,
            "sessions_a_week": pace,
            "weeks_needed": needed / pace if pace else None,
        }
    )
    return found


def to_text(found: dict[str, Any]) -> str:
    """Return a sample size for people."""
    lines = [
        f"{escape(found['error_code'])} of {escape(found['tool'])}: {found['k']:,} of {found['n']:,} first fair "
        f"reissues worked ({100 * found['rate']:.0f} %)",
        f"To see {100 * found['other_rate']:.0f} % instead, with a chance of {100 * found['power']:.0f} %: "
        f"{found['sessions_needed']:,} sessions with a fair reissue, on each side",
    ]
    if found["weeks_needed"] is not None:
        pace = f"{found['sessions_a_week']:.1f} such sessions a week"
        lines.append(f"At the pace so far ({pace}) about {found['weeks_needed']:.1f} weeks a side")
    return "\n".join(lines) + "\n"
