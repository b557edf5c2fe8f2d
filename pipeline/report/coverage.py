"""What was read and what was not: the report's `coverage`, always of the whole store."""

from typing import TYPE_CHECKING, Any

from pipeline.store import cell, records

if TYPE_CHECKING:
    import duckdb

_SALVAGED = """
select count(*) from (select distinct path, position from raw.rejects)
semi join raw.events using (path, position)
"""
_STATUSES = "select * from marts.attempt_statuses order by attempt_count desc, status, reason, evidence"


def coverage(connection: "duckdb.DuckDBPyConnection") -> dict[str, Any]:
    """Return the counts of files, records and events read, and of what was skipped, repaired or lost on the way."""
    rejects = cell(connection, "select count(*) from (select distinct path, position from raw.rejects)")
    salvaged = cell(connection, _SALVAGED)
    statuses = records(
        connection, "select * from marts.attempt_statuses order by attempt_count desc, status, reason, evidence"
    )
    return {
        "files": cell(connection, "select count(*) from meta.files where format is not null"),
        "unrecognised_files": cell(connection, "select count(*) from meta.files where format is null"),
        "torn_files": cell(connection, "select count(*) from meta.files where is_torn"),
        "records": cell(connection, "select coalesce(sum(record_count), 0)::bigint from meta.files"),
        "events": cell(connection, "select count(*) from raw.events"),
        "duplicates": cell(connection, "select count(*) - count(distinct uid) from raw.events"),
        "rejects": rejects,
        "rejects_by_reason": dict(
            connection.execute("select reason, count(*) from raw.rejects group by reason order by reason").fetchall()
        ),
        "repaired": cell(connection, "select coalesce(sum(repaired_count), 0)::bigint from meta.files"),
        "salvaged": salvaged,
        "lost": rejects - salvaged,
        "non_call_records": cell(connection, "select coalesce(sum(record_count), 0)::bigint from raw.skipped"),
        "attempts_by_status": _totals(statuses),
        "statuses": statuses,
    }


def _totals(statuses: list[dict[str, Any]]) -> dict[str, int]:
    totals: dict[str, int] = {}
    for row in statuses:
        totals[row["status"]] = totals.get(row["status"], 0) + row["attempt_count"]
    return totals
