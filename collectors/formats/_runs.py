"""Events of a run that is a list of messages with calls and answers, as benchmarks and plain transcripts have it."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from collectors.conventions import SESSION_END, TURN
from collectors.events import Event
from collectors.formats import _turns
from collectors.formats._events import decoded, ladder_in, result_event, shell_call, tool_call, turn_event
from collectors.formats._outcomes import OK, Outcome, of_exit
from collectors.formats._results import digest, merged, whole
from collectors.times import MISSING, NAIVE, UNSTATED, parse

SHELLS: Mapping[str, tuple[str, ...]] = dict.fromkeys(
    (
        "bash",
        "bash_command",
        "bash_session",
        "cmd_run",
        "execute",
        "execute_bash",
        "execute_command",
        "run",
        "run_bash",
        "run_command",
        "run_in_terminal",
        "run_shell_command",
        "run_terminal",
        "run_terminal_cmd",
        "shell",
        "shell_exec",
        "sys_os_shell",
        "terminal",
    ),
    ("command", "cmd"),
) | {"bash_tool": ("command", "cmd"), "local_shell": ("command", "cmd")}
"""Tools whose argument is a command string, by lower-case name, and what that argument is called."""

_NOTHING: dict[str, Any] = {}
_UNSAID = Outcome(None)
_TIME_FLAGS = frozenset({MISSING, NAIVE})


def base_event(form: str, path: str, session_id: str, **slots: Any) -> Event:  # noqa: ANN401 - any slot
    """Return what all events of a run share; `slots` are those of `Event`."""
    return Event(event_name="", uid="", session_id=session_id, format=form, path=path, **{"actor_id": "main"} | slots)


def at(base: Event, position: int, time: object = None, **slots: Any) -> Event:  # noqa: ANN401 - any slot
    """Return the base at a record of the run; `slots` are those of `Event`, `time` is as `times.parse` takes it."""
    instant = UNSTATED if time is None else parse(time)
    kept = tuple(flag for flag in base.flags or () if flag not in _TIME_FLAGS)
    flags = merged(kept, (instant.flag,) if instant.flag else None)
    return replace(base, position=position, time_unix_nano=instant.unix_nano, flags=flags, **slots)


def opening(*values: object) -> str:
    """Return the hash of how a run began; it tells runs apart that name no id and stays when they grow."""
    return digest(repr(values).encode("utf-8", "replace"))


def call_of(here: Event, name: str, values: object, *, cwd: str | None = None, raw: bytes = b"") -> Event:
    """Return the call that `here.call_id` names, of a shell where the tool is one and has a command.

    Args:
        here: session, actor, turn, call id, place and time.
        name: the tool.
        values: its arguments, decoded or as JSON text.
        cwd: the directory, where it is known.
        raw: the argument bytes as written.
    """
    if isinstance(values, str):
        found = decoded(values)
        raw, values = raw or values.encode("utf-8", "surrogatepass"), values if found is None else found
    uid = f"c:{here.session_id}/{here.call_id}"
    command = command_of(name, values)
    if command is not None:
        stated = values.get("cwd", values.get("workdir")) if isinstance(values, dict) else None
        return shell_call(here, uid, name, command, cwd=stated if isinstance(stated, str) else cwd, raw=raw)
    return tool_call(here, uid, name, values, cwd=cwd, raw=raw)


def command_of(name: str, values: object) -> str | None:
    """Return the command string of a shell call; None for any other call."""
    if not isinstance(values, dict):
        return None
    given = (values.get(argument) for argument in SHELLS.get(name.lower(), ()))
    return next((command for command in given if isinstance(command, str)), None)


def result_of(
    here: Event,
    text: str,
    outcome: Outcome | None = None,
    *,
    exit_code: object = None,
    is_data: bool = False,
    slots: Mapping[str, Any] = _NOTHING,
) -> Event:
    """Return the result that `here.call_id` names.

    Args:
        here: session, actor, turn, call id, place and time.
        text: what the tool answered.
        outcome: how the call ended, where the record says so; else the exit code tells, else nobody does.
        exit_code: as stated.
        is_data: whether the text is what the call asked for.
        slots: what else the record states.
    """
    ladder = ladder_in(text, here)
    code = whole(exit_code) if isinstance(exit_code, int) and not isinstance(exit_code, bool) else None
    told = outcome or of_exit(code, text, has_envelope=ladder is not None) or _UNSAID
    signal = None if told.status is None else told.status in (OK, "running")
    stated = {"exit_code": code} | dict(slots)
    uid = f"r:{here.session_id}/{here.call_id}"
    return result_event(here, uid, text, told, ladder, signalled_ok=signal, is_data=is_data, slots=stated)


def said(here: Event, kind: str, text: object, *, key: str | None = None) -> list[Event]:
    """Return the turn of a message, with what an answer mentions and asks; nothing where it has no text.

    `key` is the message's own id; without one its place and words tell it from others.
    """
    words = text if isinstance(text, str) else ""
    if not words.strip():
        return []
    name = key or f"{here.position}:{words}"
    if kind != "answer":
        return [turn_event(here, kind, name)]
    slots = {"mentions": _turns.mentions(words), "is_question": _turns.is_question(words)}
    return [turn_event(here, kind, name, slots=slots)]


def handover(here: Event, reason: str) -> Event:
    """Return the turn of a call by which the agent asks a person."""
    uid = f"t:handover:{here.session_id}/{here.call_id}"
    return replace(here, event_name=TURN, uid=uid, turn_kind="handover", reason=reason)


def ended(here: Event, reason: object) -> list[Event]:
    """Return the end of the session, where a reason is stated."""
    if not isinstance(reason, str) or not reason:
        return []
    return [replace(here, event_name=SESSION_END, uid=f"s:{here.session_id}", reason=reason[:200])]


def text_of(content: object) -> str:
    """Return the text of a message: a string, or the texts of its parts, joined by line breaks."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    if not isinstance(content, list):
        return ""
    parts = (
        part if isinstance(part, str) else part.get("text") if isinstance(part, dict) else None for part in content
    )
    return "\n".join(part for part in parts if isinstance(part, str) and part)
