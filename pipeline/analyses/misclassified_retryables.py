"""Errors whose `retryable` is contradicted by what happened when agents repeated the call.

What it measures: of the first fair reissue in each session (identical call, nothing in between, the declared wait
honoured), how many worked; judged per tool, code and class against the indifference zone.

Why it matters: `retryable:true` on a permanent failure teaches an agent to loop, `retryable:false` on a passing one to
give up work that would have succeeded.

How to act: change `retryable` of that code, or split the code where it covers both kinds of failure.

Source: REQ-C-014; definitions 6, statistics 1 and 2.
"""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.finding import Analysis, Finding, Proposal, Severity
from pipeline.analyses.words import between, counted, cut, identity, of
from pipeline.parameters import Parameters
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_QUERY = """
select found.*, coalesce(codes.wasted_calls, 0) as wasted_calls from marts.misclassified_retryables as found
left join marts.error_codes as codes using (tool, error_code, declared_class)
where found.verdict != 'undeclared' or found.estimated_class is not null
order by found.tool, found.error_code, found.declared_class
"""


def find(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> list[Finding]:
    """Return one finding per code and class that was fairly reissued."""
    return [_finding(row, parameters) for row in records(connection, _QUERY)]


def _finding(row: dict[str, Any], parameters: Parameters) -> Finding:
    severity: Severity = "breach" if row["verdict"] == "contradicted" else "info"
    sentence, proposal = _words(row, parameters)
    return Finding(
        id=identity(ANALYSIS.name, row["tool"], row["error_code"], row["declared_class"]),
        analysis=ANALYSIS.name,
        severity=severity,
        verdict="watch" if row["verdict"] == "undeclared" else row["verdict"],
        tool=row["tool"],
        error_code=row["error_code"],
        k=row["success_count"],
        n=row["trial_count"],
        lower=row["rate_lower"],
        upper=row["rate_upper"],
        sentence=sentence,
        evidence=row["evidence"],
        proposal=proposal,
        weight=row["wasted_calls"],
    )


def _words(row: dict[str, Any], parameters: Parameters) -> tuple[str, Proposal | None]:
    """Return the sentence, and the change it asks for."""
    code, is_transient = cut(row["error_code"]), row["declared_class"] == "transient"
    told = of(row["success_count"], row["trial_count"], "fair reissue")
    told += " (first of each session)" if row["verdict"] in ("contradicted", "supported") else ""
    told += f" worked ({between(row['rate_lower'], row['rate_upper'])})"
    declared = f"{code} says retryable:{str(is_transient).lower()}"
    match row["verdict"]:
        case "contradicted" if is_transient:
            sentence = f"{declared}, but {told}; an agent that obeys loops. Declare retryable:false."
            return sentence, Proposal("retryable", value=False)
        case "contradicted":
            sentence = f"{declared}, yet {told}; an agent that obeys gives up. Declare retryable:true and a wait."
            return sentence, Proposal("retryable", value=True)
        case "supported":
            return f"{declared}, and it is so: {told}.", None
        case "watch":
            return f"{declared}; {told}. Not decided: it takes {_missing(row, parameters)}.", None
        case "insufficient":
            more = counted(row["trials_needed"], "more session")
            return f"{declared}; {told} so far. No verdict yet: up to {more} needed.", None
        case _:
            is_passing = row["estimated_class"] == "transient"
            sentence = f"{code} does not say whether repeating helps; {told}, as {row['estimated_class']} errors do."
            return f"{sentence} Declare retryable:{str(is_passing).lower()}.", Proposal("retryable", value=is_passing)


def _missing(row: dict[str, Any], parameters: Parameters) -> str:
    """Return what a row to watch lacks for a verdict."""
    if row["declared_class"] == "transient":
        return f"up to {counted(row['trials_needed'], 'more session')}"
    sessions = parameters.false_permanent_successes - row["success_session_count"]
    wanted = [f"{counted(sessions, 'more session')} in which it works"] if sessions > 0 else []
    if row["success_actor_count"] < parameters.false_permanent_actors:
        wanted.append("another agent that sees it work")
    if not wanted:
        wanted.append("more of them to work than now" if row["rate_lower"] < parameters.tau_high else "more sessions")
    return " and ".join(wanted)


ANALYSIS = Analysis(
    "misclassified_retryables",
    "Does repeating the call help where the error says so, and only there?",
    "marts.misclassified_retryables",
    find,
)
