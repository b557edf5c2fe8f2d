"""`analyze`: answers from the store."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pipeline.cli import compare, rendering, watch
from pipeline.cli.check import check
from pipeline.cli.live import serve
from pipeline.cli.main import DEFAULT_STORE, Answer, Config, Json, Since, Store, Tool, Until, Version, program, run
from pipeline.errors import REGISTRY

app = program(
    "Answers from the store: does what a tool's errors say lead an agent back?",
    """\b
Examples:
  analyze report                           what to change, code by code
  analyze report --tool deploy --since 7d
  analyze check --min-maturity 2           a gate for CI
  analyze explain RATE_LIMITED             the evidence, attempt by attempt
  analyze sql "select * from marts.error_codes"
""",
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run `analyze` and return its exit code."""
    return run(app, "analyze", argv)


@app.callback()
def options(version: Version = False) -> None:
    """Take the options that stand before a command."""


app.command("check")(check)
app.command("serve")(serve)
compare.register(app)
watch.register(app)


@app.command()
def report(
    store: Store = DEFAULT_STORE,
    format: Annotated[rendering.Format, typer.Option("--format", help="How to write it.")] = "terminal",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to, instead of stdout; a folder for csv."),
    ] = None,
    full: Annotated[bool, typer.Option("--full", help="Everything, not only the first screen.")] = False,
    tool: Tool = None,
    since: Since = None,
    until: Until = None,
    config: Config = None,
    json: Json = False,
) -> Answer:
    r"""Say what to change: findings first, then the codes, then what was read.

    \b
    Examples:
      analyze report --full
      analyze report --format html --output report.html
      analyze report --format csv --output tables
    """
    from pipeline.cli.opening import built_store
    from pipeline.config import load
    from pipeline.report import content

    parameters = load(config).parameters
    with built_store(store, parameters) as connection:
        found = content.build(connection, parameters, tool=tool, since=since, until=until)
        return rendering.answer(
            connection, parameters, found, format, output=output, full=full, since=since, until=until
        )


@app.command()
def explain(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="CODE|EPISODE|FINDING", help="An error code, or the id of an episode or a finding, or its start."
        ),
    ],
    store: Store = DEFAULT_STORE,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Episodes of a code or a finding to show.")] = 5,
    tool: Tool = None,
    config: Config = None,
    json: Json = False,
) -> Answer:
    r"""Show the evidence for a code, an episode or a finding, attempt by attempt.

    The ids of findings are `findings[].id` of `analyze report --format json`.

    \b
    Examples:
      analyze explain RATE_LIMITED
      analyze explain RATE_LIMITED --tool deploy --limit 20
      analyze explain misclassified_retryables:deploy:RATE_LIMITED
    """
    from pipeline.cli.opening import built_store
    from pipeline.config import load
    from pipeline.report.explain import explanation, to_text
    from pipeline.report.plain import plain

    parameters = load(config).parameters
    with built_store(store, parameters) as connection:
        found = explanation(connection, subject, parameters=parameters, tool=tool, limit=limit)
    return Answer(plain(found), to_text(found))


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="One SQL statement; `-` reads it from standard input.")],
    store: Store = DEFAULT_STORE,
    format: Annotated[
        Literal["table", "ndjson", "csv"] | None,
        typer.Option("--format", help="How to print the rows; a table on a terminal, else NDJSON."),
    ] = None,
    config: Config = None,
    json: Json = False,
) -> Answer | None:
    r"""Ask the store in SQL, read-only: core.attempts, core.episodes, marts.error_codes and their like.

    \b
    Examples:
      analyze sql "select tool, count(*) from core.attempts group by all"
      analyze sql --format csv "select * from marts.error_codes" > codes.csv
    """
    from pipeline.cli.opening import built_store
    from pipeline.config import load
    from pipeline.report import query as queries

    statement = sys.stdin.read() if query == "-" else query
    with built_store(store, load(config).parameters) as connection:
        result = queries.ask(connection, statement)
        if json:
            return Answer(queries.to_data(result), "")
        queries.write(result, sys.stdout, format or ("table" if sys.stdout.isatty() else "ndjson"))
    return None


@app.command()
def errors(json: Json = False) -> Answer:
    """List recoup's own error codes: what each means, whether to retry, and what to do first."""
    data = [
        {
            "code": entry.code,
            "exit_code": entry.exit_code,
            "class": entry.declared_class,
            "meaning": entry.meaning,
            "retryable": entry.retryable,
            "retry_after_ms": entry.retry_after_ms,
            "fix_required": entry.fix_required,
            "fix_command": entry.fix_command,
            "suggestion": entry.suggestion,
        }
        for entry in REGISTRY
    ]
    return Answer({"errors": data}, "\n".join(map(_entry_text, data)))


def _entry_text(entry: dict[str, Any]) -> str:
    lines = [f"{entry['code']}  exit {entry['exit_code']}, {entry['class']}", f"  {entry['meaning']}"]
    if entry["retry_after_ms"]:
        lines.append(f"  retry after {entry['retry_after_ms'] / 1000:g} s")
    if entry["fix_required"]:
        command = f": `{entry['fix_command']}`" if entry["fix_command"] else ""
        lines.append(f"  fix: {entry['fix_required']}{command}")
    if entry["suggestion"]:
        lines.append(f"  {entry['suggestion']}")
    return "\n".join(lines) + "\n"
