"""Calls of a Codex rollout: shells by vector or string, patches, and functions; and what their outputs say."""

import re
from posixpath import isabs, join
from typing import Any

import msgspec
from msgspec.structs import replace

from collectors import commands, exits
from collectors.conventions import CALL, RESULT, TURN
from collectors.events import Event
from collectors.formats._codex_output import RUNNING, Output, outcome_of, read_output
from collectors.formats._codex_records import Part, Payload, text_of
from collectors.formats._codex_state import Pending, Rollout, Running
from collectors.formats._events import MAX_NAME, argv_call, decoded, ladder_in, result_event, shell_call, tool_call
from collectors.formats._outcomes import OK, Outcome
from collectors.formats._results import attributes, content_id, merged

_VECTOR_SHELLS = frozenset({"shell", "container.exec", "local_shell", "local_shell_call"})
_STRING_SHELLS = frozenset({"shell_command", "exec_command", *_VECTOR_SHELLS})
# calls that ask, or feed, a program that is running already
_WRITES = {"write_stdin": "session_id", "wait": "cell_id"}
_HANDOVERS = frozenset({"request_user_input", "ask_user_question", "request_permissions"})
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.{1,500})$", re.MULTILINE)
_MAX_PATCHED = 50
_WINDOWS_ROOT = re.compile(r"[A-Za-z]:[\\/]|\\\\")
_POWERSHELL = ("powershell", "pwsh")
_ECHOED = "echoed"
_MAX_CHUNKS = 200
_POLLED = Outcome(OK, "poll")
_NO_ID = ("no_call_id",)


def call_events(file: Rollout, payload: Payload, base: Event, raw: bytes) -> list[Event]:
    """Note a call until its output comes, which tells when it began; return the events that need not wait."""
    stated = payload.call_id or payload.id
    call_id = stated or content_id(raw)
    scope = file.scope
    if file.step is None:
        file.step = f"{scope}/{call_id}"
    name = f"{payload.namespace.rstrip('_')}__{payload.name}" if payload.namespace else payload.name or payload.type
    base = replace(
        base,
        event_name=CALL,
        call_id=call_id,
        turn_id=file.step,
        flags=base.flags if stated else merged(base.flags, _NO_ID),
    )
    base = _with_usage(base, file)
    pending = _identified(file, payload, base, f"c:{scope}/{call_id}", (name or "")[:MAX_NAME])
    before = file.pending.pop(call_id, None)
    file.pending[call_id] = pending
    events = [before.call] if before else []
    if payload.name in _HANDOVERS:
        uid = f"t:handover:{scope}/{call_id}"
        events.append(replace(base, event_name=TURN, uid=uid, turn_kind="handover", reason=payload.name))
    return events


def output_events(file: Rollout, payload: Payload, base: Event, raw: bytes) -> list[Event]:
    """Return the call, its result, and the end of the program that it asked after; the output tells when it began."""
    file.step = file.prompt = None
    stated = payload.call_id or payload.id
    call_id = stated or content_id(raw)
    base = replace(base, call_id=call_id, flags=base.flags if stated else merged(base.flags, _NO_ID))
    said = read_output(text_of(payload.output))
    pending = file.pending.pop(call_id, None)
    before, file.latest_ns = file.latest_ns, base.time_unix_nano or file.latest_ns
    scope = file.scope
    asked = file.running.get(pending.session) if pending is not None and pending.session is not None else None
    if pending is None:
        return [_result(file, payload, said, base, f"r:{scope}/{call_id}", None)]
    call = _timed(pending.call, base, said, before)
    uid = f"r:{call.uid[2:]}"
    if asked is not None and said.duration_ms is not None:
        return [call, _poll(base, uid, said), *_told(file, asked, pending.session or "", said, base)]
    result = _result(file, payload, said, base, uid, pending)
    if said.running is not None:
        file.running[said.running] = Running(call_id, f"e:{call.uid[2:]}", [said.text], pending.echo)
    return [call, result]


def unanswered(file: Rollout) -> list[Event]:
    """Return the calls that no output came for."""
    return [pending.call for pending in file.pending.values()]


def _identified(file: Rollout, payload: Payload, base: Event, uid: str, name: str) -> Pending:
    raw, values = _arguments(payload)
    given = values if isinstance(values, dict) else {}
    cwd = _directory(given, file.cwd)
    command = _command(name, payload, given)
    if isinstance(command, list):
        call = argv_call(base, uid, name, command, cwd=cwd, raw=raw)
        return Pending(call, commands.parse_argv(tuple(command)).echo if call.status_owner == _ECHOED else None)
    if command is not None:
        call = shell_call(base, uid, name, command, cwd=cwd, raw=raw)
        return Pending(call, commands.parse(command).echo if call.status_owner == _ECHOED else None)
    if name == "apply_patch":
        values = _patch(values)
    call = tool_call(base, uid, name, values, cwd=cwd, raw=raw)
    key = _WRITES.get(name)
    if key is None or given.get(key) is None:
        return Pending(call, None)
    if not given.get("chars"):
        call = replace(call, is_wait=True, is_read_only=True)
    session = str(given[key]) if key == "session_id" else f"cell:{given[key]}"
    return Pending(call, None, session)


def _arguments(payload: Payload) -> tuple[bytes, Any]:
    """Return the arguments' bytes as the model wrote them, and what they say: JSON in a string, or a free text."""
    raw = bytes(payload.arguments) or bytes(payload.input)
    value = msgspec.json.decode(raw) if raw else None
    if not isinstance(value, str):
        return raw, value
    found = decoded(value)
    return value.encode("utf-8", "surrogatepass"), value if found is None else found


def _command(name: str, payload: Payload, given: dict[str, Any]) -> list[str] | str | None:
    if payload.action is not None and payload.action.command:
        return payload.action.command
    if name not in _STRING_SHELLS:
        return None
    command = given.get("command", given.get("cmd"))
    if isinstance(command, str):
        shell = given.get("shell")
        is_foreign = isinstance(shell, str) and any(word in shell.lower() for word in _POWERSHELL)
        return [str(shell), "-Command", command] if is_foreign else command
    return [str(word) for word in command] if isinstance(command, list) and command else None


def _directory(given: dict[str, Any], cwd: str | None) -> str | None:
    stated = given.get("workdir") or given.get("cwd")
    if not isinstance(stated, str):
        return cwd
    if isabs(stated) or _WINDOWS_ROOT.match(stated) or cwd is None:
        return stated
    return join(cwd, stated)


def _patch(values: object) -> object:
    """Return the arguments of a patch with the files it is about, which only its text names."""
    text = (
        values
        if isinstance(values, str)
        else values.get("input", values.get("patch"))
        if isinstance(values, dict)
        else ""
    )
    files = sorted(set(_PATCHED.findall(text[:200_000])))[:_MAX_PATCHED] if isinstance(text, str) else []
    return {"input": text, "files": files} if files else values


def _with_usage(base: Event, file: Rollout) -> Event:
    usage = file.usage
    if usage is None:
        return base
    return replace(
        base,
        input_tokens=fresh_tokens(usage.input_tokens, usage.cached_input_tokens),
        output_tokens=usage.output_tokens,
    )


def fresh_tokens(read: int | None, cached: int | None) -> int | None:
    """Return the tokens that were not read from the cache."""
    return None if read is None else max(0, read - (cached or 0))


def _timed(call: Event, base: Event, said: Output, before: int | None) -> Event:
    """Return the call with the time it began, not before the last output: up to 0.58 it is written with its output."""
    if said.duration_ms is None or base.time_unix_nano is None or call.time_unix_nano is None:
        return call
    began = max(base.time_unix_nano - said.duration_ms * 1_000_000, before or 1)
    return replace(call, time_unix_nano=began) if began < call.time_unix_nano else call


def _result(file: Rollout, payload: Payload, said: Output, base: Event, uid: str, pending: Pending | None) -> Event:
    ladder = ladder_in(said.text, base)
    outcome = outcome_of(said, has_envelope=ladder is not None)
    if outcome.status is None:
        outcome = _unsaid(file, payload, base, outcome)
    echo = pending.echo if pending is not None else None
    slots = {
        "exit_code": said.exit_code if said.exit_code != -1 else None,
        "echoed_exit_code": exits.echoed_exit_code(echo, said.text) if echo is not None else None,
        "duration_ms": said.duration_ms,
        "attributes": attributes({"task_id": said.running}),
    }
    return result_event(base, uid, said.text, outcome, ladder, signalled_ok=signal_of(outcome), slots=slots)


def signal_of(outcome: Outcome) -> bool | None:
    """Return what the model reads first: there is no flag, the exit code or the harness's words are all there is."""
    return None if outcome.status is None else outcome.status in (OK, RUNNING)


def _unsaid(file: Rollout, payload: Payload, base: Event, outcome: Outcome) -> Outcome:
    """Return what other records, or the kind of the answer, say of an output that states no status."""
    ended = file.ended.pop(base.call_id or "", None)
    if ended is not None:
        return ended
    output = payload.output
    if isinstance(output, Part) and output.success is not None:
        return Outcome(OK if output.success else "error", "success_flag")
    if isinstance(output, list) and any(isinstance(part, Part) and part.type == "input_image" for part in output):
        return Outcome(OK, "image")
    return outcome


def _poll(base: Event, uid: str, said: Output) -> Event:
    """Return the result of a call that asked after a running program: what it brought is the program's, not its own."""
    slots = {"duration_ms": said.duration_ms}
    return result_event(base, uid, said.text, _POLLED, None, signalled_ok=True, is_data=True, slots=slots)


def _told(file: Rollout, asked: Running, session: str, said: Output, base: Event) -> list[Event]:
    """Return the end of the running program, where the answer tells it."""
    if len(asked.texts) < _MAX_CHUNKS:
        asked.texts.append(said.text)
    if said.running is not None:
        return []
    del file.running[session]
    text = "".join(asked.texts)
    ladder = ladder_in(text, base)
    outcome = outcome_of(said._replace(text=text), has_envelope=ladder is not None)
    slots = {
        "exit_code": said.exit_code if said.exit_code != -1 else None,
        "echoed_exit_code": exits.echoed_exit_code(asked.echo, text) if asked.echo is not None else None,
    }
    base = replace(base, event_name=RESULT, call_id=asked.call_id)
    return [result_event(base, asked.uid, text, outcome, ladder, signalled_ok=signal_of(outcome), slots=slots)]
