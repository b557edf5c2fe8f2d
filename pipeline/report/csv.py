"""The report's tables as a folder of CSV files that a spreadsheet opens without running anything."""

import csv
import json
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, Any

from pipeline.report.escape import escape
from pipeline.report.period import within
from pipeline.report.plain import plain
from pipeline.store import records

if TYPE_CHECKING:
    from datetime import datetime

    import duckdb

    from pipeline.parameters import Parameters

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "|", "%")
_MARTS = "select table_name from duckdb_tables() where schema_name = 'marts' and database_name = current_database()"


def files(
    connection: "duckdb.DuckDBPyConnection",
    parameters: "Parameters",
    report: dict[str, Any],
    *,
    since: "datetime | None" = None,
    until: "datetime | None" = None,
) -> Iterator[tuple[str, str]]:
    """Give the name and the content of each file: `findings.csv`, and one for each mart.

    Args:
        connection: The store that `report` was built from.
        parameters: The values that its models were built with.
        report: As `content.build` returned it; a mart that names tools is cut to the report's tool.
        since: As was given to `content.build`, as is `until`.
        until: See there.
    """
    titles = [*report["findings"][0]] if report["findings"] else ["id"]
    yield "findings.csv", table(titles, [list(one.values()) for one in report["findings"]])
    tool = report["parameters"]["tool"]
    with within(connection, parameters, since, until) as period:
        for name in sorted(row["table_name"] for row in records(period, _MARTS)):
            titles = [name for name, *_ in period.execute(f'from marts."{name}" limit 0').description or ()]
            only = "where tool = $tool" if tool is not None and "tool" in titles else ""
            rows = period.execute(f'from marts."{name}" {only} order by all', {"tool": tool} if only else {}).fetchall()
            yield f"{name}.csv", table(titles, [list(row) for row in rows])


def table(titles: list[str], rows: list[list[Any]]) -> str:
    """Return a table as CSV.

    Text of logs is on one line, its invisible characters spelled out, at most 2,000 characters of it; where it begins
    as a formula does, an apostrophe stands in front. Lists and objects are JSON; what is not known is empty.
    """
    stream = StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(titles)
    writer.writerows([_cell(plain(value)) for value in row] for row in rows)
    return stream.getvalue()


def _cell(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return value
    text = escape(value if isinstance(value, str) else json.dumps(value))
    raw_start = value[:1] if isinstance(value, str) else ""
    return f"'{text}" if text.startswith(_FORMULA) or raw_start in ("\t", "\r") else text
