"""All findings of a store, what to change first in front."""

from typing import TYPE_CHECKING

from pipeline.analyses import ANALYSES
from pipeline.analyses.finding import Finding, Severity, Verdict
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

_SEVERITIES: dict[Severity, int] = {"breach": 0, "warning": 1, "info": 2}
_VERDICTS: dict[Verdict, int] = {"contradicted": 0, "watch": 1, "insufficient": 2, "supported": 3}


def all_findings(
    connection: "duckdb.DuckDBPyConnection", parameters: Parameters, *, tool: str | None = None
) -> list[Finding]:
    """Return the findings of every analysis: by severity, then by the failing calls they concern, then by verdict.

    Args:
        connection: A store whose models are built.
        parameters: The ones they were built with.
        tool: Only findings about this tool.
    """
    found = [finding for analysis in ANALYSES for finding in analysis.find(connection, parameters)]
    return sorted((finding for finding in found if tool is None or finding.tool == tool), key=_rank)


def _rank(finding: Finding) -> tuple[int, float, int, str]:
    return _SEVERITIES[finding.severity], -finding.weight, _VERDICTS[finding.verdict], finding.id
