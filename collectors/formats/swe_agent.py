"""SWE-agent trajectories (`.traj`): one document with `trajectory`, a list of `{action, observation, response, state}`.

An action is a line for a shell, or one of the agent's own commands (`open`, `edit 10:12`, `create`, `search_dir`,
...), which is a tool with the words behind it. There are no ids and no flag of failure: only the harness's own
sentences say that an edit was refused or that a command was not run. `state` is JSON in a string before 1.0, an object
after; the open file in it is what an `edit` is about. A demonstration has `history` alone: assistant messages with an
`action`, each followed by the message with its observation. Source: recorded and replayed runs, SWE-agent's public
source.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from msgspec import Struct

from collectors.events import Event, Record
from collectors.formats._documents import read_document
from collectors.formats._events import decoded
from collectors.formats._heads import fields
from collectors.formats._outcomes import ERROR, KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._runs import at, base_event, call_of, ended, opening, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "swe_agent"
TITLE = "SWE-agent trajectory"
WHERE: tuple[str, ...] = ("**/*.traj",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times; only how long a command took, from 0.7 on",
    "exit codes, and whether a command failed, beyond what the harness says in words",
    "which model ran, in older files",
)

_COMMANDS = (
    "open goto scroll_down scroll_up create edit insert append search_dir search_file find_file submit filemap"
    " undo_edit str_replace_editor view_image exit_forfeit exit_cost exit_context exit_format skip debug_start"
    " debug_add_breakpoint debug_continue debug_step debug_exec debug_stop connect_start connect_sendline"
    " connect_exec connect_stop decompile disassemble"
)
_OWN = frozenset(_COMMANDS.split())
_PATH_FIRST = frozenset({"open", "create"})
_TEXTS: tuple[tuple[str, Outcome], ...] = (
    (r"Your proposed edit has introduced new syntax error", Outcome(ERROR, "edit_refused")),
    (r"Your bash command contained syntax errors and was NOT executed", Outcome(NOT_RUN, "syntax_error")),
    (r"Your command contained syntax errors", Outcome(NOT_RUN, "syntax_error")),
    (r"Interactive operation .{0,300} is not supported by this environment", Outcome("blocked", "policy")),
    (r"The command .{0,4000}? was cancelled because it took more than", Outcome(KILLED, TRANSPORT_TIMEOUT)),
    (r"\s*EXECUTION TIMED OUT", Outcome(KILLED, TRANSPORT_TIMEOUT)),
)
_OWN_TEXTS: tuple[tuple[str, Outcome], ...] = (
    (r"\[File: |Text replaced|File updated|Found \d+ matches", Outcome(OK, "tool_text")),
    (r"(?:Usage: |Error: |File .{1,300} (?:not found|does not exist)|No file open)", Outcome(ERROR, "tool_text")),
)
_KNOWN = tuple((re.compile(pattern, re.DOTALL), outcome) for pattern, outcome in _TEXTS)
_KNOWN_OWN = tuple((re.compile(pattern), outcome) for pattern, outcome in _OWN_TEXTS)
_READ = 5_000


class Turn(Struct, gc=False):
    """One step, or one message of a history."""

    action: str | None = None
    observation: Any = None
    response: Any = None
    thought: str | None = None
    execution_time: int | float | None = None
    state: Any = None
    role: str | None = None
    content: Any = None


class Document(Struct, gc=False):
    """The whole file; a history repeats the trajectory, so it is decoded only where it stands alone."""

    trajectory: list[Turn] | None = None
    history: list[Turn] | None = None
    info: dict[str, Any] | None = None


class Step(NamedTuple):
    """An action and what came of it."""

    position: int
    turn: Turn
    observation: str | None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document has a trajectory of actions, or a history of messages with agents and actions."""
    seen = fields(head)
    return "trajectory[].action" in seen or ("history[].action" in seen and "history[].agent" in seen)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a run; a step, or a message of a history, is a record."""
    return read_document(lines, path, Document, lambda found, flags: _records(found, path, flags))


def _records(found: Document, path: str, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    steps = _steps(found, skipped)
    info = found.info or {}
    began = [(step.turn.action, step.turn.thought) for step in steps[:3]]
    session = f"{PurePath(path).stem}:{opening(*began)}"
    base = base_event(NAME, path, session, agent_name="SWE-agent", flags=flags or None)
    for step in steps:
        here = at(base, step.position, call_id=str(step.position), turn_id=f"{session}/{step.position}")
        yield from _events(here, step)
    yield from ended(at(base, len(found.trajectory or found.history or ()) + 1), info.get("exit_status"))
    yield from counted(skipped)


def _steps(found: Document, skipped: Counter[str]) -> list[Step]:
    if found.trajectory:
        turns = enumerate(found.trajectory, 1)
        return [Step(number, turn, text_of(turn.observation)) for number, turn in turns if turn.action]
    history = found.history or []
    steps = []
    for number, turn in enumerate(history, 1):
        if turn.role == "assistant" and turn.action:
            after = history[number] if number < len(history) else turn
            answer = after if after.role != "assistant" else None
            steps.append(Step(number, turn, None if answer is None else text_of(answer.content)))
        elif turn.role != "tool":
            count(skipped, f"message:{turn.role}")
    return steps


def _events(here: Event, step: Step) -> Iterator[Event]:
    turn = step.turn
    state = decoded(turn.state) if isinstance(turn.state, str) else turn.state
    state = state if isinstance(state, dict) else {}
    cwd = state.get("working_dir")
    name, values = _called((turn.action or "").strip(), state.get("open_file"))
    yield call_of(
        here,
        name,
        values,
        cwd=cwd if isinstance(cwd, str) else None,
        raw=(turn.action or "").encode("utf-8", "replace"),
    )
    yield from said(here, "answer", turn.thought)
    if step.observation is None:
        return
    seconds = turn.execution_time
    duration = round(seconds * 1_000) if seconds is not None and 0 <= seconds < 10**8 else None
    outcome = _outcome(name, step.observation)
    yield result_of(here, step.observation, outcome, is_data=name == "submit", slots={"duration_ms": duration})


def _called(action: str, open_file: object) -> tuple[str, dict[str, object]]:
    """Return the tool of an action and its arguments."""
    name, _, rest = action.partition("\n" if "\n" in action.partition(" ")[0] else " ")
    name = name.strip()
    if name not in _OWN:
        return "bash", {"command": action}
    values: dict[str, object] = {"input": rest} if rest else {}
    words = _words(rest)
    if name in _PATH_FIRST and words:
        values = {"path": words[0], "input": " ".join(words[1:])}
    elif name == "str_replace_editor" and len(words) > 1:
        values = {"command": words[0], "path": words[1], "input": rest}
    elif name in ("edit", "insert", "append", "goto", "scroll_down", "scroll_up") and isinstance(open_file, str):
        values["path"] = open_file
    return name, values


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text[:_READ])
    except ValueError:
        return text[:_READ].split()


def _outcome(name: str, text: str) -> Outcome | None:
    known = _KNOWN if name == "bash" else (*_KNOWN, *_KNOWN_OWN)
    if name == "submit":
        return Outcome(OK, "submitted")
    return next((outcome for pattern, outcome in known if pattern.match(text[:_READ])), None)
