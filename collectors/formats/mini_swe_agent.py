"""mini-SWE-agent trajectories: one document, `{info, messages, trajectory_format}` or the bare list of messages.

A call is the one fenced block of an assistant message; its result is the next user message,
`<returncode>N</returncode>` and the output in tags. A message with no block or several of them runs nothing: the agent
answers with a lecture about the form, and both are counted as `format_error`. Version 2 writes the commands to
`extra.actions` and the answer's code and time to `extra`; its calls have ids. The output of the command that ends the
run comes without a code. Source: runs of 1.15 on SWE-bench and mini-SWE-agent's public source.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._outcomes import KILLED, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._runs import at, base_event, call_of, ended, opening, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "mini_swe_agent"
TITLE = "mini-SWE-agent trajectory"
WHERE: tuple[str, ...] = ("*.traj.json",)
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times, before version 2",
    "the exit code of the command that submits",
    "output beyond the ten thousand characters that the agent is shown",
)

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)[ \t]*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"\s*<returncode>(-?\d{1,6})</returncode>\s*")
_TAGS = re.compile(r"</?(?:output|output_head|output_tail)>\n?|<warning>[^<]{0,2000}</warning>\s*")
_TIMED_OUT = "The last command <command>"
_TIMEOUT = Outcome(KILLED, TRANSPORT_TIMEOUT)
_SUBMITTED = Outcome(OK, "submitted")
_LIST_SIGNS = (b"<returncode>", b"mswea_bash_command")


class Message(Struct, gc=False):
    """One message; what version 2 knows beside its text is in `extra`."""

    role: str | None = None
    content: Any = None
    tool_call_id: str | None = None
    extra: dict[str, Any] | None = None


class Document(Struct, gc=False):
    """The whole file."""

    info: dict[str, Any] | None = None
    messages: list[Message] | None = None
    instance_id: str | None = None


class Command(Struct, gc=False):
    """A command that waits for its result."""

    text: str
    call_id: str
    turn: int | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document begins with `info.exit_status` or is a list of messages with return codes."""
    seen = fields(head)
    if "info.exit_status" in seen and "trajectory" not in seen and "history" not in seen:
        return True
    if any(name in seen for name in ("info.mini_version", "info.config.agent.agent_class")):
        return True
    return "[].role" in seen and "[].content" in seen and any(sign in head for sign in _LIST_SIGNS)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a run and what was counted; a message is a record."""
    return read_document(lines, path, Document | list[Message], lambda found, flags: _records(found, path, flags))


def _records(found: Document | list[Message], path: str, flags: tuple[str, ...]) -> Iterator[Record]:
    document = found if isinstance(found, Document) else Document(messages=found)
    info = document.info or {}
    messages = document.messages or []
    base = _base(document, info, path, flags)
    cwd = _inside(info, "config", "environment", "cwd")
    waiting: list[Command] = []
    skipped: Counter[str] = Counter()
    for position, message in enumerate(messages, 1):
        here = at(base, position, (message.extra or {}).get("timestamp"))
        text = text_of(message.content)
        if message.role == "assistant":
            waiting, events = _calls(here, message, text, cwd if isinstance(cwd, str) else None, skipped)
        elif waiting:
            is_last = position >= len(messages) - 1 and info.get("exit_status") == "Submitted"
            events = [_result(here, message, text, _taken(waiting, message.tool_call_id), is_last=is_last)]
        else:
            events = said(here, "prompt", text) if message.role == "user" and position <= 2 else []
        if not events:
            count(skipped, f"message:{message.role}")
        yield from events
    yield from ended(at(base, len(messages) + 1), info.get("exit_status"))
    yield from counted(skipped)


def _base(document: Document, info: dict[str, Any], path: str, flags: tuple[str, ...]) -> Event:
    model = _inside(info, "config", "model", "model_name")
    version = info.get("mini_version")
    first = next((message for message in document.messages or () if message.role == "assistant"), None)
    name = document.instance_id or PurePath(path).name.partition(".")[0]
    session = f"{name}:{opening(model, first and (first.content, first.extra))}"
    return base_event(
        NAME,
        path,
        session,
        agent_name="mini-swe-agent",
        agent_version=version if isinstance(version, str) else None,
        model=model if isinstance(model, str) else None,
        flags=flags or None,
    )


def _calls(
    here: Event, message: Message, text: str, cwd: str | None, skipped: Counter[str]
) -> tuple[list[Command], list[Event]]:
    actions = (message.extra or {}).get("actions")
    if isinstance(actions, list):
        given = [action for action in actions if isinstance(action, dict) and isinstance(action.get("command"), str)]
        commands = [Command(action["command"], str(action.get("tool_call_id") or "")) for action in given]
    else:
        blocks = _BLOCK.findall(text, 0, _last_end(text))
        commands = [Command(blocks[0].strip(), "")] if len(blocks) == 1 else []
    for index, command in enumerate(commands):
        command.turn = here.position
        command.call_id = command.call_id or f"{here.position}.{index}"
    if not commands:
        count(skipped, "format_error")
    turn = replace(here, turn_id=f"{here.session_id}/{here.position}")
    calls = [call_of(_named(here, command), "bash", {"command": command.text}, cwd=cwd) for command in commands]
    return commands, calls + said(turn, "answer", _prose(text))


def _prose(text: str) -> str:
    """Return a message without its blocks of commands."""
    end = _last_end(text)
    return _BLOCK.sub("", text[:end]) + text[end:]


def _last_end(text: str) -> int:
    """Return where the last block can end; beginnings behind it would each be read to the end of the text in vain."""
    return text.rfind("\n```") + len("\n```")


def _taken(waiting: list[Command], call_id: str | None) -> Command:
    """Return the command that a message answers and strike it off: the one it names, else the oldest."""
    index = next((index for index, command in enumerate(waiting) if command.call_id == call_id), 0)
    return waiting.pop(index)


def _named(here: Event, command: Command) -> Event:
    return replace(here, call_id=command.call_id, turn_id=f"{here.session_id}/{command.turn}")


def _result(here: Event, message: Message, text: str, command: Command, *, is_last: bool) -> Event:
    here = _named(here, command)
    extra = message.extra or {}
    stated = _CODE.match(text)
    code = extra.get("returncode", int(stated[1]) if stated else None)
    raw = extra.get("raw_output")
    output = raw if isinstance(raw, str) else _TAGS.sub("", text[stated.end() :] if stated else text)
    if text.startswith(_TIMED_OUT) or "TimeoutExpired" in str(extra.get("exception_info") or "")[:2_000]:
        return result_of(here, output, _TIMEOUT)
    if code is None and is_last:
        return result_of(here, output, _SUBMITTED, is_data=True)
    return result_of(here, output, exit_code=code)


def _inside(value: object, *names: str) -> object:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value
