"""Chat messages as OpenAI's API has them, which several benchmarks keep."""

from collections import Counter
from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._outcomes import Outcome
from collectors.formats._runs import call_of, result_of, said, text_of


class Function(Struct, gc=False):
    """What is called; the arguments are JSON in a string, or an object."""

    name: str | None = None
    arguments: Any = None


class ToolCall(Struct, gc=False):
    """One entry of `tool_calls`; some writers leave out the `function` around its name and arguments."""

    id: str | None = None
    function: Function | str | None = None
    name: str | None = None
    arguments: Any = None
    args: Any = None


class Message(Struct, gc=False):
    """One message."""

    role: str | None = None
    content: Any = None
    tool_calls: list[ToolCall] | None = None
    tool_call_id: str | None = None


def chat_events(
    here: Event, message: Message, told: Callable[[str], tuple[str, Outcome | None]], names: Counter[str]
) -> list[Event]:
    """Return the events of a message.

    Args:
        here: session, actor, turn, place and time.
        message: the message; a role other than `user`, `assistant` and `tool` gives nothing.
        told: from a tool's answer to its text without what the harness put around it, and to what that states.
        names: how often an id was used in this run; see `numbered`.
    """
    text = text_of(message.content)
    if message.role == "tool":
        printed, outcome = told(text)
        call_id = numbered(names, message.tool_call_id or str(here.position), is_call=False)
        return [result_of(replace(here, call_id=call_id), printed, outcome)]
    if message.role == "user":
        return said(here, "prompt", text)
    if message.role != "assistant":
        return []
    return calls_of(here, message.tool_calls, names) + said(here, "answer", text)


def calls_of(here: Event, calls: list[ToolCall] | None, names: Counter[str]) -> list[Event]:
    """Return the calls of a message; one without an id is named by its place."""
    events = []
    for index, call in enumerate(calls or ()):
        named = replace(here, call_id=numbered(names, call.id or f"{here.position}.{index}", is_call=True))
        function = call.function
        if isinstance(function, Function):
            events.append(call_of(named, function.name or "", function.arguments))
        else:
            values = call.args if call.arguments is None else call.arguments
            events.append(call_of(named, function or call.name or "", values))
    return events


def numbered(names: Counter[str], call_id: str, *, is_call: bool) -> str:
    """Return the id, with its number where the run used it before; results come in the order of their calls."""
    key = f"{'c' if is_call else 'r'}:{call_id}"
    names[key] += 1
    return call_id if names[key] == 1 else f"{call_id}#{names[key]}"
