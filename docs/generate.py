"""Write the reference pages that are generated from the code: `python docs/generate.py`; a test keeps them current."""

from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory

from collectors import FORMATS
from collectors.conventions import EVENT_NAMES, FIELDS
from pipeline import models
from pipeline.fits import FITS
from pipeline.models import MODELS
from pipeline.parameters import Parameters
from pipeline.store import open_store

DOCS = Path(__file__).parent
SQL = DOCS.parent / "pipeline" / "sql"
NOTES = DOCS.parent / "tests" / "collectors" / "formats" / "manifest_notes.tsv"


def events_page() -> str:
    """Return docs/events.md: every column of an event with its attribute and meaning."""
    rows = [
        f"| `{f.name}` | {f'`{f.attribute}`' if f.attribute else 'the record'} | {f.kind} | {f.meaning} |"
        for f in FIELDS
    ]
    names = ", ".join(f"`{name}`" for name in EVENT_NAMES)
    return "\n".join(
        [
            "# Events",
            "",
            f"Readers turn every log into five OpenTelemetry events: {names}.",
            "Names of the OpenTelemetry semantic conventions are reused; ours have the root `recoup.` and are flat.",
            "Absent means not stated: a missing `retryable` is not false.",
            "",
            "| column | attribute | type | meaning |",
            "|---|---|---|---|",
            *rows,
            "",
        ]
    )


def tables_page() -> str:
    """Return docs/tables.md: the public tables, each with its grain, key and rule from the head of its SQL."""
    public = [name for name in MODELS if _is_public(name)]
    columns = _columns(public)
    parts = ["# Tables", "", "Public, stable, and what reports and notebooks read. `analyze sql` queries them.", ""]
    for name in public:
        parts += [f"## {name}", "", _head(name), "", columns[name], ""]
    return "\n".join(parts)


def _is_public(name: str) -> bool:
    """Tell tables to build on from staging, from what a fit writes, and from what calls itself internal."""
    return name not in FITS and not name.startswith("staging.") and "Internal" not in _head(name)


def _query(name: str) -> str:
    schema, _, table = name.partition(".")
    return (SQL / schema / f"{table}.sql").read_text()


def _head(name: str) -> str:
    return " ".join(line[3:] for line in takewhile(lambda line: line.startswith("-- "), _query(name).splitlines()))


def _columns(names: list[str]) -> dict[str, str]:
    with TemporaryDirectory() as folder, open_store(Path(folder) / "empty.duckdb", write=True) as connection:
        models.rebuild(connection, Parameters())
        return {name: _table(connection.execute(f"describe {name}").fetchall()) for name in names}


def _table(described: list[tuple[str, ...]]) -> str:
    return "\n".join(["| column | type |", "|---|---|", *(f"| `{row[0]}` | {row[1].lower()} |" for row in described)])


def formats_page() -> str:
    """Return docs/formats.md: every format, how it is recognised, and what it cannot tell."""
    parts = [
        "# Formats",
        "",
        "A file's format is told from its content alone, from its first 64 KiB. `line` formats are read line by line;",
        "a `document` is held whole, up to 512 MB, a larger one is one reject. A resumable file that grew is read on",
        "from its last whole line; any other is read again, and what was known of it stays as it is.",
        "",
        "| name | what it is | unit | resumable |",
        "|---|---|---|---|",
        *(f"| [`{f.NAME}`](#{f.NAME}) | {f.TITLE} | {f.UNIT} | {'yes' if f.RESUMABLE else 'no'} |" for f in FORMATS),
        "",
    ]
    for form in FORMATS:
        places = ", ".join(f"`{place}`" for place in form.WHERE) or "no usual place"
        recognised = (form.looks_like.__doc__ or "").partition("\n")[0].removeprefix("Return whether ")
        parts += [f"## {form.NAME}", "", f"{form.TITLE}. Lies in: {places}.", "", f"Recognised by: {recognised}", ""]
        parts += ["Cannot tell:", "", *(f"- {what}" for what in form.CANNOT_TELL), ""]
    return "\n".join([*parts, *_counts()])


def _counts() -> list[str]:
    """Return why the counts of public samples differ from those of their list."""
    notes = NOTES.read_text().splitlines()
    rows = [f"| `{path}` | {why} |" for path, _, why in (line.partition("\t") for line in notes if line)]
    head = ["## Counts", "", "Where calls or errors differ from what the list of samples states:", ""]
    return [*head, "| samples | why |", "|---|---|", *rows, ""]


PAGES = {"events.md": events_page, "formats.md": formats_page, "tables.md": tables_page}

if __name__ == "__main__":
    for page, write in PAGES.items():
        (DOCS / page).write_text(write())
