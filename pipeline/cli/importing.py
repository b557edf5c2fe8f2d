"""`collector import`: what to read, and what it says when it is done."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pipeline.cli.formats import format_named
from pipeline.cli.main import DEFAULT_STORE, Answer, Config, Json, Store
from pipeline.cli.progress import progress
from pipeline.errors import RecoupError

if TYPE_CHECKING:
    from pipeline.discovery import Place
    from pipeline.ingest import ImportSummary


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

    forced, rules = format_named(format) if format else None, load(config).rules
    with progress() as on_progress:
        if paths:
            summary = import_paths(store, paths, forced=forced, on_progress=on_progress, rules=rules)
        else:
            sources = [source for place in _shown_places() for source in place.sources]
            summary = import_sources(store, sources, forced=forced, on_progress=on_progress, rules=rules)
    return Answer(_data(summary, store), _text(summary, store), _warnings(summary))


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
