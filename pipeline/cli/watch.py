"""`analyze watch`: what is proven under continuous looking. Registered by `register(app)`."""

import typer

from pipeline.cli.main import DEFAULT_STORE, Answer, Config, Json, Store, Tool


def watch(store: Store = DEFAULT_STORE, tool: Tool = None, config: Config = None, json: Json = False) -> Answer:
    r"""Print only what is proven against a declaration, however often you look.

    Counts start anew with each version of a tool. Run it after every import, or from a schedule.

    \b
    Examples:
      analyze watch
      analyze watch --tool deploy --json
    """
    from pipeline.cli.opening import built_store
    from pipeline.config import load
    from pipeline.report.watch import to_text, watched

    with built_store(store, load(config).parameters) as connection:
        found = watched(connection, tool=tool)
    return Answer(found, to_text(found))


def register(app: typer.Typer) -> None:
    """Add the command to the program."""
    app.command("watch")(watch)
