"""Harbor / Terminal-Bench trajectories (ATIF): one trajectory a document, or one a line.

`{schema_version: "ATIF-v1.x", session_id, agent, steps[{step_id, source, timestamp?, message, tool_calls?,
observation?, metrics?}]}`. A call is an entry of `tool_calls`, its result an entry of the same step's
`observation.results`, joined by `source_call_id`; where that is missing, results are taken in the order of the calls.
The format has no flag of failure; what converters leave in `extra` (`error`, `exit_code`) is read. Continuations and
sub-agents are files of their own. Source: the ATIF specification (Harbor RFC 0001) and example files of versions 1.5
and 1.7.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._documents import decoded, kept, pieces
from collectors.formats._heads import fields
from collectors.formats._lines import rejected
from collectors.formats._outcomes import ERROR, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, call_of, opening, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "harbor_atif"
TITLE = "Harbor / Terminal-Bench trajectory (ATIF)"
WHERE: tuple[str, ...] = ("**/trajectory.json", "**/agent/trajectory*.json")
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "whether a call failed, and exit codes: the format has neither",
    "when a call began and ended, beyond the time of its step",
    "which result belongs to which call, where `source_call_id` is left out and their numbers differ",
)

_FAILED = Outcome(ERROR, "extra.error")
_UNSTATED = Raw(b"")


class ToolCall(Struct, gc=False):
    """One entry of `tool_calls`."""

    tool_call_id: str | None = None
    function_name: str | None = None
    arguments: Raw = _UNSTATED


class Result(Struct, gc=False):
    """One entry of `observation.results`."""

    source_call_id: str | None = None
    content: Any = None
    extra: dict[str, Any] | None = None


class Observation(Struct, gc=False):
    """What a step saw."""

    results: list[Result] | None = None


class Metrics(Struct, gc=False):
    """Tokens of a step."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None


class Step(Struct, gc=False):
    """One step."""

    step_id: int | str | None = None
    source: str | None = None
    timestamp: str | int | float | None = None
    model_name: str | None = None
    message: Any = None
    tool_calls: list[ToolCall] | None = None
    observation: Observation | None = None
    metrics: Metrics | None = None
    is_copied_context: bool | None = None
    extra: dict[str, Any] | None = None


class Agent(Struct, gc=False):
    """Who ran."""

    name: str | None = None
    version: str | None = None
    model_name: str | None = None


class Trajectory(Struct, gc=False):
    """One trajectory."""

    schema_version: str | None = None
    session_id: str | None = None
    trajectory_id: str | None = None
    agent: Agent | None = None
    steps: list[Step] | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the first trajectory states `schema_version` ATIF and has steps."""
    seen = fields(head)
    return seen.get("schema_version", "").startswith("ATIF") or {"steps[].step_id", "steps[].source"} <= seen.keys()


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of the trajectories; a step is a record, numbered through the file."""
    return kept(_records(b"".join(lines), path))


def _records(content: bytes, path: str) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    position = 0
    parts = pieces(content)
    for number, part in enumerate(parts, 1):
        found, flags, fault = decoded(part, Trajectory)
        if fault is not None:
            is_torn = fault.endswith("truncated") and number == len(parts)
            yield rejected(path, number, part, fault.partition(":")[0], torn=is_torn)
            continue
        yield from _trajectory(found, path, flags, position, skipped)
        position += len(found.steps or ())
    yield from counted(skipped)


def _trajectory(
    found: Trajectory, path: str, flags: tuple[str, ...], position: int, skipped: Counter[str]
) -> Iterator[Event]:
    agent = found.agent or Agent()
    steps = found.steps or []
    session = found.session_id or found.trajectory_id or opening(*(step.message for step in steps[:3]))
    # a sub-agent's trajectory has the session of its parent and an id of its own
    actor = found.trajectory_id if found.trajectory_id != session else None
    base = base_event(
        NAME,
        path,
        session,
        actor_id=actor or "main",
        agent_name=agent.name,
        agent_version=agent.version,
        model=agent.model_name,
        flags=flags or None,
    )
    for place, step in enumerate(steps, position + 1):
        name = str(place if step.step_id is None else step.step_id)
        here = at(base, place, step.timestamp, turn_id=f"{session}/{base.actor_id}/{name}")
        here = replace(here, model=step.model_name or base.model)
        if step.is_copied_context:
            here.flags = merged(here.flags, ("copied",))
        events = [*_step(here, step, name)]
        if not events:
            count(skipped, f"step:{step.source}")
        yield from events


def _step(here: Event, step: Step, name: str) -> Iterator[Event]:
    text = text_of(step.message)
    if step.source != "agent":
        yield from said(here, "prompt", text) if step.source == "user" else ()
        return
    usage = step.metrics or Metrics()
    read_tokens = None if usage.prompt_tokens is None else usage.prompt_tokens - (usage.cached_tokens or 0)
    here = replace(here, input_tokens=_whole(read_tokens), output_tokens=_whole(usage.completion_tokens))
    here = replace(here, actor_id=_actor(step) or here.actor_id)
    calls = [(call.tool_call_id or f"{name}.{index}", call) for index, call in enumerate(step.tool_calls or ())]
    for call_id, call in calls:
        raw = bytes(call.arguments)
        yield call_of(
            replace(here, call_id=call_id), call.function_name or "", msgspec.json.decode(raw) if raw else {}, raw=raw
        )
    yield from said(here, "answer", text)
    results = (step.observation.results if step.observation else None) or []
    ids = [call_id for call_id, _ in calls]
    for index, result in enumerate(results):
        found = result.source_call_id or (ids[index] if index < len(ids) else None)
        if found is not None:
            yield _result(replace(here, call_id=found), result, _inside(step.extra, "calls", found))


def _result(here: Event, result: Result, about: object) -> Event:
    extra = {**(about if isinstance(about, dict) else {}), **(result.extra or {})}
    code = extra.get("exit_code", extra.get("returncode"))
    failed = extra.get("error") or extra.get("is_error")
    return result_of(here, text_of(result.content), _FAILED if failed and code is None else None, exit_code=code)


def _inside(extra: dict[str, Any] | None, *names: str) -> object:
    """Return a member of `extra`, or of the converter's own object in it."""
    for holder in (extra, *(extra or {}).values()):
        value: object = holder
        for name in names:
            value = value.get(name) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def _actor(step: Step) -> str | None:
    found = _inside(step.extra, "actor")
    return found if isinstance(found, str) and found else None


def _whole(value: int | None) -> int | None:
    return value if value is not None and 0 <= value < 2**61 else None
