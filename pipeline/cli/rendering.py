"""`analyze report`: one report in the format that was asked for, on stdout or in a file or folder."""

import sys
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pipeline.cli.main import Answer
from pipeline.cli.writing import write, write_folder
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

Format = Literal["terminal", "json", "html", "md", "csv"]


def answer(
    connection: "duckdb.DuckDBPyConnection",
    parameters: Parameters,
    report: dict[str, Any],
    format: Format,
    *,
    output: Path | None,
    full: bool,
    since: datetime | None,
    until: datetime | None,
) -> Answer:
    """Return the report as the answer of a command, or write it to `output` and say so.

    Args:
        connection: The store that `report` was built from.
        parameters: The values that its models were built with.
        report: As `content.build` returned it.
        format: How to write it.
        output: A file; for `csv` a folder, without which there is no CSV.
        full: Of the terminal: everything, not only the first screen.
        since: As was given to `content.build`, as is `until`.
        until: See there.

    Raises:
        RecoupError: OUTPUT_UNWRITABLE; ARGUMENT_INVALID where CSV has no folder.
    """
    if format == "csv":
        from pipeline.report import csv

        if output is None:
            raise RecoupError("ARGUMENT_INVALID", "--format csv needs --output FOLDER: it writes a file a table")
        names = write_folder(output, csv.files(connection, parameters, report, since=since, until=until))
        return Answer({"output": str(output), "files": names}, f"wrote {len(names)} files to {output}\n")
    if format == "html":
        from pipeline.report import html, html_charts

        text = html.render(report, html_charts.extras(connection, parameters, report, since=since, until=until))
    else:
        text = rendered(report, format, full=full, is_file=output is not None)
    if output is None:
        return Answer(report, text)
    write(output, text)
    return Answer({"output": str(output)}, f"wrote {output}\n")


def rendered(report: dict[str, Any], format: Format, *, full: bool, is_file: bool) -> str:
    """Return the report as text in a format that needs nothing but the report: terminal, JSON or Markdown."""
    if format == "json":
        from pipeline.report import json

        text: str = json.render(report)
        return text
    if format == "md":
        from pipeline.report import markdown

        return markdown.render(report)
    return _for_terminal(report, full=full, is_file=is_file)


def _for_terminal(report: dict[str, Any], *, full: bool, is_file: bool) -> str:
    from io import StringIO

    from rich.console import Console

    from pipeline.report import terminal

    is_terminal = sys.stdout.isatty() and not is_file
    written = StringIO()
    console = Console(file=written, force_terminal=is_terminal, width=None if is_terminal else 120)
    terminal.render(report, console, full=full)
    return written.getvalue()
