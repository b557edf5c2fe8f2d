"""tau-bench results: a list of `{task_id, reward, info, traj, trial}`, `traj` in messages as OpenAI's API has them.

An id may name several calls of a trial: a repeated one is told apart by its number. A call is an entry of an
assistant's `tool_calls` (arguments are JSON in a string), its result the message with the role `tool` and the same
`tool_call_id`. The environment answers a failed call with a text that begins `Error`, and so does the benchmark itself
for a tool it does not know. Source: the historical trajectories of tau-bench.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from collectors.events import Record
from collectors.formats._chat import Message, chat_events
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._outcomes import ERROR, NOT_RUN, OK, Outcome
from collectors.formats._runs import at, base_event, opening
from collectors.formats._skipped import count, counted

NAME = "tau_bench"
TITLE = "tau-bench results"
WHERE: tuple[str, ...] = ()
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = ("times", "errors otherwise than by the first word of the answer", "which model ran")

_UNKNOWN_TOOL = "Unknown action"


class Trial(Struct, gc=False):
    """One run of one task."""

    task_id: int | str | None = None
    trial: int | str | None = None
    traj: list[Message] | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document is a list of tasks, each with a `traj` of messages."""
    return {"[].task_id", "[].traj", "[].traj[].role"} <= fields(head).keys()


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of all trials, one session each; a message is a record, numbered through the file."""
    return read_document(lines, path, list[Trial], functools.partial(_records, path))


def _records(path: str, found: list[Trial], flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    position = 0
    for trial in found:
        messages = trial.traj or []
        first = [(message.role, message.content) for message in messages[1:4]]
        session = f"{trial.task_id}.{trial.trial}:{opening(*first)}"
        base = base_event(NAME, path, session, agent_name="tau-bench", flags=flags or None)
        names: Counter[str] = Counter()
        for index, message in enumerate(messages, 1):
            position += 1
            events = chat_events(at(base, position, turn_id=f"{session}/{index}"), message, _told, names)
            if not events:
                count(skipped, f"message:{message.role}")
            yield from events
    yield from counted(skipped)


def _told(text: str) -> tuple[str, Outcome | None]:
    if text.startswith(_UNKNOWN_TOOL):
        return text, Outcome(NOT_RUN, "unknown_tool")
    return text, Outcome(ERROR, "text_prefix") if text.startswith("Error") else Outcome(OK)
