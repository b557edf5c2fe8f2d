"""Writing a table from Python in one statement."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import duckdb


def write_table(
    connection: "duckdb.DuckDBPyConnection",
    name: str,
    columns: Mapping[str, str],
    rows: Sequence[Sequence[object]],
) -> None:
    """Create or replace the table `name`; without rows it is empty.

    Args:
        connection: A store opened for writing.
        name: Schema and table.
        columns: Name and SQL type, in the order of each row's values.
        rows: The values.
    """
    # one list a column: a parameter a row would cost a millisecond each
    lists = [[row[place] for row in rows] for place in range(len(columns))]
    named = enumerate(columns.items(), start=1)
    chosen = ", ".join(f"unnest(${place}::{kind}[]) as {column}" for place, (column, kind) in named)
    connection.execute(f"create or replace table {name} as select {chosen}", lists)
