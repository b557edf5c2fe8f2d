"""`analyze compare` and `analyze power`: two groups of sessions. Registered by `register(app)`."""

from typing import Annotated, Literal

import typer

from pipeline.cli.main import DEFAULT_STORE, Answer, Config, Json, Store, Tool

Code = Annotated[str | None, typer.Option("--code", metavar="CODE", help="Only this error code.")]


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help="A version, model, agent, client, or a period START..END.")],
    b: Annotated[str, typer.Argument(metavar="B", help="Another of the same kind.")],
    store: Store = DEFAULT_STORE,
    by: Annotated[
        Literal["version", "model", "agent", "client", "period"] | None,
        typer.Option("--by", help="Of which kind A and B are; else the store tells."),
    ] = None,
    tool: Tool = None,
    code: Code = None,
    config: Config = None,
    json: Json = False,
) -> Answer:
    r"""Say what differs between two groups of sessions, and what cannot be told apart.

    \b
    Examples:
      analyze compare 1.4.0 1.5.0 --tool deploy
      analyze compare ..2026-03-10 2026-03-10..
      analyze compare claude-code codex --by agent
    """
    from pipeline.cli.opening import built_store
    from pipeline.config import load
    from pipeline.report.compare import comparison
    from pipeline.report.compare_text import to_text

    with built_store(store, load(config).parameters) as connection:
        found = comparison(connection, a, b, by=by, tool=tool, code=code)
    return Answer(found, to_text(found))


def power(
    code: Annotated[str, typer.Option("--code", metavar="CODE", help="The error code.")],
    effect: Annotated[float, typer.Option("--effect", help="The change of its success to see, 0 to 1.")] = 0.2,
    chance: Annotated[float, typer.Option("--power", help="Chance to see it, 0 to 1.")] = 0.8,
    store: Store = DEFAULT_STORE,
    tool: Tool = None,
    config: Config = None,
    json: Json = False,
) -> Answer:
    r"""Say how many sessions it takes to see a change of one code.

    \b
    Examples:
      analyze power --code RATE_LIMITED --effect 0.2
    """
    from pipeline.cli.opening import built_store
    from pipeline.config import load
    from pipeline.report.power import sample_size, to_text

    with built_store(store, load(config).parameters) as connection:
        found = sample_size(connection, code, effect=effect, tool=tool, power=chance)
    return Answer(found, to_text(found))


def register(app: typer.Typer) -> None:
    """Add the commands to the program."""
    app.command("compare")(compare)
    app.command("power")(power)
