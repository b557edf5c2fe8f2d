"""Calls and answers as Gemini CLI and Qwen Code keep them: the parts of the Gemini API, and a status beside them."""

from collections.abc import Mapping
from posixpath import isabs, join
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from collectors import commands, exits
from collectors.events import Event
from collectors.formats import _gemini_outcome
from collectors.formats._events import decoded, json_call, ladder_in, result_event, shell_call, tool_call
from collectors.formats._outcomes import KILLED, OK, Outcome, of_exit
from collectors.formats._results import merged

UNSTATED = Raw(b"")
_NULL = (b"", b"null")
_ECHOED = "echoed"
_DIRECTORIES = ("dir_path", "directory", "cwd")
_NO_ID = ("no_call_id",)
# what these tools answer is what they were asked for
_VIEWERS = frozenset(
    {
        *("read_file", "read_many_files", "list_directory", "glob", "search_file_content", "grep_search"),
        *("web_fetch", "google_web_search", "read_todos", "save_memory"),
    }
)


class FunctionCall(Struct, gc=False):
    """A call as the model writes it."""

    id: str | None = None
    name: str | None = None
    args: Raw = UNSTATED


class FunctionResponse(Struct, gc=False):
    """An answer as the model reads it."""

    id: str | None = None
    name: str | None = None
    response: Raw = UNSTATED


class Part(Struct, gc=False, rename="camel"):
    """One part of a message."""

    text: str | None = None
    thought: bool | str | None = None
    function_call: FunctionCall | None = None
    function_response: FunctionResponse | None = None


class Said(NamedTuple):
    """What came back from a tool."""

    text: str
    is_error: bool
    """Whether it stands where errors stand."""


class Stated(NamedTuple):
    """What the harness says of an answer besides."""

    status: str | None = None
    """`success`, `error`, `cancelled`; None where only the answer speaks."""
    error_type: str | None = None
    duration_ms: int | None = None


def call_event(base: Event, scope: str, name: str, raw: bytes, *, cwd: str | None) -> Event:
    """Return the call that `base.call_id` names within the scope."""
    uid = f"c:{scope}/{base.call_id}"
    if name not in _gemini_outcome.SHELLS:
        return json_call(base, uid, name, raw if raw not in _NULL else b"", cwd=cwd)
    values = decoded(raw) if raw not in _NULL else None
    if not isinstance(values, dict) or not isinstance(values.get("command"), str):
        return tool_call(base, uid, name, values, cwd=cwd, raw=raw)
    return shell_call(base, uid, name, values["command"], cwd=_directory(values, cwd), raw=raw)


def answer_event(base: Event, scope: str, name: str, said: Said, stated: Stated, *, echo: str | None = None) -> Event:
    """Return the result of the call that `base.call_id` names within the scope.

    Args:
        base: what its record shares; the time is the end of the call.
        scope: within which call ids are unique.
        name: the tool.
        said: the answer.
        stated: what the harness says of it.
        echo: what an `echo` of the command prints around a status.
    """
    is_shell = name in _gemini_outcome.SHELLS
    shell = _gemini_outcome.read_shell(said.text) if is_shell else _gemini_outcome.Shell(said.text)
    ladder = ladder_in(shell.text, base) if name not in _VIEWERS or said.is_error else None
    outcome = _outcome(said, stated, shell, has_envelope=ladder is not None, is_shell=is_shell)
    slots: dict[str, Any] = {
        "exit_code": shell.exit_code,
        "echoed_exit_code": exits.echoed_exit_code(echo, shell.text) if echo is not None else None,
        "duration_ms": stated.duration_ms,
    }
    is_data = name in _VIEWERS and outcome.status == OK
    signalled = None if outcome.status is None else outcome.status in (OK, "running")
    uid = f"r:{scope}/{base.call_id}"
    return result_event(base, uid, shell.text, outcome, ladder, signalled_ok=signalled, is_data=is_data, slots=slots)


def echo_of(call: Event, raw: bytes) -> str | None:
    """Return what the command of a shell call echoes around a status; None where it echoes none."""
    if call.status_owner != _ECHOED:
        return None
    values = decoded(raw)
    return commands.parse(values["command"]).echo if isinstance(values, dict) else None


def response_of(response: Raw) -> Said:
    """Return the text of an answer, `output`, `error`, the text parts of MCP or JSON, and whether it is an error."""
    raw = bytes(response)
    value = decoded(raw) if raw not in _NULL else None
    if isinstance(value, dict):
        for key in ("error", "output"):
            held = value.get(key)
            if held is not None:
                return Said(held if isinstance(held, str) else _json(held), is_error=key == "error")
        value = value.get("content", value)
    if isinstance(value, str):
        return Said(value, is_error=False)
    if isinstance(value, list):
        texts = [part["text"] for part in value if isinstance(part, dict) and isinstance(part.get("text"), str)]
        return Said("\n".join(texts), is_error=False)
    return Said("" if value is None else _json(value), is_error=False)


def text_of(content: object) -> str:
    """Return the text of a message's content, thoughts left out: a string, a part, or a list of either."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else [content]
    texts = (part if isinstance(part, str) else getattr(part, "text", None) for part in parts if not _is_thought(part))
    return "\n".join(text for text in texts if text)


def with_call_id(base: Event, stated: str | None, made: str) -> Event:
    """Return the base with the call's id, else with one that was made, and flagged."""
    if stated:
        return replace(base, call_id=stated)
    return replace(base, call_id=made, flags=merged(base.flags, _NO_ID))


def _is_thought(part: object) -> bool:
    return part is None or (isinstance(part, Part) and bool(part.thought))


def _outcome(
    said: Said, stated: Stated, shell: _gemini_outcome.Shell, *, has_envelope: bool, is_shell: bool
) -> Outcome:
    if stated.status == "cancelled":
        return _gemini_outcome.of_cancelled(said.text)
    if shell.signal is not None:
        return Outcome(KILLED, f"signal:{shell.signal}")
    by_exit = of_exit(shell.exit_code, shell.text, has_envelope=has_envelope)
    if by_exit is not None:
        return by_exit
    words = _gemini_outcome.of_words(said.text) if is_shell else None
    if words is not None:
        return words
    if stated.status == "error" or said.is_error:
        return _gemini_outcome.of_error(stated.error_type, said.text)
    if stated.status == "success" or shell.is_complete or stated.status is None:
        return _gemini_outcome.of_success()
    return Outcome(None, stated.status[:60])


def _directory(values: Mapping[str, Any], cwd: str | None) -> str | None:
    stated = next((values[name] for name in _DIRECTORIES if isinstance(values.get(name), str) and values[name]), None)
    if stated is None:
        return cwd
    return stated if isabs(stated) or cwd is None else join(cwd, stated)


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
