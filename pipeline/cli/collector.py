"""`collector`: data in."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.cli.main import DEFAULT_STORE, Answer, Config, Json, Store, Version, program, run
from pipeline.cli.serve import serve
from pipeline.errors import RecoupError

if TYPE_CHECKING:
    from collectors import Format
    from pipeline.discovery import Place
    from pipeline.ingest import ImportSummary, OnProgress

app = program(
    "Data in: reads what agents and tools logged into a store.",
    """\b
Examples:
  collector import                     what lies in the usual places
  collector import logs/ run.jsonl.gz
  ssh host cat run.jsonl | collector import -
  collector status
""",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `collector` and return its exit code."""
    return run(app, "collector", argv)


@app.callback()
def options(version: Version = False) -> None:
    """Take the options that stand before a command."""


app.command("serve")(serve)


@app.command("import")
def import_(
    paths: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH]...", help="Files, folders and `-` for standard input; none: the usual places."),
    ] = None,
    store: Store = DEFAULT_STORE,
    format: Annotated[
        str | None,
        typer.Option("--format", metavar="NAME", help="Take all for this format; `collector formats` lists them."),
    ] = None,
    config: Config = None,
    json: Json = False,
) -> Answer:
    r"""Read logs into the store; what was read before is not read again.

    \b
    Examples:
      collector import ~/.claude/projects
      collector import --format envelope_log calls.log
    """
    from pipeline.config import load
    from pipeline.ingest import import_paths, import_sources

    forced, rules = _format_named(format) if format else None, load(config).rules
    with _progress() as on_progress:
        if paths:
            summary = import_paths(store, paths, forced=forced, on_progress=on_progress, rules=rules)
        else:
            sources = [source for place in _shown_places() for source in place.sources]
            summary = import_sources(store, sources, forced=forced, on_progress=on_progress, rules=rules)
    return Answer(_data(summary, store), _text(summary, store), _warnings(summary))


def _format_named(name: str) -> "Format":
    from collectors import FORMATS

    for reader in FORMATS:
        if name == reader.NAME:
            return reader
    names = [reader.NAME for reader in FORMATS]
    raise RecoupError(
        "ARGUMENT_INVALID", f"no format is named {name}; there are {', '.join(names)}", context={"formats": names}
    )


def _shown_places() -> "list[Place]":
    """Return the usual places that hold logs, after showing them."""
    from collectors import FORMATS
    from pipeline.discovery import usual_places

    places = usual_places(FORMATS)
    if not places:
        looked = [pattern for reader in FORMATS for pattern in reader.WHERE]
        raise RecoupError("INPUT_EMPTY", "no log lies in the usual places", context={"looked_at": looked})
    for place in places:
        typer.echo(
            f"found {len(place.sources):,} files, {place.size_bytes / 1e6:,.1f} MB: {place.title} in {place.pattern}",
            err=True,
        )
    return places


@contextmanager
def _progress() -> "Iterator[OnProgress | None]":
    """Show a bar on a terminal's stderr; nothing when piped."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = ("reading", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None)

    def show(done: int, total: int) -> None:
        bar.start()  # at the first call only, so that nothing moves before there is something to read
        bar.update(task, completed=done, total=max(done, total))

    try:
        yield show
    finally:
        bar.stop()


def _data(summary: "ImportSummary", store: Path) -> dict[str, Any]:
    return {
        "store": str(store),
        "files": {"read": summary.files_read, "torn": summary.files_torn, **summary.unread},
        "first_unread": summary.first_unread,
        "records": summary.records,
        "events": {"read": summary.events, "added": summary.added, "duplicates": summary.duplicates},
        "rejects": dict(summary.rejects),
        "skipped": dict(summary.skipped),
        "repaired": summary.repaired,
    }


def _text(summary: "ImportSummary", store: Path) -> str:
    from pipeline.report.escape import escape

    others = "".join(f", {count:,} {why}" for why, count in sorted(summary.unread.items()) if count)
    lines = [
        f"files    {summary.files_read:,} read{others}",
        f"records  {summary.records:,}, {summary.skipped.total():,} of them without a call",
        f"events   {summary.events:,}, {summary.added:,} of them new",
    ]
    if summary.repaired:
        lines.append(f"repaired {summary.repaired:,} records with damaged text")
    return "\n".join([*lines, f"store    {escape(str(store))}"]) + "\n"


def _warnings(summary: "ImportSummary") -> tuple[str, ...]:
    said = [f"{count:,} records could not be read ({reason})" for reason, count in sorted(summary.rejects.items())]
    if summary.files_torn:
        said.append(
            f"{summary.files_torn:,} files end in an unfinished line, which the next import reads once it is whole"
        )
    unreadable = summary.first_unread.get("unreadable", [])
    if unreadable:
        more = summary.unread["unreadable"] - len(unreadable)
        said.append(f"unreadable: {', '.join(unreadable)}" + (f" and {more:,} more" if more else ""))
    return tuple(said)


@app.command()
def formats(json: Json = False) -> Answer:
    """List the formats that can be read, where their files lie, and what they cannot tell."""
    from collectors import FORMATS

    data = [
        {
            "name": reader.NAME,
            "title": reader.TITLE,
            "where": list(reader.WHERE),
            "cannot_tell": list(reader.CANNOT_TELL),
        }
        for reader in FORMATS
    ]
    return Answer({"formats": data}, "\n".join(map(_format_text, data)))


def _format_text(reader: dict[str, Any]) -> str:
    lines = [f"{reader['name']}  {reader['title']}"]
    lines += [f"  in {place}" for place in reader["where"]]
    lines += [f"  cannot tell {what}" for what in reader["cannot_tell"]]
    return "\n".join(lines) + "\n"


@app.command()
def status(store: Store = DEFAULT_STORE, config: Config = None, json: Json = False) -> Answer:
    """Show what the store holds: files, events, rejects, what came by OTLP, and whether the models are current."""
    from pipeline import models
    from pipeline.config import load
    from pipeline.report import status as found_in
    from pipeline.store import open_store, spool_beside

    parameters = load(config).parameters
    with open_store(store) as connection:
        found = found_in.status(connection, spool_beside(store)) | {
            "is_current": models.is_current(connection, parameters)
        }
    data = {"store": str(store), "size_bytes": store.stat().st_size, **found}
    return Answer(data, found_in.to_text(data))
