"""Transcripts of Antigravity, `transcript.jsonl`: a step a line, `{step_index, source, type, status, created_at, ...}`.

A call is an entry of `tool_calls` (`name`, `args`) of a step `PLANNER_RESPONSE`; it has no id. What it came to is one
of the steps that follow, of the source `MODEL` and a type named after the kind of tool (`RUN_COMMAND`, `VIEW_FILE`,
`CODE_ACTION`): the first such step that fits answers it, until the next response. A step that no call before it fits is
a result alone. Arguments may be JSON inside of text. A result's text begins with the lines `Created At:` and `Completed
At:`, a command's then with `The command completed successfully.` or `The command failed with exit code: N`. Source:
transcripts as fixtures of a public reader, and transcripts that people published.
"""

import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._events import decoded
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, call_of, result_of, said
from collectors.formats._skipped import count, counted

NAME = "antigravity"
TITLE = "Antigravity transcript"
WHERE: tuple[str, ...] = ("~/.gemini/antigravity*/brain/*/.system_generated/logs/transcript*.jsonl",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "the model and tokens",
    "which of several calls a result answers, otherwise than by the kind of tool and their order",
    "how calls ended, other than commands and steps whose status is ERROR",
    "texts that the program itself left out of the transcript",
)

NO_ID = "no_call_id"
_GENERATED = ".system_generated"
_RESPONSE = "PLANNER_RESPONSE"
_COMMAND = "RUN_COMMAND"
_TOOLS = {
    _COMMAND: frozenset({"run_command"}),
    "CODE_ACTION": frozenset({"write_file", "write_to_file", "replace_file_content", "multi_replace_file_content"}),
    "GREP_SEARCH": frozenset({"grep_search"}),
    "LIST_DIRECTORY": frozenset({"list_dir"}),
    "SEARCH_WEB": frozenset({"search_web"}),
    "VIEW_FILE": frozenset({"view_file"}),
}
"""Tools by the type of the step that answers them; a step of another type answers any tool that is not among these."""
_KNOWN = frozenset().union(*_TOOLS.values())
# the model says what it does in words of its own, which tell no call from another
_DROPPED = frozenset({"toolAction", "toolSummary"})
_TIMES = re.compile(r"Created At: ([^\n]{1,40})\n(?:Completed At: ([^\n]{1,40})\n)?\s{0,8}")
_ENDED = re.compile(
    r"The command (?:completed successfully\.|failed with exit code: (-?\d{1,5}))[ \t]{0,8}\n?"
    r"(?:[ \t]{0,8}Output:[ \t]{0,8}\n?)?[ \t]{0,8}"
)


class Call(Struct, gc=False):
    """One entry of `tool_calls`."""

    name: str | None = None
    args: Any = None


class Line(Struct, gc=False):
    """One step."""

    step_index: int | None = None
    source: str | None = None
    type: str | None = None
    status: str | None = None
    created_at: str | int | float | None = None
    content: str | None = None
    tool_calls: list[Call] | None = None


class Session(Struct, gc=False):
    """The calls of the last response that wait for a result."""

    path: str
    id: str
    waiting: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """Names of tools and calls, oldest first."""


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the file starts with a numbered step that has a source, a type, a status and a time."""
    lines = complete(head)
    return bool(lines) and _is_own(lines[0])


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a conversation, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    folders = PurePath(path).parts[:-1]
    is_in_place = _GENERATED in folders[1:]
    session = Session(path, folders[folders.index(_GENERATED, 1) - 1] if is_in_place else PurePath(path).stem)
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, session, skipped))
    yield from counted(skipped)


def _records(
    session: Session, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None:
        key = str(number if line.step_index is None else line.step_index)
        base = base_event(NAME, session.path, session.id, agent_name="Antigravity", flags=flags or None)
        events = _events(session, at(base, number, line.created_at, turn_id=f"{session.id}/{key}"), line, key)
    if not events:
        count(skipped, "not_an_object" if line is None else line.type or "untyped")
    return events


def _events(session: Session, here: Event, line: Line, key: str) -> list[Event]:
    if line.source == "USER_EXPLICIT" and line.type == "USER_INPUT":
        return said(here, "prompt", line.content, key=key)
    if line.source == "SYSTEM" and line.type == "CHECKPOINT":
        return said(here, "compaction", "compaction", key=key)
    if line.source != "MODEL":
        return []
    if line.type == _RESPONSE:
        session.waiting.clear()
        events = [_call(session, here, call, f"{key}.{index}") for index, call in enumerate(line.tool_calls or ())]
        return events + said(here, "answer", line.content, key=key)
    return [_result(session, here, line, key)] if line.content else []


def _call(session: Session, here: Event, call: Call, call_id: str) -> Event:
    name = (call.name or "").rpartition(":")[2]
    session.waiting.append((name, call_id))
    here = replace(here, call_id=call_id, flags=merged(here.flags, (NO_ID,)))
    return call_of(here, name, _arguments(name, call.args))


def _arguments(name: str, args: object) -> object:
    """Return the arguments, a command under the names that shells have in other formats."""
    if not isinstance(args, dict):
        return args
    values = {key: _plain(value) for key, value in args.items() if key not in _DROPPED}
    if name == "run_command" and isinstance(values.get("CommandLine"), str):
        return {"command": values["CommandLine"], "cwd": values.get("Cwd")}
    return values


def _plain(value: object) -> object:
    """Return the string that a string holds as JSON; any other value as it is."""
    if not isinstance(value, str) or len(value) < 2 or value[0] != '"' or value[-1] != '"':
        return value
    found = decoded(value)
    return found if isinstance(found, str) else value


def _result(session: Session, here: Event, line: Line, key: str) -> Event:
    text = line.content or ""
    times = _TIMES.match(text)
    if times is not None:
        here = at(here, here.position or 1, times[2] or times[1])
        text = text[times.end() :]
    here = replace(here, call_id=_answered(session, line.type or "") or key, flags=merged(here.flags, (NO_ID,)))
    found = _ENDED.match(text) if line.type == _COMMAND else None
    if found is not None and found[1] is not None:
        return result_of(here, text[found.end() :], exit_code=int(found[1]))
    if found is not None:
        return result_of(here, text[found.end() :], Outcome(OK))
    return result_of(here, text, Outcome(ERROR, "status") if line.status == "ERROR" else None)


def _answered(session: Session, kind: str) -> str | None:
    """Return the oldest waiting call that a step of this type can answer, which then waits no more."""
    tools = _TOOLS.get(kind)
    for place, (name, call_id) in enumerate(session.waiting):
        if name in tools if tools is not None else name not in _KNOWN:
            del session.waiting[place]
            return call_id
    return None


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    stated = (found.step_index, found.source, found.type, found.status, found.created_at)
    return all(value is not None for value in stated)
