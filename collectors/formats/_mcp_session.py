"""What is known of an MCP capture while it is read, and the events of its messages."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from msgspec.structs import replace

from collectors import times
from collectors.events import Event, Record
from collectors.formats import _mcp_outcome
from collectors.formats._events import json_call, result_event
from collectors.formats._lines import rejected
from collectors.formats._mcp_records import Line, Message, Program, Result
from collectors.formats._outcomes import OK
from collectors.formats._results import digest, merged

NAME = "mcp_jsonrpc"
_CALL = "tools/call"
_OF_SERVER = frozenset({"sampling/createMessage", "elicitation/create", "roots/list"})
_TASK_RESULT = "tasks/result"
_NO_ID = ("no_call_id",)
_MAX_WAITING = 100_000


class _Call(NamedTuple):
    """A request that waits for its response."""

    name: str
    """The call's uid without its prefix."""
    is_unnamed: bool = False
    way: str = ""
    """Which way it went, in the words of the capture."""


@dataclass(slots=True)
class Capture:
    """One file."""

    path: str
    session: str | None = None
    client: Program = field(default_factory=Program)
    server: Program = field(default_factory=Program)
    step: str | None = None
    """The first of the calls that were sent before any of them was answered."""
    waiting: dict[str, _Call] = field(default_factory=dict)
    others: set[str] = field(default_factory=set)
    """Ids of requests that are no calls."""
    asked: set[str] = field(default_factory=set)
    """Ids of requests of the server, which counts its own: a call may have the same one."""
    names: dict[str, str] = field(default_factory=dict)
    """Which request had an id first: an id that comes again for another request is another call."""
    tasks: dict[str, _Call] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)


def begin(capture: Capture, line: Line, message: Message, raw: bytes) -> None:
    """Take the handshake: the server is new, and so are the ids."""
    before, capture.session = capture.session, _stated(line) or _made(capture.path, line, raw)
    capture.client = (message.params.client if message.params else None) or Program()
    capture.step = None
    capture.waiting.clear()
    capture.others.clear()
    capture.asked.clear()
    capture.others.add(message.key or "")
    capture.tasks.clear()
    if capture.session != before:
        capture.names.clear()


def request_events(
    capture: Capture, line: Line, message: Message, raw: bytes, number: int, flags: tuple[str, ...]
) -> Iterable[Record] | None:
    """Return the call that a request is; None where it is none."""
    key = message.key
    if message.method == _TASK_RESULT and message.params is not None and key is not None:
        task = capture.tasks.get(message.params.task_id or "")
        if task is not None:
            capture.waiting[key] = task
        return None
    if message.method != _CALL:
        is_asked = message.method in _OF_SERVER or key in capture.waiting
        ids = capture.asked if is_asked else capture.others
        if key is not None and len(ids) < _MAX_WAITING:
            ids.add(key)
        return None
    params = message.params
    if params is None or params.name is None:
        return [rejected(capture.path, number, raw, "missing_field")]
    base = _base(capture, line, number, flags, raw)
    call = _named(capture, base.session_id, key, line, raw)
    if capture.step is None:
        capture.step = call.name
    if key is not None and len(capture.waiting) < _MAX_WAITING:
        capture.waiting[key] = call
        capture.others.discard(key)
    base = replace(
        base,
        call_id=_id_of(call),
        turn_id=capture.step,
        flags=merged(base.flags, _NO_ID) if call.is_unnamed else base.flags,
    )
    return [json_call(base, f"c:{call.name}", params.name, bytes(params.arguments), cwd=None)]


def answer_events(
    capture: Capture, line: Line, message: Message, raw: bytes, number: int, flags: tuple[str, ...]
) -> Iterable[Record] | None:
    """Return the result that a response is; None where it answers no call."""
    key = message.key or ""
    result, problem = message.result, message.error
    call = capture.waiting.get(key)
    if key in capture.asked and (call is None or not _is_of_call(call, line, result)):
        capture.asked.discard(key)
        return None
    if call is None:
        if key in capture.others:
            capture.others.discard(key)
            if result is not None and result.server is not None:
                capture.server = result.server
            return None
        if result is None or not isinstance(result.content, list) or not key:
            return None
        # the capture begins behind the request
        call = _Call(f"{_session(capture, line, raw)}/{key}")
    elif result is None and problem is None:
        return None
    base = replace(_base(capture, line, number, flags, raw), call_id=_id_of(call), tool_version=capture.server.version)
    capture.step = None
    capture.waiting.pop(key, None)
    uid = f"{'e' if call in capture.tasks.values() else 'r'}:{call.name}"
    if result is None:
        assert problem is not None
        return [_problem(message, raw, base, uid)]
    if result.task is not None and result.task.task_id is not None:
        capture.tasks[result.task.task_id] = call
    return [_result(message, raw, base, uid)]


def _is_of_call(call: _Call, line: Line, result: Result | None) -> bool:
    """Return whether a response is the call's, where the server asked for something under the same id."""
    way = _way(line)
    return way != call.way if way and call.way else result is not None and result.is_of_call


def cancel_events(
    capture: Capture, line: Line, message: Message, number: int, flags: tuple[str, ...]
) -> Iterable[Record] | None:
    """Return the end of a call that the client gave up; None where it gave up something else."""
    raw = bytes(message.params.request_id) if message.params is not None else b""
    call = capture.waiting.get(raw.decode("utf-8", "replace").strip('"'))
    if call is None or message.params is None:
        return None
    base = replace(_base(capture, line, number, flags, raw), call_id=_id_of(call))
    capture.step = None
    reason = message.params.reason
    outcome = _mcp_outcome.of_cancellation(reason)
    return [result_event(base, f"e:{call.name}", reason or "", outcome, None, signalled_ok=False)]


def _result(message: Message, raw: bytes, base: Event, uid: str) -> Event:
    result = message.result
    assert result is not None
    text = _mcp_outcome.text_of(result)
    ladder = _mcp_outcome.ladder_of(message, raw, text, base)
    outcome = _mcp_outcome.of_result(result, text)
    is_data = _mcp_outcome.is_data(result, ladder)
    event = result_event(base, uid, text, outcome, ladder, signalled_ok=not result.is_error, is_data=is_data)
    if event.looks_failed and outcome.status == OK and (ladder is None or not ladder.is_failure):
        event.flags = merged(event.flags, (_mcp_outcome.SUSPECTED,))
    return event


def _problem(message: Message, raw: bytes, base: Event, uid: str) -> Event:
    problem = message.error
    assert problem is not None
    outcome = _mcp_outcome.of_problem(problem)
    ladder = _mcp_outcome.ladder_of(message, raw, problem.message or "", base)
    return result_event(base, uid, problem.message or "", outcome, ladder, signalled_ok=False)


def _named(capture: Capture, session: str, key: str | None, line: Line, raw: bytes) -> _Call:
    content = digest(f"{line.when}|".encode() + raw.strip())
    way = _way(line)
    if key is None:
        return _Call(f"{session}/h:{content}", is_unnamed=True, way=way)
    first = capture.names.setdefault(key, content)
    if first == content:
        return _Call(f"{session}/{key}", way=way)
    return _Call(f"{session}/{key}#{content}", is_unnamed=line.when is None, way=way)


def _way(line: Line) -> str:
    return line.dir or line.direction or ""


def _id_of(call: _Call) -> str:
    return call.name.rpartition("/")[2]


def _base(capture: Capture, line: Line, position: int, flags: tuple[str, ...], raw: bytes) -> Event:
    time = times.parse(line.when)
    return Event(
        event_name="",
        uid="",
        session_id=_session(capture, line, raw),
        time_unix_nano=time.unix_nano,
        format=NAME,
        path=capture.path,
        position=position,
        actor_id="main",
        agent_name=capture.client.name,
        agent_version=capture.client.version,
        flags=merged(flags, (time.flag,) if time.flag else None),
    )


def _session(capture: Capture, line: Line, raw: bytes) -> str:
    stated = _stated(line)
    if stated is not None:
        return stated
    if capture.session is None:
        capture.session = _made(capture.path, line, raw if line.when is not None else b"")
    return capture.session


def _stated(line: Line) -> str | None:
    return line.session_id or line.session or None


def _made(path: str, line: Line, raw: bytes) -> str:
    """Return a name for a session that has none: after its first message where that has a time, else after its file."""
    if line.when is not None:
        return f"mcp:{digest(f'{line.when}|'.encode() + raw.strip())}"
    return f"{path}#{digest(raw.strip())}" if raw else path
