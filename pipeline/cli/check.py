"""`analyze check`: a gate for CI.

Registered by `app.command("check")(check)`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pipeline.cli.main import DEFAULT_STORE, Answer, Json, Since, Store, Tool, Until, version
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    from pipeline.report.gate import Checked

_INPUT_FAULT = 3
_USAGE = 2
_DEFECT = 1

Format = Literal["terminal", "json", "sarif", "junit"]


def check(
    store: Store = DEFAULT_STORE,
    fail_on: Annotated[
        list[str] | None,
        typer.Option("--fail-on", metavar="NAME", help="breach, warning, info or an analysis; may be repeated."),
    ] = None,
    min_maturity: Annotated[
        int | None, typer.Option("--min-maturity", min=0, max=3, help="Least proven maturity of each tool.")
    ] = None,
    max_false_transient: Annotated[
        int | None,
        typer.Option("--max-false-transient", min=0, help="Most codes of a tool that wrongly say retryable:true."),
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", metavar="FILE", help="Settings; else recoup.toml or pyproject.toml.")
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", metavar="FILE", help="Findings that are known and do not fail.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option("--write-baseline", metavar="FILE", help="Take all findings of now for known.")
    ] = None,
    format: Annotated[Format, typer.Option("--format", help="How to write the answer.")] = "terminal",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to, besides a summary on stdout.")
    ] = None,
    tool: Tool = None,
    since: Since = None,
    until: Until = None,
    json: Json = False,
) -> Answer:
    r"""Fail where findings are over the limits: exit 0 ok, 1 over a limit, 2 usage, 3 nothing checked.

    \b
    Examples:
      analyze check
      analyze check --min-maturity 2 --fail-on warning
      analyze check --write-baseline recoup-baseline.json
      analyze check --baseline recoup-baseline.json --format sarif --output recoup.sarif
    """
    from pipeline.cli import settings
    from pipeline.cli.writing import write
    from pipeline.config import load
    from pipeline.report import gate, gate_text

    named = settings.fail_on(fail_on, _usage) if fail_on else None
    flags = {"fail_on": named, "min_maturity": min_maturity, "max_false_transient": max_false_transient}
    limits = settings.rules(config, flags)
    known = settings.read_baseline(baseline) if baseline else frozenset()
    with _input():
        found = _report(store, load(config).parameters, tool=tool, since=since, until=until)
    checked = gate.check(found, limits, baseline=known)
    if write_baseline is not None:
        write(write_baseline, settings.baseline_text([one.id for one in checked.violations]))
        checked = gate.check(found, limits, baseline={one.id for one in checked.violations})
    text = _rendered(found, checked, format)
    if output is not None:
        write(output, text)
        text = gate_text.to_text(checked) + f"wrote {output}\n"
    return Answer(gate_text.to_data(checked), text, exit_code=checked.exit_code)


def _usage(reason: str) -> Exception:
    return typer.BadParameter(reason, param_hint="--fail-on")


@contextmanager
def _input() -> Iterator[None]:
    """Make what is wrong with the input exit 3, so that a gate tells it from findings; usage and defects stay."""
    try:
        yield
    except RecoupError as fault:
        if fault.entry.exit_code not in (_USAGE, _DEFECT):
            fault.entry = replace(fault.entry, exit_code=_INPUT_FAULT)
        raise


def _report(store: Path, parameters: Parameters, **chosen: Any) -> dict[str, Any]:  # noqa: ANN401 - of `content.build`
    from pipeline.cli.opening import built_store
    from pipeline.report import content

    with built_store(store, parameters) as connection:
        return content.build(connection, parameters, **chosen)


def _rendered(found: dict[str, Any], checked: "Checked", format: Format) -> str:
    from pipeline.report import gate_text, junit, sarif
    from pipeline.report.json import render

    if format == "json":
        return render(gate_text.to_data(checked))
    if format == "sarif":
        return sarif.render(found, checked, version=version())
    return junit.render(found, checked) if format == "junit" else gate_text.to_text(checked)
