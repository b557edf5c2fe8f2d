"""`collector connect`: the settings with which an agent sends its telemetry here, shown or merged into its file.

Registered by `app.command("connect")(connect)`.
"""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

import typer

from pipeline.cli.main import Answer, Json
from pipeline.errors import RecoupError

if TYPE_CHECKING:
    from collectors.connect import Client, Setting
    from pipeline.connect import Change

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ADDRESS = re.compile(r"[!#-&(-;=?-\[\]-_a-z~]+")  # what stands in quotes of every kind as itself


def connect(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="claude-code, codex, gemini, qwen, copilot or otel-collector.")
    ],
    endpoint: Annotated[str, typer.Option(help="Where a collector listens for OTLP over HTTP.")] = (
        "http://127.0.0.1:4318"
    ),
    token_env: Annotated[
        str | None, typer.Option(metavar="VARIABLE", help="Variable that holds the token, for a collector that asks.")
    ] = None,
    traces: Annotated[bool, typer.Option("--traces", help="Spans, too, where they are settings of their own.")] = False,
    content: Annotated[
        bool, typer.Option("--content", help="What tools gave back, too, even where prompts come with it.")
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Merge them into the file, after showing the change.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --write: do not ask.")] = False,
    file: Annotated[Path | None, typer.Option(help="Settings file, where it is not the usual one.")] = None,
    json: Json = False,
) -> Answer:
    r"""Print the settings with which an agent sends its telemetry here, and what each of them lets out.

    \b
    Examples:
      collector connect claude-code
      collector connect codex --write
      collector connect gemini --endpoint https://otel.example.com --token-env RECOUP_TOKEN
    """
    from collectors.connect import CLIENTS, settings_of
    from pipeline.connect import place_of

    client = next((one for one in CLIENTS if one.name == name), None)
    if client is None:
        names = [one.name for one in CLIENTS]
        raise RecoupError(
            "ARGUMENT_INVALID", f"nothing is named {name}; there are {', '.join(names)}", context={"names": names}
        )
    base = _checked(endpoint, token_env)
    if client.kind == "yaml":
        return _collector(client, base, token_env, is_file_wanted=write or file is not None)
    settings = settings_of(client.settings, base, traces=traces, content=content)
    path = file if file is not None else place_of(client)
    if write:
        return _written(client, path, settings, token_env, is_sure=yes, is_json=json)
    environment = settings_of(client.environment, base, traces=traces, content=content)
    data = _data(client, settings, token_env) | {"file": str(path)}
    return Answer(data, _text(client, path, settings, environment, token_env), _warnings(base, token_env))


def _checked(endpoint: str, token_env: str | None) -> str:
    try:
        parts = urlsplit(endpoint)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_good = False
    if not is_good or not _ADDRESS.fullmatch(endpoint) or parts.query or parts.fragment:
        raise RecoupError("ARGUMENT_INVALID", f"{endpoint!r} is no address such as http://127.0.0.1:4318")
    if parts.username is not None:
        raise RecoupError("ARGUMENT_INVALID", "the address holds a name or a password; use --token-env")
    if token_env is not None and not _VARIABLE.fullmatch(token_env):
        raise RecoupError("ARGUMENT_INVALID", f"{token_env!r} is no name of an environment variable")
    return endpoint.rstrip("/")


def _warnings(endpoint: str, token_env: str | None) -> tuple[str, ...]:
    parts = urlsplit(endpoint)
    if parts.hostname in ("127.0.0.1", "localhost", "::1"):
        return ()
    said = []
    if token_env is None:
        said.append("a collector beyond this machine asks for a token: name its variable with --token-env")
    if parts.scheme == "http":
        said.append("without https everything, the token included, can be read on the way")
    return tuple(said)


def _collector(client: "Client", endpoint: str, token_env: str | None, *, is_file_wanted: bool) -> Answer:
    from collectors.connect import collector_yaml

    if is_file_wanted:
        raise RecoupError("ARGUMENT_INVALID", f"the file of the {client.title} is yours to write: it is only shown")
    text = collector_yaml(endpoint, token_env)
    data = _data(client, (), token_env) | {"yaml": text}
    return Answer(data, f"{text}\n{_notes(client, ())}", _warnings(endpoint, token_env))


def _data(client: "Client", settings: "tuple[Setting, ...]", token_env: str | None) -> dict[str, Any]:
    return {
        "client": client.name,
        "settings": [
            {
                "path": list(one.path),
                "value": one.value,
                "lets_out": one.lets_out or None,
                "reason": one.reason or None,
            }
            for one in settings
        ],
        "always_out": list(client.always_out),
        "keep_off": [{"setting": setting, "lets_out": what} for setting, what in client.keep_off],
        "remarks": list(client.remarks),
        "token_variable": token_env,
    }


def _text(
    client: "Client",
    path: Path,
    settings: "tuple[Setting, ...]",
    environment: "tuple[Setting, ...]",
    token_env: str | None,
) -> str:
    from collectors.connect import environment_lines, header_line
    from pipeline.connect import snippet
    from pipeline.report.escape import escape

    parts = [f"# {client.title}: in {escape(str(path))}\n{snippet(client, settings)}"]
    if environment:
        parts.append(f"# {client.environment_title}\n" + "\n".join(environment_lines(environment)) + "\n")
    if token_env:
        parts.append(f"# the token, in the shell that starts it\n{header_line(token_env)}\n")
    return "\n".join([*parts, _notes(client, settings)])


def _notes(client: "Client", settings: "tuple[Setting, ...]") -> str:
    lines = [f"# always sent: {what}" for what in client.always_out]
    lines += [f"# {one.path[-1]}: {one.reason}" for one in settings if one.reason]
    lines += [f"# {one.path[-1]} sends {one.lets_out}" for one in settings if one.lets_out]
    lines += [f"# leave {setting} off: it sends {what}" for setting, what in client.keep_off]
    for one in client.settings:
        if one.when != "always" and one.path not in {setting.path for setting in settings}:
            said = "; ".join(filter(None, (f"it sends {one.lets_out}" if one.lets_out else "", one.reason)))
            lines.append(f"# --{one.when} adds {one.path[-1]}" + (f": {said}" if said else ""))
    return "\n".join([*lines, *(f"# note: {remark}" for remark in client.remarks)]) + "\n"


def _written(
    client: "Client",
    path: Path,
    settings: "tuple[Setting, ...]",
    token_env: str | None,
    *,
    is_sure: bool,
    is_json: bool,
) -> Answer:
    from pipeline.connect import planned, write
    from pipeline.report.escape import escape

    change = planned(client, path, settings)
    data = _data(client, settings, token_env) | {"file": str(path), "is_changed": not change.is_empty, "backup": None}
    warnings = _after(client, change, token_env)
    if change.is_empty:
        return Answer(data, f"{escape(str(path))} says all of it already\n", warnings)
    data["diff"] = change.diff
    if not is_json:
        typer.echo(_shown(data["diff"]), nl=False)
    if not is_sure and not _is_agreed(path, is_json=is_json):
        return Answer(data | {"is_changed": False}, f"{escape(str(path))} stays as it is\n")
    backup = write(change)
    data["backup"] = str(backup) if backup else None
    kept = f"; what it was is in {escape(str(backup))}" if backup else ""
    return Answer(data, f"wrote {escape(str(path))}{kept}\n", warnings)


def _shown(diff: str) -> str:
    """Return a diff for a terminal; escaping drops the space at a line's start, which says what the line is."""
    from pipeline.report.escape import escape

    lines = [(line[: len(line) - len(line.lstrip(" \t+-"))], line.lstrip(" \t+-")) for line in diff.splitlines()]
    return "".join(f"{start}{escape(rest)}\n" for start, rest in lines)


def _is_agreed(path: Path, *, is_json: bool) -> bool:
    if is_json or not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise RecoupError(
            "CONFIRMATION_REQUIRED", f"nobody can be asked about {path} here", context={"path": str(path)}
        )
    return typer.confirm(f"Write this to {path}?", default=False, err=True)


def _after(client: "Client", change: "Change", token_env: str | None) -> tuple[str, ...]:
    from collectors.connect import header_line
    from pipeline.connect import blocked_by

    said = [f"{setting} is set, so nothing is sent: remove it" for setting in blocked_by(client, change.after)]
    if token_env:
        said.append(f"the token is not written to the file; the shell needs: {header_line(token_env)}")
    return tuple(said)
