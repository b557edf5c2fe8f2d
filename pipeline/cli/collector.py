"""`collector`: data in."""

from collections.abc import Sequence

from pipeline.cli.connect import connect
from pipeline.cli.formats import formats
from pipeline.cli.importing import import_
from pipeline.cli.main import Version, program, run
from pipeline.cli.serve import serve
from pipeline.cli.status import status

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


app.command("import")(import_)
app.command("serve")(serve)
app.command("connect")(connect)
app.command("formats")(formats)
app.command("status")(status)
