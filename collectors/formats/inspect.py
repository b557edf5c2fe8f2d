"""Inspect logs: one JSON document, or an `.eval` archive with `header.json` and `samples/*.json`.

A sample has `messages` and `events`. A call is an entry of an assistant's `tool_calls`, its result the message with
the role `tool` that names it, with `error` `{type, message}` where it failed (`tool_error`, a string, in old logs).
When it began and ended stands in the event `tool` with the same id, the tokens in the event `model` whose output is
the message. Long texts are kept once, under `attachments`. A tool's message whose call is not in the log gives a call
without arguments, flagged. An archive is read in memory: see `_inspect_records` for its limits. Source: logs of 0.3.41
to 0.3.13x.
"""

import functools
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from collectors.conventions import CALL
from collectors.events import Event, Record, Reject
from collectors.formats._chat import Function, ToolCall, numbered
from collectors.formats._documents import decoded, kept, read_document
from collectors.formats._heads import fields
from collectors.formats._inspect_records import Eval, Failure, Happening, Log, Message, Sample, members
from collectors.formats._outcomes import ERROR, KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._results import merged
from collectors.formats._runs import SHELLS, at, base_event, call_of, result_of, said, text_of
from collectors.formats._skipped import count, counted

NAME = "inspect"
TITLE = "Inspect log"
WHERE: tuple[str, ...] = ("logs/*.eval", "logs/*.json")
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "exit codes of commands: its shell tools answer with their output alone",
    "times, where the log holds no events",
    "samples of archives that are packed otherwise than by deflate",
)

NO_ARGUMENTS = "no_arguments"
"""Flag: only the result of the call is in the log, so it can be compared with no other."""

_ZIP = b"PK\x03\x04"
_ATTACHMENT = re.compile(r"attachment://([0-9a-f]{32})")
_OUTCOMES = {
    "parsing": Outcome(NOT_RUN, "invalid_input"),
    "timeout": Outcome(KILLED, TRANSPORT_TIMEOUT),
    "approval": Outcome("refused", "approval"),
}
_OK = Outcome(OK)
_TEST_NAMES = (b"_journal/start.json", b"header.json", b"samples/")


class Run(Struct, gc=False):
    """One sample while it is read."""

    base: Event
    tools: dict[str, Happening]
    models: dict[str, Happening]
    attachments: dict[str, Any]
    names: Counter[str]
    called: set[str]
    skipped: Counter[str]


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document has `version`, `status` and `eval`, or the archive starts with a file of a log."""
    if head.startswith(_ZIP):
        return head[30:].startswith(_TEST_NAMES)
    return {"version", "status", "eval", "eval.task"} <= fields(head).keys()


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of all samples, one session each; a message is a record, numbered through the file."""
    content = b"".join(lines)
    if content.startswith(_ZIP):
        return kept(_archive(content, path))
    return read_document([content], path, Log, functools.partial(_document, path))


def _document(path: str, log: Log, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    position = 0
    for sample in log.samples or ():
        yield from _sample(path, log.eval or Eval(), sample, flags, position, skipped)
        position += len(sample.messages or ())
    yield from counted(skipped)


def _archive(content: bytes, path: str) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    position = 0
    shared = Eval()
    try:
        for number, member in enumerate(members(content), 1):
            found, flags, fault = decoded(member.content, Sample if member.name.startswith("samples/") else Log)
            fault = member.fault or fault
            if fault is not None:
                reason = fault.partition(":")[0]
                yield Reject(path=path, position=number, reason=reason, excerpt=member.name[:200])
            elif isinstance(found, Log):
                shared = found.eval or shared
            elif isinstance(found, Sample):
                yield from _sample(path, shared, found, flags, position, skipped)
                position += len(found.messages or ())
    except zipfile.BadZipFile:
        # the directory is written last
        yield Reject(path=path, position=1, reason="unreadable", excerpt="archive without a directory", is_torn=True)
    yield from counted(skipped)


def _sample(
    path: str, shared: Eval, sample: Sample, flags: tuple[str, ...], position: int, skipped: Counter[str]
) -> Iterator[Event]:
    session = f"{shared.run_id or shared.task_id}/{shared.task}/{sample.id}/{sample.epoch}"
    version = (shared.packages or {}).get("inspect_ai")
    base = base_event(
        NAME,
        path,
        session,
        agent_name="inspect",
        agent_version=version if isinstance(version, str) else None,
        model=shared.model,
        flags=flags or None,
    )
    events = sample.events or (sample.transcript.events if sample.transcript else None) or []
    tools = {event.id: event for event in events if event.event == "tool" and event.id}
    run = Run(base, tools, _by_message(events), sample.attachments or {}, Counter(), set(), skipped)
    for place, message in enumerate(sample.messages or (), position + 1):
        found = _message(run, message, place)
        if not found:
            count(skipped, f"message:{message.role}")
        yield from found


def _by_message(events: list[Happening]) -> dict[str, Happening]:
    """Return the calls of models by the id of the message they answered with."""
    found = {}
    for event in events:
        for choice in (event.output.choices if event.output else None) or ():
            if event.event == "model" and choice.message is not None and choice.message.id:
                found[choice.message.id] = event
    return found


def _message(run: Run, message: Message, position: int) -> list[Event]:
    asked = run.models.get(message.id or "") or Happening()
    turn = f"{run.base.session_id}/{message.id or position}"
    here = at(run.base, position, asked.completed or asked.timestamp, turn_id=turn)
    text = _attached(run, text_of(message.content))
    if message.role == "tool":
        return _answer(run, here, message, text)
    if message.role == "user":
        return said(here, "prompt", text, key=message.id)
    if message.role != "assistant":
        return []
    usage = asked.output.usage if asked.output else None
    here = replace(
        here,
        model=message.model or run.base.model,
        input_tokens=usage.input_tokens if usage else None,
        output_tokens=usage.output_tokens if usage else None,
    )
    calls = [_call(run, here, call, index) for index, call in enumerate(message.tool_calls or ())]
    return calls + said(here, "answer", text, key=message.id)


def _call(run: Run, here: Event, call: ToolCall, index: int) -> Event:
    stated = call.id or f"{here.position}.{index}"
    event = run.tools.get(stated)
    if event is not None and event.timestamp is not None:
        here = at(replace(here, flags=run.base.flags), here.position or 1, event.timestamp)
    call_id = numbered(run.names, stated, is_call=True)
    run.called.add(call_id)
    name = call.function.name if isinstance(call.function, Function) else call.function
    return call_of(replace(here, call_id=call_id), name or call.name or "", call.arguments)


def _answer(run: Run, here: Event, message: Message, text: str) -> list[Event]:
    stated = message.tool_call_id or str(here.position)
    event = run.tools.get(stated) or Happening()
    call_id = numbered(run.names, stated, is_call=False)
    here = at(replace(here, flags=run.base.flags), here.position or 1, event.completed, call_id=call_id)
    failure = message.error or (Failure(message=message.tool_error) if message.tool_error else None)
    printed = "\n".join(part for part in (failure.message if failure else None, text) if part)
    result = result_of(here, printed, _outcome(failure, message.function or ""))
    if call_id in run.called:
        return [result]
    alone = replace(
        here,
        event_name=CALL,
        uid=f"c:{here.session_id}/{call_id}",
        tool_name=(message.function or "")[:200],
        flags=merged(here.flags, (NO_ARGUMENTS,)),
    )
    return [alone, result]


def _outcome(failure: Failure | None, tool: str) -> Outcome | None:
    """Return what the error says; a shell without one printed something, and that is all that is known."""
    if failure is None:
        return None if tool.lower() in SHELLS or tool == "python" else _OK
    return _OUTCOMES.get(failure.type or "", Outcome(ERROR, f"error:{(failure.type or 'unknown')[:60]}"))


def _attached(run: Run, text: str) -> str:
    def found(match: re.Match[str]) -> str:
        value = run.attachments.get(match[1])
        return value if isinstance(value, str) else match[0]

    return _ATTACHMENT.sub(found, text) if "attachment://" in text[:1_000_000] else text
