"""Questions in SQL: run read-only without access to other files, and printed as a table, NDJSON or CSV."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from pipeline.errors import RecoupError
from pipeline.report.escape import escape
from pipeline.report.plain import plain

if TYPE_CHECKING:
    import duckdb

_FETCHED = 1000
MAX_TABLE_ROWS = 1000
"""Rows of a table; more is for a program, which asks for NDJSON or CSV."""


@dataclass(frozen=True, slots=True)
class Result:
    """An answer that is read as it is printed: memory holds a thousand rows of it."""

    columns: tuple[str, ...]
    rows: Iterator[tuple[Any, ...]]


def ask(connection: "duckdb.DuckDBPyConnection", query: str) -> Result:
    """Run one statement.

    Args:
        connection: A store opened for reading. It can neither read nor write other files afterwards.
        query: What to ask; text of a person, never of a log.

    Raises:
        RecoupError: SQL_INVALID.
    """
    import duckdb

    connection.execute("set enable_external_access = false; set lock_configuration = true")
    try:
        statements = connection.extract_statements(query)
        if len(statements) != 1:
            raise RecoupError("SQL_INVALID", f"one statement is needed, not {len(statements)}")
        connection.execute(statements[0])
    except (duckdb.OutOfMemoryException, duckdb.IOException):
        raise
    except duckdb.Error as fault:
        raise _invalid(fault) from fault
    return Result(tuple(name for name, *_ in connection.description or ()), _fetched(connection))


def _fetched(connection: "duckdb.DuckDBPyConnection") -> Iterator[tuple[Any, ...]]:
    import duckdb

    try:
        while rows := connection.fetchmany(_FETCHED):
            yield from rows
    except (duckdb.OutOfMemoryException, duckdb.IOException):
        raise
    except duckdb.Error as fault:
        raise _invalid(fault) from fault


def _invalid(fault: Exception) -> RecoupError:
    said = str(fault).strip()
    return RecoupError(
        "SQL_INVALID", " ".join(said.partition("\n\nLINE ")[0].split())[:500], context={"detail": said[:2000]}
    )


def to_data(result: Result) -> dict[str, Any]:
    """Return an answer as JSON values."""
    return {"columns": list(result.columns), "rows": [plain(row) for row in result.rows]}


def write(result: Result, stream: TextIO, format: str) -> None:
    """Print an answer as `table`, `ndjson` or `csv`."""
    _WRITERS[format](result, stream)


def _write_ndjson(result: Result, stream: TextIO) -> None:
    for row in result.rows:
        stream.write(json.dumps(dict(zip(result.columns, plain(row), strict=True)), allow_nan=False) + "\n")


def _write_csv(result: Result, stream: TextIO) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(result.columns)
    for row in result.rows:
        writer.writerow([_flat(value) for value in plain(row)])


def _flat(value: object) -> object:
    return json.dumps(value) if isinstance(value, list | dict | bool) else value


def _write_table(result: Result, stream: TextIO) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in result.columns:
        table.add_column(Text(escape(name)), overflow="fold")
    for count, row in enumerate(result.rows):
        if count == MAX_TABLE_ROWS:
            table.caption = f"the first {MAX_TABLE_ROWS:,} rows; --format ndjson or csv prints all"
            break
        table.add_row(*(Text("" if value is None else escape(str(_flat(value)))) for value in plain(row)))
    Console(file=stream).print(table)


_WRITERS = {"table": _write_table, "ndjson": _write_ndjson, "csv": _write_csv}
