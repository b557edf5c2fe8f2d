"""InterCode results: one document of tasks by number, each with `turn_history.{actions, observations, valid_action}`.

An action is a line for the environment: a shell (`ic_bash`), a database (`ic_sql`), Python (`ic_python`). An action
that the environment could not carry out has `valid_action` false; its exit code, where it had one, is not kept.
Source: the published result files.
"""

import functools
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct

from collectors.events import Event, Record
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._outcomes import ERROR, Outcome
from collectors.formats._runs import at, base_event, call_of, opening, result_of, said, text_of

NAME = "intercode"
TITLE = "InterCode results"
WHERE: tuple[str, ...] = ("**/ic_*_multiturn_*.json",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times and exit codes",
    "whether an action failed that could be carried out",
    "what the agent said beside its actions",
)

_INVALID = Outcome(ERROR, "valid_action")
_SHELL = "ic_bash"
_SUBMIT = "submit"


class History(Struct, gc=False):
    """What was done, and what came of it."""

    actions: list[Any] | None = None
    observations: list[Any] | None = None
    valid_action: list[Any] | None = None


class Task(Struct, gc=False):
    """One task."""

    environment: str | None = None
    dataset: str | None = None
    task_id: int | str | None = None
    query: str | None = None
    turn_history: History | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the first task of the document has a `turn_history` of actions and observations."""
    seen = fields(head)
    return any(place.endswith(".turn_history.actions") for place in seen)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of all tasks, one session each; an action is a record, numbered through the file."""
    return read_document(lines, path, dict[str, Task], functools.partial(_records, path))


def _records(path: str, found: dict[str, Task], flags: tuple[str, ...]) -> Iterator[Record]:
    position = 0
    for key, task in found.items():
        history = task.turn_history or History()
        actions = history.actions or []
        observations, valid = history.observations or [], history.valid_action or []
        session = f"{task.environment}.{key}:{opening(task.dataset, task.query, actions[:3], observations[:3])}"
        base = base_event(NAME, path, session, agent_name="intercode", flags=flags or None)
        yield from said(at(base, position + 1), "prompt", task.query)
        for index, action in enumerate(actions):
            position += 1
            here = at(base, position, call_id=str(index + 1), turn_id=f"{session}/{index + 1}")
            yield _call(here, task, text_of(action))
            if index < len(observations):
                is_valid = valid[index] if index < len(valid) else None
                yield _result(here, text_of(observations[index]), is_valid)


def _call(here: Event, task: Task, action: str) -> Event:
    if action.strip() == _SUBMIT:
        return call_of(here, _SUBMIT, {})
    if task.environment == _SHELL:
        return call_of(here, "bash", {"command": action}, raw=action.encode("utf-8", "replace"))
    return call_of(here, task.environment or "environment", {"input": action})


def _result(here: Event, text: str, is_valid: object) -> Event:
    return result_of(here, text, _INVALID if is_valid is False else None)
