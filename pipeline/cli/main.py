"""What both programs share: options, and the one place where an answer or a failure becomes output and exit code."""

import inspect
import os
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath
from typing import Annotated, TextIO

import typer

from pipeline.errors import RecoupError

SCHEMA_VERSION = "1"
"""Of the envelope that both programs print with `--json`."""
_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""What a shell reports for a program that SIGPIPE ended."""
_SPANS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}
_SPAN = re.compile(r"(\d{1,5})([mhdw])")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command answers."""

    data: object
    """For programs: JSON values."""
    text: str
    """For people; nothing in it may move a cursor."""
    warnings: tuple[str, ...] = ()
    exit_code: int = 0
    """Not 0 where the answer itself is a no, as that of a gate; a failure is a `RecoupError`."""


def moment(text: str) -> datetime:
    """Return the moment that `2026-03-01`, `2026-03-01T12:00` (UTC unless a zone is named) or `7d` (ago) names."""
    span = _SPAN.fullmatch(text.strip())
    try:
        if span:
            return datetime.now(UTC) - int(span[1]) * _SPANS[span[2]]
        stated = datetime.fromisoformat(text.strip())
    except ValueError as fault:
        raise typer.BadParameter(
            f"{text!r} is no date, time or span: write 2026-03-01, 2026-03-01T12:00 or 7d"
        ) from fault
    return stated if stated.tzinfo else stated.replace(tzinfo=UTC)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"recoup {version()}")
        raise typer.Exit


Store = Annotated[Path, typer.Option("--store", envvar="RECOUP_STORE", help="The store's file.", show_default=True)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON envelope, for programs.")]
Since = Annotated[
    datetime | None,
    typer.Option(
        "--since", parser=moment, metavar="TIME", help="Only sessions that began then or later: 2026-03-01 or 7d."
    ),
]
Until = Annotated[
    datetime | None,
    typer.Option("--until", parser=moment, metavar="TIME", help="Only what happened before."),
]
Tool = Annotated[str | None, typer.Option("--tool", metavar="NAME", help="Only this tool.")]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config", metavar="FILE", help="Settings; else the nearest recoup.toml or [tool.recoup] of a pyproject.toml."
    ),
]
Version = Annotated[
    bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and exit.")
]
DEFAULT_STORE = Path("recoup.duckdb")


def version() -> str:
    """Return the installed version of recoup."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("recoup")
    except PackageNotFoundError:
        return "unknown"


def program(help: str, epilog: str) -> typer.Typer:
    """Return an empty program; its help is plain text, which people, pipes and agents can read."""
    return typer.Typer(
        help=help,
        epilog=epilog,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def run(app: typer.Typer, name: str, argv: Sequence[str] | None = None) -> int:
    """Run a program and return its exit code; whatever happens, its output is an answer or a failure's ladder.

    A failure goes to stdout as an envelope where `--json` is given or stdout is no terminal, and as text with hints to
    stderr where that is one (or stdout is).
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    started = time.monotonic()
    _keep_lines(app)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # file names and log text that the terminal cannot encode
    try:
        end = _attempt(app, name, arguments, started)
        if isinstance(end, RecoupError):
            _emit_failure(end, name, arguments, started)
    except BrokenPipeError:
        # the reader has gone; nothing may be written any more, not even by the interpreter's last flush
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    return end.entry.exit_code if isinstance(end, RecoupError) else end


def _keep_lines(app: typer.Typer) -> None:
    """Let examples keep their lines: the mark for that, raw in a docstring, becomes the character it stands for."""
    for command in app.registered_commands:
        told = command.help or inspect.getdoc(command.callback)
        command.help = told.replace("\\b\n", "\b\n") if told else None


def _attempt(app: typer.Typer, name: str, arguments: list[str], started: float) -> RecoupError | int:
    """Run a program and print its answer; return its exit code, or what went wrong."""
    try:
        answer = app(args=arguments, prog_name=name, standalone_mode=False)
        if answer == _INTERRUPTED:  # typer's own answer to Ctrl-C
            return _interrupted()
        if isinstance(answer, Answer):
            _emit_answer(answer, name, arguments, started)
        sys.stdout.flush()
        return answer.exit_code if isinstance(answer, Answer) else 0
    except RecoupError as fault:
        return fault
    except typer.TyperException as fault:
        return _usage(fault)
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except MemoryError:
        return RecoupError("MEMORY_EXHAUSTED", "out of memory")
    except BrokenPipeError:
        raise
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # typer's own answer to it
            raise BrokenPipeError from end
        raise
    except Exception as fault:  # noqa: BLE001 - the outermost place: a defect becomes an error that names its place
        return _defect(fault)


def _interrupted() -> RecoupError:
    return RecoupError("INTERRUPTED", "interrupted; what was committed before is kept")


def _usage(fault: typer.TyperException) -> RecoupError:
    context = getattr(fault, "ctx", None)
    command = context.command_path if context else None
    if type(fault).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(fault.format_message() + "\n")
        message = "no command was named"
    else:
        said = fault.format_message().strip().rstrip(".")
        message = said[:1].lower() + said[1:]
    return RecoupError("ARGUMENT_INVALID", message, context={"help": f"{command} --help"} if command else None)


def _defect(fault: Exception) -> RecoupError:
    import traceback

    frames = traceback.extract_tb(fault.__traceback__)
    ours = [frame for frame in frames if {"pipeline", "collectors"} & set(PurePath(frame.filename).parts)] or frames
    place = "/".join(PurePath(ours[-1].filename).parts[-3:]) + f":{ours[-1].lineno}"
    context = {"fault": type(fault).__name__, "place": place, "version": version()}
    return RecoupError("INTERNAL_FAULT", f"{type(fault).__name__} at {place}: {str(fault)[:300]}", context=context)


def _is_json(arguments: list[str]) -> bool:
    """Tell whether `--json` was given, also where the arguments cannot be understood."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return "--json" in arguments[:end]


def _emit_answer(answer: Answer, name: str, arguments: list[str], started: float) -> None:
    if _is_json(arguments):
        _write_json(_envelope(answer.data, None, answer.warnings, _meta(name, arguments, started)))
        return
    sys.stdout.write(answer.text)
    for warning in answer.warnings:
        _write_line(sys.stderr, f"warning: {warning}")


def _emit_failure(fault: RecoupError, name: str, arguments: list[str], started: float) -> None:
    # a static command would act on the default store, not on the one that was named
    is_store_named = any(argument == "--store" or argument.startswith("--store=") for argument in arguments)
    error = fault.to_error(with_fix_command=not is_store_named)
    if _is_json(arguments) or not sys.stdout.isatty():
        _write_json(_envelope(None, error, (), _meta(name, arguments, started)))
        sys.stdout.flush()
        if not sys.stderr.isatty():
            return
    _write_line(sys.stderr, f"error: {fault.message} ({fault.entry.code})")
    for hint in _hints(error):
        _write_line(sys.stderr, f"hint: {hint}")


def _hints(error: dict[str, object]) -> list[str]:
    hints = []
    wait = error.get("retry_after_ms")
    if error["retryable"]:
        hints.append(
            f"the same call may succeed after {wait / 1000:g} s" if isinstance(wait, int) and wait else "run it again"
        )
    fix = str(error.get("fix_required") or "")
    if fix:
        hints.append(fix[0].lower() + fix[1:] + (f": `{error['fix_command']}`" if "fix_command" in error else ""))
    context = error.get("context")
    if isinstance(context, dict) and "help" in context:
        hints.append(f"`{context['help']}` lists what is understood")
    return hints + ([str(error["suggestion"])] if "suggestion" in error else [])


def _meta(name: str, arguments: list[str], started: float) -> dict[str, object]:
    command = next((argument for argument in arguments if not argument.startswith("-")), None)
    meta: dict[str, object] = {
        "command": f"{name} {command}" if command else name,
        "tool_version": version(),
        "schema_version": SCHEMA_VERSION,
        "duration_ms": round((time.monotonic() - started) * 1000),
    }
    trace = os.environ.get("TOOL_TRACE_ID")
    return meta | ({"trace_id": trace} if trace else {})


def _envelope(data: object, error: object, warnings: Sequence[str], meta: dict[str, object]) -> dict[str, object]:
    return {"ok": error is None, "data": data, "error": error, "warnings": list(warnings), "meta": meta}


def _write_json(value: object) -> None:
    import json

    # ASCII: text of logs may hold halves of surrogate pairs, which no encoding but JSON's escapes can carry
    sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")


def _write_line(stream: TextIO, text: str) -> None:
    from pipeline.report.escape import escape

    stream.write(escape(text) + "\n")
