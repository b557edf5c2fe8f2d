"""Two groups of sessions to compare: by version, model, agent, client, or by when they began."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from pipeline.errors import RecoupError
from pipeline.store import records

if TYPE_CHECKING:
    import duckdb

By = Literal["version", "model", "agent", "client", "period"]

COLUMNS: dict[str, str] = {"version": "tool_version", "model": "model", "agent": "agent_name", "client": "format"}
"""What a group is told by: the column of `core.session_counts`."""

_COUNTS = """
select counts.*, sessions.started_at
from core.session_counts as counts
inner join marts.session_summaries as sessions on sessions.session_id = counts.session_id
where counts.tool = coalesce($tool, counts.tool)
    and ($code is null or counts.error_code = $code)
order by sessions.started_at, counts.session_id, counts.measure, counts.tool, counts.operation, counts.error_code
"""


@dataclass(frozen=True, slots=True)
class Row:
    """Trials and successes of one session under one set of conditions."""

    session_id: str
    started_at: datetime | None
    measure: str
    stratum: tuple[str, ...]
    """Tool, operation and code."""
    trials: int
    successes: int


@dataclass(frozen=True, slots=True)
class Group:
    """One side of a comparison."""

    name: str
    rows: tuple[Row, ...]

    @property
    def sessions(self) -> set[str]:
        """The sessions in it."""
        return {row.session_id for row in self.rows}


@dataclass(frozen=True, slots=True)
class Pair:
    """Both sides, and what is in neither."""

    by: By
    a: Group
    b: Group
    mixed_sessions: int
    """Sessions that belong to both sides and are left out."""


def pair(
    connection: "duckdb.DuckDBPyConnection",
    a: str,
    b: str,
    *,
    by: By | None = None,
    tool: str | None = None,
    code: str | None = None,
) -> Pair:
    """Return the two groups that `a` and `b` name.

    Args:
        connection: A store whose models are built.
        a: A version, model, agent or client, or a period `START..END` (either end may be missing, UTC).
        b: Another of the same kind.
        by: Of which kind they are; None where the store tells.
        tool: Only this tool's calls.
        code: Only this code's failures.

    Raises:
        RecoupError: ARGUMENT_INVALID for a period that cannot be read; SUBJECT_NOT_FOUND where the store does not know
            the names, or where nothing is left of a group.
    """
    held = records(connection, _COUNTS, {"tool": tool, "code": code})
    kind = by or _kind(held, a, b)
    if kind == "period":
        sides = [_within(held, _period(name)) for name in (a, b)]
    else:
        sides = [[row for row in held if row[COLUMNS[kind]] == name] for name in (a, b)]
    for name, rows in zip((a, b), sides, strict=True):
        if not rows:
            raise _unknown(held, name, kind)
    mixed = {row["session_id"] for row in sides[0]} & {row["session_id"] for row in sides[1]}
    return Pair(kind, _group(a, sides[0], mixed), _group(b, sides[1], mixed), len(mixed))


def _kind(held: list[dict[str, Any]], a: str, b: str) -> By:
    if all(".." in name for name in (a, b)):
        return "period"
    kinds: tuple[By, ...] = ("version", "model", "agent", "client")
    for kind in kinds:
        if {a, b} <= {row[COLUMNS[kind]] for row in held}:
            return kind
    raise _unknown(held, next((name for name in (a, b) if not _is_known(held, name)), b), None)


def _is_known(held: list[dict[str, Any]], name: str) -> bool:
    return any(row[column] == name for row in held for column in COLUMNS.values())


def _unknown(held: list[dict[str, Any]], name: str, by: By | None) -> RecoupError:
    columns = {by: COLUMNS[by]} if by in COLUMNS else COLUMNS
    known = {kind: sorted({row[column] for row in held if row[column]})[:20] for kind, column in columns.items()}
    what = f"{by} {name!r}" if by else f"version, model, agent or client {name!r}"
    return RecoupError("SUBJECT_NOT_FOUND", f"nothing to compare of {what}", context={"name": name, "known": known})


def _period(text: str) -> tuple[datetime | None, datetime | None]:
    start, _, end = text.partition("..")
    try:
        return _moment(start), _moment(end if ".." in text else "?")
    except ValueError as fault:
        raise RecoupError("ARGUMENT_INVALID", f"{text!r} is no period: write 2026-03-01..2026-03-15") from fault


def _moment(text: str) -> datetime | None:
    if not text.strip():
        return None
    stated = datetime.fromisoformat(text.strip())
    return stated.astimezone(UTC).replace(tzinfo=None) if stated.tzinfo else stated


def _within(held: list[dict[str, Any]], period: tuple[datetime | None, datetime | None]) -> list[dict[str, Any]]:
    start, end = period
    return [
        row
        for row in held
        if row["started_at"] is not None
        and (start is None or row["started_at"] >= start)
        and (end is None or row["started_at"] < end)
    ]


def _group(name: str, rows: list[dict[str, Any]], mixed: set[str]) -> Group:
    return Group(name, tuple(_row(row) for row in rows if row["session_id"] not in mixed))


def _row(row: dict[str, Any]) -> Row:
    return Row(
        session_id=row["session_id"],
        started_at=row["started_at"],
        measure=row["measure"],
        stratum=tuple(row[name] or "" for name in ("tool", "operation", "error_code")),
        trials=row["trial_count"],
        successes=row["success_count"],
    )
