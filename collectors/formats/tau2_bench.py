"""tau2-bench results: one document with `simulations`, or one simulation of a voice run in a file of its own.

Both the agent and the simulated user call tools: an entry of `tool_calls` and the message with the role `tool` that
answers it say by `requestor` whose call it is, and the user's calls have the actor `user`. `error` is a flag. Call ids
may repeat within a simulation: a repeated one is told apart by its number. Voice runs have `ticks` with chunks of
speech of agent and user; their tool calls and results stand in the chunk of whoever called. Times have no offset.
Source: results of 2025 and 2026.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._chat import ToolCall, numbered
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._runs import at, base_event, call_of, ended, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "tau2_bench"
TITLE = "tau2-bench results"
WHERE: tuple[str, ...] = ("**/data/tau2/simulations/*.json",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the time zone",
    "how long a call took: it is answered within the simulation",
    "in voice runs, what was said in one piece",
)

_USER = "user"
_ERROR = Outcome(ERROR, "error_flag")
_OK = Outcome(OK)


class Call(ToolCall, gc=False):
    """A call that says who made it."""

    requestor: str | None = None


class Usage(Struct, gc=False):
    """Tokens of a message."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class Message(Struct, gc=False):
    """One message, or one chunk of speech."""

    role: str | None = None
    id: str | None = None
    content: Any = None
    tool_calls: list[Call] | None = None
    tool_messages: list["Message"] | None = None
    requestor: str | None = None
    error: bool | None = None
    turn_idx: int | None = None
    timestamp: str | int | float | None = None
    usage: Usage | None = None


class Tick(Struct, gc=False):
    """A moment of a voice run."""

    timestamp: str | int | float | None = None
    agent_chunk: Message | None = None
    user_chunk: Message | None = None
    agent_tool_calls: list[Call] | None = None
    user_tool_calls: list[Call] | None = None
    agent_tool_results: list[Message] | None = None
    user_tool_results: list[Message] | None = None


class Simulation(Struct, gc=False):
    """One run of one task."""

    id: str | None = None
    task_id: int | str | None = None
    end_time: str | int | float | None = None
    termination_reason: str | None = None
    messages: list[Message] | None = None
    ticks: list[Tick] | None = None


class Party(Struct, gc=False):
    """Which model plays a part."""

    llm: str | None = None


class Info(Struct, gc=False):
    """What all simulations share."""

    agent_info: Party | None = None
    user_info: Party | None = None


class Document(Simulation, gc=False):
    """A file of results, or of one simulation."""

    info: Info | None = None
    simulations: list[Simulation] | None = None


class Run(Struct, gc=False):
    """One simulation while it is read."""

    base: Event
    models: dict[str, str | None]
    names: Counter[str]
    skipped: Counter[str]


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document has tau2's `info` of agent and user, or is a simulation with ticks or messages."""
    seen = fields(head)
    if "info.user_info" in seen and "info.git_commit" in seen:
        return True
    return {"id", "task_id", "termination_reason"} <= seen.keys() and ("ticks" in seen or "messages" in seen)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of all simulations, one session each; a message is a record, numbered through the file."""
    return read_document(lines, path, Document, functools.partial(_records, path))


def _records(path: str, found: Document, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    info = found.info or Info()
    models = {
        "main": info.agent_info.llm if info.agent_info else None,
        _USER: info.user_info.llm if info.user_info else None,
    }
    position = 0
    for number, simulation in enumerate(found.simulations or [found], 1):
        session = simulation.id or f"simulation.{number}"
        base = base_event(NAME, path, session, agent_name="tau2-bench", flags=flags or None)
        run = Run(base, models, Counter(), skipped)
        messages = simulation.messages or [part for tick in simulation.ticks or () for part in _ticked(tick)]
        for message in messages:
            position += 1
            events = _message(run, message, position)
            if not events:
                count(skipped, f"message:{message.role}")
            yield from events
        yield from ended(at(base, position + 1, simulation.end_time), simulation.termination_reason)
    yield from counted(skipped)


def _ticked(tick: Tick) -> Iterator[Message]:
    """Yield what a tick holds, calls before their results, with the time of the tick."""
    for role, chunk, calls, results in (
        ("assistant", tick.agent_chunk, tick.agent_tool_calls, tick.agent_tool_results),
        ("user", tick.user_chunk, tick.user_tool_calls, tick.user_tool_results),
    ):
        chunk = chunk or Message()
        yield replace(
            chunk,
            role=role,
            content=None if not isinstance(chunk.content, str) else chunk.content,
            tool_calls=[*(chunk.tool_calls or ()), *(calls or ())] or None,
            timestamp=chunk.timestamp or tick.timestamp,
        )
        for result in results or ():
            yield replace(result, role="tool", timestamp=result.timestamp or tick.timestamp)


def _message(run: Run, message: Message, position: int) -> list[Event]:
    here = at(run.base, position, message.timestamp, turn_id=f"{run.base.session_id}/{position}")
    if message.role == "tool":
        here = _by(run, here, message.requestor)
        call_id = numbered(run.names, message.id or str(position), is_call=False)
        told = None if message.error is None else _ERROR if message.error else _OK
        return [result_of(replace(here, call_id=call_id), text_of(message.content), told)]
    calls = [_call(run, here, call, message, index) for index, call in enumerate(message.tool_calls or ())]
    if message.role == "assistant":
        usage = message.usage or Usage()
        here = replace(
            here, model=run.models["main"], input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens
        )
        return calls + said(here, "answer", text_of(message.content))
    return calls + (said(here, "prompt", text_of(message.content)) if message.role == _USER else [])


def _call(run: Run, here: Event, call: Call, message: Message, index: int) -> Event:
    here = _by(run, here, call.requestor or message.role)
    call_id = numbered(run.names, call.id or f"{here.position}.{index}", is_call=True)
    return call_of(replace(here, call_id=call_id), call.name or "", call.arguments)


def _by(run: Run, here: Event, requestor: str | None) -> Event:
    actor = _USER if requestor == _USER else "main"
    return replace(here, actor_id=actor, model=run.models[actor])
