"""What a store holds: its files, events and rejects, and what arrived for it by OTLP."""

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline import otlp_store
from pipeline.analyses.words import duration
from pipeline.report.escape import escape
from pipeline.report.plain import plain
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

_FILES = """
select
    count(*) filter (where format is not null) as read_count,
    count(*) filter (where format is null) as unrecognised_count,
    count(*) filter (where is_torn) as torn_count,
    count(*) filter (where format is not null and not is_complete) as unfinished_count,
    coalesce(sum(record_count), 0)::bigint as record_count,
    max(received_at) filter (where format is not null) as last_import_at
from meta.files
"""
_COUNTS = {
    "formats": "select format, count(*) from meta.files where format is not null group by format order by format",
    "events": "select event_name, count(*) from raw.events group by event_name order by event_name",
    "rejects": "select reason, count(*) from raw.rejects group by reason order by reason",
    "skipped": "select kind, sum(record_count)::bigint from raw.skipped group by kind order by 2 desc, kind",
}


def status(connection: "duckdb.DuckDBPyConnection", spool: Path) -> dict[str, Any]:
    """Return counts of what the store holds, as JSON values.

    Args:
        connection: The store.
        spool: Folder where a collector keeps what it acknowledged until the store has it; may be missing.
    """
    [files] = records(connection, _FILES)
    counts = {name: dict(connection.execute(query).fetchall()) for name, query in _COUNTS.items()}
    [sessions] = records(connection, "select count(distinct session_id) as session_count from raw.events")
    found: dict[str, Any] = plain({"files": files, **counts, **sessions, "otlp": _otlp(connection, spool)})
    return found


def _otlp(connection: "duckdb.DuckDBPyConnection", spool: Path) -> dict[str, Any]:
    """Return what came by OTLP: what became of it since the store was made, and what the store does not hold yet."""
    left = otlp_store.waiting(connection, spool)
    age_ms = None if left.oldest_ns is None else max((time.time_ns() - left.oldest_ns) // 1_000_000, 0)
    return {"drained": otlp_store.counts_in(connection), "waiting_bytes": left.size_bytes, "waiting_ms": age_ms}


def to_text(found: dict[str, Any]) -> str:
    """Return a status for people."""
    files = found["files"]
    state = {True: "current", False: "stale: the next report builds them"}[found["is_current"]]
    lines = [
        f"store     {escape(found['store'])}, {found['size_bytes'] / 1e6:,.1f} MB",
        f"files     {files['read_count']:,} read{_listed(found['formats'])}" + _more(files),
        f"records   {files['record_count']:,}, {found['session_count']:,} sessions",
        f"events    {sum(found['events'].values()):,}{_listed(found['events'])}",
        f"rejects   {sum(found['rejects'].values()):,}{_listed(found['rejects'])}",
        f"skipped   {sum(found['skipped'].values()):,}{_listed(found['skipped'])}",
        f"otlp      {_received(found['otlp'])}",
        f"imported  {files['last_import_at'] or 'never'}",
        f"models    {state}",
    ]
    return "\n".join(lines) + "\n"


def _received(otlp: dict[str, Any]) -> str:
    drained, size, age_ms = otlp["drained"], otlp["waiting_bytes"], otlp["waiting_ms"]
    became = {name: count for name, count in drained.items() if name not in ("records", "requests")}
    age = "" if age_ms is None else f", the oldest for {duration(age_ms)}"
    left = f"; {size / 1e3:,.1f} kB wait in the spool{age}" if size else ""
    return f"{drained.get('records', 0):,} records{_listed(became)}{left}"


def _listed(counts: dict[str, int]) -> str:
    if not counts:
        return ""
    shown = [f"{escape(name)} {count:,}" for name, count in list(counts.items())[:8]]
    return f" ({', '.join(shown)}{', ...' if len(counts) > len(shown) else ''})"


def _more(files: dict[str, Any]) -> str:
    words = {"torn_count": "with an unfinished last line", "unfinished_count": "not read to the end"}
    words |= {"unrecognised_count": "not recognised"}
    return "".join(f", {files[name]:,} {what}" for name, what in words.items() if files[name])
