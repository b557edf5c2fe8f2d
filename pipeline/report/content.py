"""The report as plain data, gathered once: every rendering shows these numbers and no others."""

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pipeline.analyses.ranking import all_findings
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters
from pipeline.report.coverage import coverage
from pipeline.report.period import within
from pipeline.report.plain import plain
from pipeline.report.summary import summary
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

SCHEMA_VERSION = "1"
_CODES = "select * from marts.error_codes order by occurrence_count desc, tool, error_code, declared_class"


def build(
    connection: "duckdb.DuckDBPyConnection",
    parameters: Parameters,
    *,
    tool: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> dict[str, Any]:
    """Return the report: JSON's types only, as `docs/report.schema.json` describes it; text of logs is raw.

    Args:
        connection: A store whose models are built with `parameters`; it may be read-only.
        parameters: The configured values, which the report states.
        tool: Only this tool's attempts, errors and findings; `coverage` stays that of the whole store.
        since: Only sessions that began then or later, UTC where it names no zone; see `period.within`.
        until: Only sessions that began before, read up to then.

    Raises:
        RecoupError: SUBJECT_NOT_FOUND where the store knows no attempt of `tool`.
    """
    _require(connection, tool)
    with within(connection, parameters, since, until) as period:
        codes = records(period, _CODES)
        findings = all_findings(period, parameters, tool=tool)
        content = {
            "schema_version": SCHEMA_VERSION,
            "parameters": parameters.values() | {"tool": tool, "since": since, "until": until},
            "coverage": coverage(connection),
            "summary": summary(period, tool),
            "codes": [row for row in codes if tool is None or row["tool"] == tool],
            "findings": [asdict(finding) for finding in findings],
        }
    report: dict[str, Any] = plain(content)
    return report


def _require(connection: "duckdb.DuckDBPyConnection", tool: str | None) -> None:
    if tool is None:
        return
    known = records(connection, "select tool from marts.totals where not is_total order by attempt_count desc, tool")
    names = [row["tool"] for row in known]
    if tool not in names:
        raise RecoupError(
            "SUBJECT_NOT_FOUND", f"no attempt of a tool named {tool!r}", context={"tool": tool, "known": names[:20]}
        )
