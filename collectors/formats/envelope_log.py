"""Envelope logs: one JSON object a line, each a call of a tool that speaks the error envelope, stamped at its end.

- a call: `{ts, session_id, agent, turn?, call_id, argv | command | tool + arguments, operation?, cwd?, exit_code,
  envelope | null, stdout?, stderr?, duration_ms?, tool_version?, model?, tokens?}`; without an envelope it is looked
  for in stdout, then in stderr;
- an event of the session: `{event: session_end | handover | human, ts, session_id, agent?, reason?}`;
- a bare envelope, whose `meta` names command, time, trace and request;
- an entry of `audit.jsonl`: `{timestamp, command, args | parameters, exit_code, duration_ms, trace_id, request_id}`.

One line says both that a call was made and how it ended: it gives a call, at `ts` less the duration, and
a result at `ts`. Call ids are unique within their session only. Source: the contract of the error
envelope; the wrapper is this project's own.
"""

import functools
from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec
from msgspec.structs import replace

from collectors import envelope, times
from collectors.conventions import CALL, RESULT, SESSION_END, TURN
from collectors.envelope import Ladder
from collectors.events import Event, Record
from collectors.formats._envelope_entries import Entry, call_of, identity_of, is_stated, session_of, when
from collectors.formats._keep import window
from collectors.formats._lines import complete, read_lines, rejected
from collectors.formats._outcomes import ERROR, OK, Outcome, of_exit
from collectors.formats._results import (
    content_id,
    damage_flags,
    ladder_in,
    ladder_slots,
    look,
    merged,
    output_slots,
    whole,
    with_identity,
)
from collectors.formats._skipped import count, counted

NAME = "envelope_log"
TITLE = "Envelope log (NDJSON)"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = True
CANNOT_TELL: tuple[str, ...] = (
    "calls that the tool never saw: refused, blocked or not found",
    "what the agent and people said, beyond the events `human` and `handover`",
    "which calls were made together, where `turn` is not stated",
)

_DECODER = msgspec.json.Decoder(Entry)
_TURNS = {"human": "prompt", "prompt": "prompt", "handover": "handover", "interruption": "interruption"}
_SESSION_END = "session_end"
# a call that took more than a year is a unit mistaken for another
_LONGEST_MS = 366 * 86_400_000


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with a record of one of the four shapes."""
    return any(_is_own(line) for line in complete(head))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield a call and a result for each call, turns and ends of sessions, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    yield from read_lines(lines, first_line, path, _DECODER, functools.partial(_records, path, skipped))
    yield from counted(skipped)


def _records(
    path: str, skipped: Counter[str], entry: Entry | None, number: int, raw: bytes, flags: tuple[str, ...]
) -> Iterable[Record]:
    if entry is not None:
        if entry.event is not None and not entry.names_a_call:
            events = _session_events(entry, _base(entry, path, number, flags), raw)
            if events:
                return events
        elif entry.names_a_call or is_stated(entry.envelope) or entry.is_bare:
            return _call_events(entry, _base(entry, path, number, flags), raw)
        elif entry.call_id is not None or entry.exit_code is not None:
            return [rejected(path, number, raw, "missing_field")]
    kind = "not_an_object" if entry is None else f"event:{entry.event[:60]}" if entry.event is not None else "untyped"
    count(skipped, kind)
    return ()


def _base(entry: Entry, path: str, position: int, flags: tuple[str, ...]) -> Event:
    time = when(entry)
    agent = entry.agent or None
    return Event(
        event_name="",
        uid="",
        session_id=session_of(entry, path),
        time_unix_nano=time.unix_nano,
        format=NAME,
        path=path,
        position=position,
        actor_id=agent or "main",
        agent_name=agent,
        model=entry.model,
        turn_id=None if entry.turn is None else str(entry.turn),
        flags=merged(flags, (time.flag,) if time.flag else None),
    )


def _session_events(entry: Entry, base: Event, raw: bytes) -> list[Event]:
    if entry.event == _SESSION_END:
        return [
            replace(base, event_name=SESSION_END, uid=f"s:{base.session_id}:{content_id(raw)}", reason=entry.reason)
        ]
    kind = _TURNS.get(entry.event or "")
    if kind is None:
        return []
    uid = f"t:{kind}:{base.session_id}:{content_id(raw)}"
    return [replace(base, event_name=TURN, uid=uid, turn_kind=kind, reason=entry.reason)]


def _call_events(entry: Entry, base: Event, raw: bytes) -> list[Event]:
    call_id, is_named = call_of(entry, base.path or "", base.position or 0, raw)
    name = f"{base.session_id}/{call_id}"
    ladder = _ladder(entry, base, raw)
    duration = _duration(entry, ladder)
    start = None if base.time_unix_nano is None else times.began(base.time_unix_nano, duration)
    base = replace(base, call_id=call_id, flags=merged(base.flags, None if is_named else ("no_call_id",)))
    return [
        _call(entry, replace(base, uid=f"c:{name}", time_unix_nano=start)),
        _result(entry, replace(base, uid=f"r:{name}", duration_ms=duration), ladder),
    ]


def _call(entry: Entry, base: Event) -> Event:
    found = identity_of(entry)
    base = replace(base, event_name=CALL, tool_name=entry.tool, cwd=entry.cwd)
    if found is None:
        return replace(base, operation=entry.operation, flags=merged(base.flags, ("no_command",)))
    who, arguments = found
    arguments = None if arguments is None else window(arguments, "arguments")
    return with_identity(replace(base, arguments=arguments), who)


def _result(entry: Entry, base: Event, ladder: Ladder | None) -> Event:
    printed = "\n".join(text for text in (entry.stdout, entry.stderr) if text)
    exit_code = whole(entry.exit_code)
    outcome = _outcome(entry, exit_code, printed, ladder)
    text = printed or (bytes(entry.envelope).decode() if is_stated(entry.envelope) else "")
    slots = output_slots(text, outcome.status, ladder, is_data=not printed) | ladder_slots(ladder)
    if entry.tool_version is not None:
        slots["tool_version"] = entry.tool_version
    if entry.request_id is not None:
        slots["request_id"] = entry.request_id
    return replace(
        base,
        event_name=RESULT,
        status=outcome.status,
        status_reason=outcome.reason,
        signalled_ok=_signalled(entry, exit_code),
        exit_code=exit_code,
        echoed_exit_code=look(entry.stdout).echoed_exit_code if entry.stdout else None,
        tokens=whole(entry.tokens),
        flags=merged(base.flags, ladder.flags if ladder else None, damage_flags(printed, outcome.status, ladder)),
        **slots,
    )


def _ladder(entry: Entry, base: Event, raw: bytes) -> Ladder | None:
    received = base.time_unix_nano
    if is_stated(entry.envelope):
        value = msgspec.json.decode(entry.envelope)
        read_envelope = envelope.find if isinstance(value, str) else envelope.from_value
        found = read_envelope(value, received_unix_nano=received)
        if found is not None:
            return found
    elif entry.is_bare and not entry.names_a_call:
        return envelope.from_value(msgspec.json.decode(raw), received_unix_nano=received)
    for text in (entry.stdout, entry.stderr):
        found = ladder_in(text, received) if text else None
        if found is not None:
            return found
    return None


def _outcome(entry: Entry, exit_code: int | None, printed: str, ladder: Ladder | None) -> Outcome:
    by_exit = of_exit(exit_code, printed, has_envelope=ladder is not None)
    if by_exit is not None:
        return by_exit
    is_error = _is_error(entry)
    if is_error is not None:
        return Outcome(ERROR if is_error else OK, "is_error")
    if ladder is None:
        return Outcome(None)
    return Outcome(ERROR if ladder.is_failure else OK, "envelope")


def _signalled(entry: Entry, exit_code: int | None) -> bool | None:
    if exit_code is not None:
        return exit_code == 0
    is_error = _is_error(entry)
    return None if is_error is None else not is_error


def _is_error(entry: Entry) -> bool | None:
    return entry.is_error if entry.is_error is not None else entry.is_error_mcp


def _duration(entry: Entry, ladder: Ladder | None) -> int | None:
    """Return the stated duration in milliseconds: the log's, else the tool's own."""
    own = entry.meta.duration_ms if entry.meta else None
    for value in (whole(entry.duration_ms), ladder.duration_ms if ladder else None, whole(own)):
        if value is not None and 0 <= value <= _LONGEST_MS:
            return value
    return None


def _is_own(line: bytes) -> bool:
    try:
        entry = _DECODER.decode(line)
    except (msgspec.DecodeError, RecursionError):
        return False
    if entry.event is not None:
        return entry.event in (*_TURNS, _SESSION_END) and entry.session_id is not None
    if entry.names_a_call:
        return is_stated(entry.envelope) or entry.exit_code is not None
    return entry.is_bare
