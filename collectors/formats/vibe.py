"""Sessions of Mistral Vibe, `messages.jsonl`: one chat message a line, `{role, content, message_id, ...}`.

A call is an entry of an assistant's `tool_calls` (`id`, `function`), its result the message with the role `tool` that
names it. What the program says of a failed call stands between `<tool_error>` tags, of a stopped one between
`<user_cancellation>` tags; any other result returned. Messages that the program put in (`injected`) are no prompt. The
session is the folder of the file; times and tokens stand in the `meta.json` beside it. Source: sessions as fixtures of
a public reader, and the public source.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePath

import msgspec
from msgspec.structs import replace

from collectors.events import Event, Record
from collectors.formats._chat import Message, calls_of
from collectors.formats._lines import complete, read_lines
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import at, base_event, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "vibe"
TITLE = "Mistral Vibe session"
WHERE: tuple[str, ...] = ("~/.vibe/logs/session/*/messages.jsonl",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "times, tokens and the directory: they stand in meta.json",
    "exit codes",
    "whether a person refused a call or stopped it",
    "the session, where the file lies outside its folder",
)

NO_ID = "no_call_id"
_FILE = "messages.jsonl"
_ROLES = frozenset({"system", "user", "assistant", "tool"})
_TAGS = {
    "tool_error": Outcome(ERROR, "tool_error"),
    "user_cancellation": Outcome("interrupted", "user_interrupt"),
}


class Line(Message, gc=False):
    """One message, and what tells it from a chat of another program."""

    message_id: str | None = None
    model: str | None = None
    injected: bool | None = None
    type: str | None = None
    timestamp: str | int | float | None = None


_DECODER = msgspec.json.Decoder(Line)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the file starts with a message that has a role and a `message_id`, and neither type nor time."""
    lines = complete(head)
    return bool(lines) and _is_own(lines[0])


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of a session, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    place = PurePath(path)
    session = place.parent.name if place.name == _FILE and place.parent.name else place.stem
    base = base_event(NAME, path, session, agent_name="Mistral Vibe")
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, base, skipped))
    yield from counted(skipped)


def _records(
    base: Event, skipped: Counter[str], line: Line | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    events: list[Event] = []
    if line is not None:
        key = line.message_id or str(number)
        turn = f"{base.session_id}/{key}"
        here = at(replace(base, flags=flags or None), number, turn_id=turn, model=line.model)
        events = _events(here, line, key)
    if not events:
        count(skipped, "not_an_object" if line is None else line.role or line.type or "untyped")
    return events


def _events(here: Event, line: Line, key: str) -> list[Event]:
    text = text_of(line.content)
    if line.role == "tool":
        return [_result(here, line.tool_call_id, text)]
    if line.role == "user":
        return [] if line.injected else said(here, "prompt", text, key=key)
    if line.role != "assistant":
        return []
    # ids are unique in a session: what comes again is the same message, so nothing is counted across messages
    calls = calls_of(here, line.tool_calls, Counter())
    stated = [call.id for call in line.tool_calls or ()]
    named = [event if name else _unnamed(event) for event, name in zip(calls, stated, strict=True)]
    return named + said(here, "answer", text, key=key)


def _unnamed(event: Event) -> Event:
    return replace(event, flags=merged(event.flags, (NO_ID,)))


def _result(here: Event, call_id: str | None, text: str) -> Event:
    here = replace(here, call_id=call_id) if call_id else _unnamed(replace(here, call_id=str(here.position)))
    for tag, outcome in _TAGS.items():
        if text.startswith(f"<{tag}>"):
            return result_of(here, text.removeprefix(f"<{tag}>").rstrip().removesuffix(f"</{tag}>"), outcome)
    return result_of(here, text, Outcome(OK))


def _is_own(line: bytes) -> bool:
    try:
        found = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    return found.role in _ROLES and found.message_id is not None and found.type is None and found.timestamp is None
