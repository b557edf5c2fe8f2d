"""Events of a Claude Code `assistant` record: calls, answers, and errors of the model's API."""

from functools import lru_cache

import msgspec
from msgspec.structs import replace

from collectors import identity
from collectors.commands import ends_in_echo, parse
from collectors.conventions import CALL, TURN
from collectors.events import Event
from collectors.formats import _turns
from collectors.formats._claude_context import COMPACTION_AGENT, NO_ID, call_id, turn
from collectors.formats._claude_records import Block, Line, Usage
from collectors.formats._keep import window
from collectors.formats._results import arguments_text, attributes, merged, with_identity
from collectors.identity import Identity
from collectors.rules import Rules, current

_SHELLS = frozenset({"Bash", "bash"})
# calls by which the agent hands over to a person
_HANDOVERS = frozenset({"AskUserQuestion", "ExitPlanMode", "exit_plan_mode"})
_MAX_NAME = 200
_SHORT_INPUT = 4_000
_SYNTHETIC = "<synthetic>"
ECHO_INSIDE = ("echo_inside",)
"""Flag: the status that the call echoes is not what its output ends in, and so cannot be found there."""


class _ShellInput(msgspec.Struct, gc=False):
    command: str | None = None
    cmd: str | None = None


_SHELL_INPUT = msgspec.json.Decoder(_ShellInput)


def assistant_events(line: Line, base: Event, raw: bytes) -> list[Event]:
    """Return the events of one line of an API message, calls first."""
    message = line.message
    if message is None:
        return []
    usage = message.usage
    base.turn_id = message.id
    base.model = message.model if message.model != _SYNTHETIC else None
    base.input_tokens = _input_tokens(usage)
    base.output_tokens = usage.output_tokens if usage else None
    events: list[Event] = []
    texts: list[str] = [message.content] if isinstance(message.content, str) else []
    for index, block in enumerate(() if texts else message.content or ()):
        if isinstance(block, str):
            texts.append(block)
        elif block.type == "tool_use":
            events += _call(block, line, base, call_id(block.id, raw, index))
        elif block.type == "text" and block.text:
            texts.append(block.text)
    text = "\n".join(texts)
    if text.strip() and not (line.agent_id or "").startswith(COMPACTION_AGENT):
        events += _said(line, base, text)
    return events


def _call(block: Block, line: Line, base: Event, identifier: str) -> list[Event]:
    name = (block.name or "")[:_MAX_NAME]
    raw = bytes(block.input)
    command = _command(name, raw)
    if command is not None:
        found, arguments = identity.of_shell(name, command, cwd=line.cwd, raw=raw), None
    else:
        found, arguments = (_tool if len(raw) <= _SHORT_INPUT else _tool.__wrapped__)(name, raw, line.cwd, current())
    call = replace(
        base,
        event_name=CALL,
        uid=f"c:{identifier}",
        call_id=identifier,
        tool_name=name,
        cwd=line.cwd,
        arguments=arguments,
        flags=base.flags if block.id else merged(base.flags, NO_ID),
    )
    call = with_identity(call, found)
    if found.status_owner == "echoed" and not ends_in_echo(parse(command or "")):
        call = replace(call, flags=merged(call.flags, ECHO_INSIDE))
    if name not in _HANDOVERS:
        return [call]
    uid = f"t:handover:{identifier}"
    return [call, replace(base, event_name=TURN, uid=uid, turn_kind="handover", call_id=identifier, reason=name)]


@lru_cache(maxsize=4096)
def _tool(name: str, raw: bytes, cwd: str | None, rules: Rules) -> tuple[Identity, str]:
    """Return the identity of a structured call and its arguments; agents read the same files again and again."""
    values = msgspec.json.decode(raw) if raw else {}
    given = values if isinstance(values, dict) else {"input": values}
    found = identity.of_tool(name, given, cwd=cwd, raw=raw, rules=rules)
    return found, window(arguments_text(values), "arguments")


def _command(name: str, raw: bytes) -> str | None:
    if name not in _SHELLS or not raw:
        return None
    try:
        found = _SHELL_INPUT.decode(raw)
    except msgspec.ValidationError:
        return None
    return found.command if found.command is not None else found.cmd


def _said(line: Line, base: Event, text: str) -> list[Event]:
    if line.is_api_error_message:
        reason = line.api_error_status or (line.error if isinstance(line.error, str) else None) or "api_error"
        return [turn("api_error", line, base, text, reason=str(reason), attributes=attributes({"is_final": True}))]
    if line.message and line.message.model == _SYNTHETIC:
        return []
    stop = line.message.stop_reason if line.message else None
    asks = _turns.is_question(text)
    return [turn("answer", line, base, text, reason=stop, mentions=_turns.mentions(text), is_question=asks)]


def _input_tokens(usage: Usage | None) -> int | None:
    """Return what was not read from the cache: fresh and newly cached tokens."""
    if usage is None or usage.input_tokens is None:
        return None
    return usage.input_tokens + (usage.cache_creation_input_tokens or 0)
