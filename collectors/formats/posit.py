"""Posit Assistant conversations, `lm-messages.jsonl`: a message of the AI SDK a line, `{id, message: {role, content}}`.

A call is a part `tool-call` (`toolCallId`, `toolName`, `input`), its result a part `tool-result` of a message with the
role `tool`; how it ended is the type of its `output`: `text`, `json` and `content` where it returned, `error-text` and
`error-json` where it failed, `execution-denied` where a person refused it. Times and tokens stand in
`providerOptions.providerMetadata.positai` of what people and the model say. Sub-agents are folders below the
conversation's: `<conversation>/subagents/<agent>/`. The files beside it (`conversation.json`, `workspace.json`,
`index.json`) hold no message. Source: conversations as fixtures of public readers, and the public types of the AI SDK.
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
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._results import merged, whole
from collectors.formats._runs import at, base_event, call_of, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "posit"
TITLE = "Posit Assistant conversation"
WHERE: tuple[str, ...] = ("~/.posit/assistant/workspaces/**/lm-messages.jsonl",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "when results came: only what people and the model say has a time",
    "exit codes, and the directory: that stands in workspace.json",
    "the conversation, where the file lies outside its folder",
    "which branch of a conversation was given up: that stands in conversation.json",
)

NO_ID = "no_call_id"
_FILE = "lm-messages.jsonl"
_SUB_AGENTS = "subagents"
_MAIN = "main"
_SUMMARY = re.compile(r"<(MESSAGE|CONVERSATION)SUMMARY>[^<]*</\1SUMMARY>")
_OUTCOMES = {
    "text": Outcome(OK),
    "json": Outcome(OK),
    "content": Outcome(OK),
    "error-text": Outcome(ERROR, "is_error"),
    "error-json": Outcome(ERROR, "is_error"),
    "execution-denied": Outcome("refused", "user_rejected"),
}


class Usage(Struct, gc=False, rename="camel"):
    """Tokens of a message, those of the cache aside."""

    input_tokens: int | float | None = None
    output_tokens: int | float | None = None


class Stated(Struct, gc=False, rename="camel"):
    """What the program adds to a message."""

    timestamp: str | int | float | None = None
    model_id: str | None = None
    usage: Usage | None = None


class Metadata(Struct, gc=False):
    """By provider."""

    positai: Stated | None = None


class Options(Struct, gc=False, rename="camel"):
    """What is kept beside a message."""

    provider_metadata: Metadata | None = None


class Message(Struct, gc=False, rename="camel"):
    """A message of the AI SDK."""

    role: str | None = None
    content: Any = None
    provider_options: Options | None = None


class Line(Struct, gc=False):
    """One record."""

    id: int | None = None
    message: Message | None = None
    type: str | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a line is a numbered message with the metadata of Posit or with a call or a result of the SDK."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of one agent of a conversation, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    session, actor = _named(PurePath(path))
    base = base_event(NAME, path, session, actor_id=actor, agent_name="Posit Assistant")
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, base, skipped))
    yield from counted(skipped)


def _named(path: PurePath) -> tuple[str, str]:
    """Return conversation and agent: the folders that hold the file."""
    folders = path.parts[:-1]
    if path.name != _FILE or not folders:
        return path.stem, _MAIN
    if _SUB_AGENTS in folders[1:-1]:
        return folders[folders.index(_SUB_AGENTS, 1) - 1], folders[-1]
    return folders[-1], _MAIN


def _records(
    base: Event, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None and line.message is not None:
        key = number if line.id is None else line.id
        options = line.message.provider_options or Options()
        stated = (options.provider_metadata or Metadata()).positai or Stated()
        turn = f"{base.session_id}/{base.actor_id}/{key}"
        here = at(replace(base, flags=flags or None), number, stated.timestamp, turn_id=turn)
        events = _events(here, line.message, stated, str(key))
    if not events:
        role = None if line is None or line.message is None else line.message.role
        count(skipped, "not_an_object" if line is None else role or line.type or "untyped")
    return events


def _events(here: Event, message: Message, stated: Stated, key: str) -> list[Event]:
    content = message.content
    parts = [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    if message.role == "tool":
        results = [part for part in parts if part.get("type") == "tool-result"]
        return [_result(here, part, f"{key}.{index}") for index, part in enumerate(results)]
    text = text_of([part for part in parts if part.get("type") == "text"] if parts else content)
    if message.role == "user":
        return said(here, "prompt", text, key=f"{here.actor_id}/{key}")
    if message.role != "assistant":
        return []
    usage = stated.usage or Usage()
    tokens = {"input_tokens": _counted(usage.input_tokens), "output_tokens": _counted(usage.output_tokens)}
    here = replace(here, model=stated.model_id, **tokens)
    calls = [part for part in parts if part.get("type") == "tool-call"]
    events = [_call(here, part, f"{key}.{index}") for index, part in enumerate(calls)]
    return events + said(here, "answer", _SUMMARY.sub("", text), key=f"{here.actor_id}/{key}")


def _call(here: Event, part: dict[str, Any], place: str) -> Event:
    here, key = _of_call(here, part, place)
    name = part.get("toolName")
    call = call_of(here, name if isinstance(name, str) else "", part.get("input"))
    call.uid = f"c:{key}"
    return call


def _result(here: Event, part: dict[str, Any], place: str) -> Event:
    here, key = _of_call(here, part, place)
    output = part.get("output")
    kind = output.get("type") if isinstance(output, dict) else None
    told = _OUTCOMES.get(kind) if isinstance(kind, str) else None
    result = result_of(here, _printed(output), told)
    result.uid = f"r:{key}"
    return result


def _of_call(here: Event, part: dict[str, Any], place: str) -> tuple[Event, str]:
    """Return the event with the call that the part names, and the name of that call among all agents."""
    stated = part.get("toolCallId")
    if isinstance(stated, str) and stated:
        return replace(here, call_id=stated), f"{here.session_id}/{here.actor_id}/{stated}"
    flagged = replace(here, call_id=place, flags=merged(here.flags, (NO_ID,)))
    return flagged, f"{here.session_id}/{here.actor_id}/{place}"


def _printed(output: object) -> str:
    value = output.get("value", output.get("reason")) if isinstance(output, dict) else output
    text = text_of(value)
    if text or not isinstance(value, (dict, list)):
        return text
    return msgspec.json.encode(value).decode() if value else ""


def _counted(value: float | None) -> int | None:
    return whole(value) if value is not None and value >= 0 else None


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    message = found.message
    if found.id is None or found.type is not None or message is None or message.role is None:
        return False
    options = message.provider_options
    if options is not None and options.provider_metadata is not None and options.provider_metadata.positai is not None:
        return True
    return message.role in ("assistant", "tool") and (b'"tool-call"' in line or b'"tool-result"' in line)
