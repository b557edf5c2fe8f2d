"""What is proven against an error's declaration, however often somebody looks."""

from typing import TYPE_CHECKING, Any

from pipeline.analyses.words import counted, cut, of, percent
from pipeline.report.escape import escape
from pipeline.report.plain import plain
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_ALARMS = """
select * from marts.live_monitor where is_alarm and tool = coalesce($tool, tool)
order by log_e desc, tool, error_code, declared_class
"""
_WATCHED = """
select count(*) as code_count, coalesce(sum(trial_count), 0)::bigint as trial_count
from marts.live_monitor where is_current and tool = coalesce($tool, tool)
"""


def watched(connection: "duckdb.DuckDBPyConnection", *, tool: str | None = None) -> dict[str, Any]:
    """Return the alarms of the current tool versions and how much was watched, as JSON values.

    An alarm holds at every look together, over all codes (e-BH at 5 %); counts start anew with each version of a tool.
    Source: statistics 4.
    """
    [counts] = records(connection, _WATCHED, {"tool": tool})
    found: dict[str, Any] = plain({"alarms": records(connection, _ALARMS, {"tool": tool}), **counts})
    return found


def to_text(found: dict[str, Any]) -> str:
    """Return what is proven for people; nothing in it moves a cursor."""
    lines = [_line(alarm) for alarm in found["alarms"]]
    seen = f"{counted(found['code_count'], 'code')} with {counted(found['trial_count'], 'fair reissue')}"
    told = "proven at any look" if lines else "Nothing is proven yet"
    lines.append(f"{counted(len(lines), 'alarm')} {told} over {seen}" if lines else f"{told} over {seen}")
    return "\n".join(lines) + "\n"


def _line(alarm: dict[str, Any]) -> str:
    declared = "true" if alarm["declared_class"] == "transient" else "false"
    version = f" {escape(cut(alarm['tool_version']))}" if alarm["tool_version"] else ""
    worked = of(alarm["success_count"], alarm["trial_count"], "fair reissue")
    side = "below" if declared == "true" else "above"
    rate = f"{percent(alarm['running_lower'])}-{percent(alarm['running_upper'])} %"
    return (
        f"{escape(cut(alarm['error_code']))} of {escape(cut(alarm['tool']))}{version} says retryable:{declared}: "
        f"{worked} worked, proven {side} {percent(alarm['threshold'])} % (not excluded at any look: {rate})"
    )
