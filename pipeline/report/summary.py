"""The report's `summary`: one tool, or all tools, in a few numbers; each rate names its weighting."""

from typing import TYPE_CHECKING, Any

from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

OUTCOMES = (
    "recovered_after_fix",
    "recovered_changed",
    "recovered_after_other",
    "recovered_unchanged",
    "escalated",
    "unresolved",
    "abandoned",
    "censored",
)

_RATES = {
    "error_rate": ("error", "attempt"),
    "error_rate_by_session": ("error", "session"),
    "attempt_success": ("attempt_success", "attempt"),
    "first_attempt_success": ("first_attempt_success", "operation"),
    "final_success": ("final_success", "operation"),
    "recovery_rate": ("recovery", "episode"),
    "recovery_rate_by_session": ("recovery", "session"),
}
"""Rates of the summary: which row of `marts.rates` each one is."""

_RUNGS = {
    "code": "with_code_count",
    "retryable": "with_retryable_count",
    "retry_after_ms": "with_retry_after_count",
    "fix_required": "with_fix_required_count",
    "fix_command": "with_fix_command_count",
}


def summary(connection: "duckdb.DuckDBPyConnection", tool: str | None) -> dict[str, Any]:
    """Return the summary of one tool's attempts, or with None of all."""
    totals = _one(connection, "marts.totals", tool)
    outcomes = {row["outcome"]: row["episode_count"] for row in _of(connection, "marts.episode_outcomes", tool)}
    return {
        "sessions": totals.get("session_count", 0),
        "agents": totals.get("agent_count", 0),
        "actors": totals.get("actor_count", 0),
        "attempts": totals.get("attempt_count", 0),
        "errors": totals.get("error_count", 0),
        "suspected": totals.get("suspected_count", 0),
        **_rates(connection, tool, censored=outcomes.get("censored", 0)),
        "episodes": sum(outcomes.values()),
        "outcomes": {outcome: outcomes.get(outcome, 0) for outcome in OUTCOMES},
        "maturity": _maturity(connection, tool),
        "rei": _efficiency(_one(connection, "marts.recovery_efficiency", tool)),
        "compliance": _compliance(_one(connection, "marts.compliance_totals", tool)),
        "waste": {unit: totals.get(f"wasted_{unit}", 0) for unit in ("ms", "tokens", "calls")},
    }


def _rates(connection: "duckdb.DuckDBPyConnection", tool: str | None, *, censored: int) -> dict[str, Any]:
    held = {(row["measure"], row["weighting"]): row for row in _of(connection, "marts.rates", tool)}
    rates = {name: _rate(held.get(key, {}), key[1]) for name, key in _RATES.items()}
    recovery = rates["recovery_rate"]
    k, episodes = recovery["k"], recovery["n"] + censored
    recovery["if_censored_lost"] = k / episodes if episodes else None
    recovery["if_censored_recovered"] = (k + censored) / episodes if episodes else None
    return rates


def _rate(row: dict[str, Any], weighting: str) -> dict[str, Any]:
    return {
        "k": row.get("k", 0),
        "n": row.get("n", 0),
        "value": row.get("value"),
        "lower": row.get("rate_lower"),
        "upper": row.get("rate_upper"),
        "sessions": row.get("session_count", 0),
        "weighting": weighting,
    }


def _maturity(connection: "duckdb.DuckDBPyConnection", tool: str | None) -> dict[str, Any]:
    """Return the mean over all failures, coded or not, how many carry each rung, and each tool's level."""
    scores = records(connection, "select * from marts.maturity_scores order by occurrence_count desc, tool")
    tools = [row for row in scores if tool is None or row["tool"] == tool]
    occurrences = sum(row["occurrence_count"] for row in tools)
    points = sum(level * row[f"score_{level}_count"] for row in tools for level in (1, 2, 3))
    return {
        "mean": points / occurrences if occurrences else None,
        "occurrences": occurrences,
        "rungs": {rung: sum(row[column] for row in tools) for rung, column in _RUNGS.items()},
        "tools": tools,
    }


def _compliance(row: dict[str, Any]) -> dict[str, Any]:
    """Return the share of decisions that took the prescribed way, under both budgets."""
    return {
        budget: {
            "k": row.get(f"{budget}_count", 0),
            "n": row.get("decision_count", 0),
            "value": row.get(f"{budget}_rate"),
            "lower": row.get(f"{budget}_lower"),
            "upper": row.get(f"{budget}_upper"),
            "sessions": row.get("session_count", 0),
            "weighting": "decision",
        }
        for budget in ("strict", "lenient")
    }


def _efficiency(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "value": row.get("recovery_index"),
        "re": row.get("recovery_efficiency"),
        "se": row.get("stop_efficiency"),
        "n_re": row.get("recoverable_count", 0),
        "n_se": row.get("terminal_count", 0),
        "legs": row.get("leg_count", 0),
        "terminal_share": row.get("terminal_share"),
        "censored_share": row.get("censored_share"),
        "against_advice": row.get("against_advice_count", 0),
    }


def _of(connection: "duckdb.DuckDBPyConnection", mart: str, tool: str | None) -> list[dict[str, Any]]:
    """Return a mart's rows of one tool, or with None its rows over all tools."""
    held = records(connection, f"select * from {mart} order by all")
    return [row for row in held if (row["is_total"] if tool is None else not row["is_total"] and row["tool"] == tool)]


def _one(connection: "duckdb.DuckDBPyConnection", mart: str, tool: str | None) -> dict[str, Any]:
    return next(iter(_of(connection, mart, tool)), {})
