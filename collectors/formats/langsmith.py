"""LangSmith runs: the requests of its SDK, `{method, path, body}` a line, or exported runs, one a line.

A run of the type `tool` is a call; `POST /runs` brings its `inputs`, `PATCH /runs/<id>` its `outputs`, `error` and
`end_time`; a batch has lists of both, an exported run has all at once. `error` is the exception's repr and traceback.
A returned envelope that says not ok is no error of the run. A run of a model with an error is an error of the model's
API. Session is the thread that the metadata name, else the trace. Source: requests of the Python SDK 0.15 and its
public schema.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._runs import at, base_event, call_of, result_of, said
from collectors.formats._skipped import count, counted

NAME = "langsmith"
TITLE = "LangSmith runs"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = True
CANNOT_TELL: tuple[str, ...] = (
    "exit codes, unless a tool returns them",
    "which calls were made together: the parent run is the chain, not the step of the model",
    "what people said",
)

_THREADS = ("session_id", "thread_id", "conversation_id")


class Run(Struct, gc=False):
    """A run, or the part of it that a request brings."""

    id: str | None = None
    trace_id: str | None = None
    parent_run_id: str | None = None
    run_type: str | None = None
    name: str | None = None
    inputs: Any = None
    outputs: Any = None
    error: str | None = None
    start_time: str | int | float | None = None
    end_time: str | int | float | None = None
    extra: dict[str, Any] | None = None
    post: list["Run"] | None = None
    patch: list["Run"] | None = None


class Line(Run, gc=False):
    """A request, or an exported run."""

    method: str | None = None
    body: Run | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a line is a run with `run_type` and `trace_id`, or a request whose body holds such runs."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of the runs, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, path, skipped))
    yield from counted(skipped)


def _records(
    path: str, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    if line is None:
        count(skipped, "not_an_object")
        return ()
    request = line.body or line
    events: list[Event] = []
    for run in (*(request.post or ()), *(request.patch or ())) or (request,):
        found = _events(path, run, number, flags) if run.id else []
        if not found:
            count(skipped, f"run:{run.run_type}" if run.run_type else "untyped")
        events += found
    return events


def _events(path: str, run: Run, number: int, flags: tuple[str, ...]) -> list[Event]:
    base = base_event(NAME, path, _session(run), agent_name="langsmith", flags=flags or None)
    if run.run_type == "llm" and run.error:
        turn = said(at(base, number, run.end_time), "api_error", "error", key=run.id)
        return [replace(event, reason=run.error.partition("\n")[0][:200]) for event in turn]
    if run.run_type != "tool":
        return []
    base = replace(base, call_id=run.id)
    events = []
    if run.inputs is not None:
        call = call_of(at(base, number, run.start_time), run.name or "", _bare(run.inputs, "input"))
        call.uid = f"c:{run.id}"
        events.append(call)
    if run.end_time is not None or run.error is not None:
        told = Outcome(ERROR, "error") if run.error else Outcome(OK)
        result = result_of(at(base, number, run.end_time), run.error or _text(run.outputs), told)
        result.uid = f"r:{run.id}"
        events.append(result)
    return events


def _session(run: Run) -> str:
    metadata = (run.extra or {}).get("metadata")
    named = [metadata.get(name) for name in _THREADS] if isinstance(metadata, dict) else []
    return next((name for name in named if isinstance(name, str) and name), run.trace_id or run.id or "unnamed")


def _bare(value: object, name: str) -> object:
    """Return what a dictionary with that one member holds."""
    return value[name] if isinstance(value, dict) and list(value) == [name] else value


def _text(outputs: object) -> str:
    bare = _bare(outputs, "output")
    return bare if isinstance(bare, str) else "" if bare is None else msgspec.json.encode(bare).decode()


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    request = found.body or found
    runs = (*(request.post or ()), *(request.patch or ()), request)
    return any(run.id and run.trace_id is not None and run.run_type is not None for run in runs)
