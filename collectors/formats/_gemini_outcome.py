"""What an answer of Gemini CLI or Qwen Code says about its call.

A shell that failed has the status `success` in Gemini CLI: its exit code is a line behind the output. Failures of other
tools are texts in `response.error`; streams and telemetry add a type from a fixed list. Source: real chats and streams
of Gemini CLI 0.4 to 0.61, tools/shell.ts and tools/tool-error.ts; real chats of Qwen Code 0.21.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from collectors.formats._outcomes import ERROR, KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome

SHELLS = frozenset({"run_shell_command", "shell", "run_command", "ShellTool"})
_REFUSED = Outcome("refused", "user_rejected")
_INTERRUPTED = Outcome("interrupted", "user_interrupt")
_INVALID = Outcome(NOT_RUN, "invalid_input")
_UNKNOWN = Outcome(NOT_RUN, "unknown_tool")
_POLICY = Outcome("blocked", "policy")
_FAILED = Outcome(ERROR, "status")
_TIMEOUT = Outcome(KILLED, TRANSPORT_TIMEOUT)
_BACKGROUND = Outcome("running", "background")
_TYPES: Mapping[str, Outcome] = {
    "invalid_tool_params": _INVALID,
    "path_not_in_workspace": _INVALID,
    "tool_not_registered": _UNKNOWN,
    "execution_denied": _POLICY,
    "policy_violation": _POLICY,
    "tool_blocked": _POLICY,
    "unhandled_exception": Outcome("harness_fault", "harness"),
}
_TEXTS: tuple[tuple[str, Outcome], ...] = (
    (r"\[Operation Cancelled\].{0,300}\b(?:denied|did not allow|rejected)", _REFUSED),
    (r"User (?:denied|did not allow|rejected)|Tool (?:call|execution) (?:denied|rejected) by user", _REFUSED),
    (
        r"\[Operation Cancelled\]|Command was cancelled by user|Request cancelled|\[?Tool (?:call )?cancelled",
        _INTERRUPTED,
    ),
    (r"Command was automatically cancelled because it exceeded the timeout|Command timed out after", _TIMEOUT),
    (
        r"Command moved to background|Background (?:command|shell) started|Command started in (?:the )?background",
        _BACKGROUND,
    ),
    (r"Tool \"?[^\"\n]{1,200}\"? not found\b|Unknown tool\b", _UNKNOWN),
    (
        r"params must \w|params/\S{1,200} must |Invalid (?:tool )?param|Path not in workspace|Command cannot be empty",
        _INVALID,
    ),
    (r"Tool execution (?:was )?denied by policy|.{0,300}denied by policy", _POLICY),
    (r"Tool execution blocked|.{0,300}blocked by (?:a )?(?:\w{1,40} )?hook", Outcome("blocked", "hook")),
)
_ANY_TEXT = re.compile("|".join(f"({pattern})" for pattern, _ in _TEXTS))
_UNTRUSTED = re.compile(r"\s*<untrusted_context>\n?(.*?)\n?</untrusted_context>\s*\Z", re.DOTALL)
_FIELD = re.compile(r"(Error|Exit Code|Signal|Background PIDs|Process Group PGID): (.{0,2000})")
_BEFORE = re.compile(r"(?:Command: .{0,20000}?\n)?(?:Directory: [^\n]{0,2000}\n)?(?:Output|Stdout): ?", re.DOTALL)
_MAX_FIELDS = 6
_NOTHING = ("(none)", "(empty)", "0", "")


class Shell(NamedTuple):
    """The parts of a shell's answer."""

    text: str
    """What the command printed."""
    exit_code: int | None = None
    signal: int | None = None
    is_complete: bool = False
    """Whether the answer has the form of a command that ran to its end: no exit code then says 0."""


def read_shell(text: str) -> Shell:
    """Return the parts of a shell's answer; the harness's lines stand before and behind what the command printed."""
    if "<untrusted_context>" in text[:40] and (inner := _UNTRUSTED.match(text)) is not None:
        text = inner[1]
    start = _BEFORE.match(text)
    if start is None:
        return Shell(text)
    body, fields = _split(text[start.end() :])
    code, signal = fields.get("Exit Code", ""), fields.get("Signal", "")
    return Shell(
        "" if body in _NOTHING[:2] else body,
        int(code) if code.removeprefix("-").isdigit() and len(code) < 6 else None,
        int(signal) if signal.isdigit() and 0 < int(signal[:3]) < 65 else None,
        is_complete=True,
    )


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Return the output and the fields behind it; what looks like a field inside of the output is output."""
    fields: dict[str, str] = {}
    for _ in range(_MAX_FIELDS):
        rest, _, line = text.rpartition("\n")
        match = _FIELD.fullmatch(line)
        if match is None or match[1] in fields:
            break
        text, fields[match[1]] = rest, match[2]
    return text, fields


def of_error(kind: str | None, text: str) -> Outcome:
    """Return what a failure says by its type and its text; refusals have no type of their own."""
    known = _ANY_TEXT.match(text[:2500])
    if known is not None and known.lastindex is not None:
        return _TEXTS[known.lastindex - 1][1]
    return _TYPES.get(kind or "", _FAILED)


def of_cancelled(text: str) -> Outcome:
    """Return what the status `cancelled` says: a person said no, or stopped the agent."""
    found = of_error(None, text)
    return found if found in (_REFUSED, _TIMEOUT) else _INTERRUPTED


def of_words(text: str) -> Outcome | None:
    """Return what the harness's words in place of a shell's output say; None where there are none."""
    known = _ANY_TEXT.match(text[:300])
    found = _TEXTS[known.lastindex - 1][1] if known is not None and known.lastindex is not None else None
    return found if found in (_INTERRUPTED, _TIMEOUT, _BACKGROUND) else None


def of_success() -> Outcome:
    """Return the outcome of the status `success`."""
    return Outcome(OK, "status")
