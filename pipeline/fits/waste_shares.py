"""The time of overlapping recoveries, shared between them."""

from itertools import groupby
from typing import TYPE_CHECKING

from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.waste import share_time

if TYPE_CHECKING:
    import duckdb

_COLUMNS = {"attempt_id": "varchar", "kind": "varchar", "charged_ms": "bigint"}
_QUERY = """
select session_id, actor_id, overlap_number, attempt_id, kind, started_ms, ended_ms
from core.waste_steps where is_overlapping order by all
"""


def share_waste(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.waste_shares`: the milliseconds charged to each step whose time another step of its actor shares.

    Columns: attempt_id, kind, charged_ms. Every instant counts 1/k among the k steps open; the whole milliseconds of a
    group sum to the time in which any of them was open. Source: statistics 11.
    """
    rows: list[tuple[object, ...]] = []
    steps = connection.execute(_QUERY).fetchall()
    for _, group in groupby(steps, key=lambda step: step[:3]):
        members = list(group)
        charges = share_time([(started, ended) for *_, started, ended in members])
        rows += [(step[3], step[4], charge) for step, charge in zip(members, charges, strict=True)]
    write_table(connection, "core.waste_shares", _COLUMNS, rows)
