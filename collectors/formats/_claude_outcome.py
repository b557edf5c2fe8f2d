"""What a Claude Code result says about how its call ended.

The texts are the harness's own (versions 1.0 to 2.1, seen in real transcripts). They are matched at
the start of a result that is flagged as an error, so that output which quotes them proves nothing.
"""

import re

from collectors.formats._claude_records import Line, ToolUse
from collectors.formats._outcomes import KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome, of_exit

_EXIT = re.compile(r"Exit code (-?\d{1,5})(?:\n|\Z)")
_OPENING, _CLOSING = "<tool_use_error>", "</tool_use_error>"
_TIMED_OUT = re.compile(r"(?:Error: )?Command timed out after ")
_TEXTS: tuple[tuple[str, str, str], ...] = (
    (r"\[Request interrupted by user", "interrupted", "user_interrupt"),
    # a refusal and an interrupt of a running call get the same text
    (r"The user doesn't want to (?:proceed|take this action)", "refused", "user_rejected"),
    (r"User rejected tool use", "refused", "user_rejected"),
    (r"Claude requested permissions? to .{1,300}haven't granted", "refused", "permission_not_granted"),
    (r"(?:Pre|Post)ToolUse:\S+ (?:hook|\[)|(?:\S+ )?hook (?:\S+ )?(?:block|den|reject)", "blocked", "hook"),
    (r"Hook \S+ (?:denied|blocked)\b", "blocked", "hook"),
    (r"Execution stopped by \S+ hook|Operation stopped by hook", "blocked", "hook"),
    (r"Blocked: ", "blocked", "policy"),
    (r"Permission to use .{1,2000}has been (?:auto-)?denied", "blocked", "permission_rule"),
    (r".{1,300}(?:is|was|were|are) (?:blocked|denied) by your permission settings", "blocked", "permission_rule"),
    (r"Sibling tool call errored", "cancelled", "sibling_error"),
    (r"Cancelled: parallel tool call", "cancelled", "sibling_error"),
    (r"(?:Tool (?:use|call) )?[Cc]ancell?ed\b", "cancelled", "harness"),
    # before 2.0.37 this text is all that says so
    (
        r"(?:\S*sh|\(eval\))(?:: line \d+|:\d+)?: (?:\S+: command not found|command not found: \S+)\s*\Z",
        NOT_RUN,
        "command_not_found",
    ),
    (r"InputValidationError\b", NOT_RUN, "invalid_input"),
    (r"(?:Error: )?No such tool available\b|Unknown tool\b", NOT_RUN, "unknown_tool"),
    (r"MCP error -32602: .{0,300}(?:not found|[Uu]nknown tool)", NOT_RUN, "unknown_tool"),
    (r"MCP error -3260[02]\b", NOT_RUN, "invalid_input"),
    (r"ENOSPC\b|spawn \S+ E[A-Z]+|(?:Tool permission )?[Ss]tream closed", "harness_fault", "harness"),
    (r"MCP (?:server|error -32000|error -32001)\b", "harness_fault", "mcp_transport"),
)
_ANY_TEXT = re.compile("|".join(f"({pattern})" for pattern, _, _ in _TEXTS))
_OUTCOMES = tuple(Outcome(status, reason) for _, status, reason in _TEXTS)
_ERROR = Outcome("error", "is_error")
_HARNESS_TOOL = Outcome("error", "tool_use_error")
_UNSTATED_EXIT = Outcome("error", "exit_not_stated")
_SUCCESS = Outcome(OK)
_INTERPRETED = Outcome(OK, "interpreted_exit")
_BACKGROUND = Outcome("running", "background")
_INTERRUPTED = Outcome("interrupted", "user_interrupt")
_TIMEOUT = Outcome(KILLED, TRANSPORT_TIMEOUT)
_REFUSED = Outcome("refused", "user_rejected")
_LAUNCHES = (
    "Command running in background",
    "Command was manually backgrounded",
    "Command was moved to the background",
    "Async agent launched",
)
# from this version on every failed command states its exit code (1.0 never does)
_STATES_EXIT_SINCE = (2, 0, 37)


def unwrapped(text: str) -> tuple[str, bool]:
    """Return the text inside `<tool_use_error>` and True, or the text itself and False."""
    if _OPENING not in text[:40]:
        return text, False
    start = text.lstrip()
    if not start.startswith(_OPENING):
        return text, False
    return start.removeprefix(_OPENING).rstrip().removesuffix(_CLOSING), True


def split_exit(text: str, *, is_error: bool) -> tuple[int | None, str]:
    """Return the exit code of the `Exit code N` line that a failed command begins with, and what it printed itself."""
    match = _EXIT.match(text) if is_error else None
    return (int(match[1]), text[match.end() :]) if match else (None, text)


def of_result(
    line: Line, text: str, *, is_error: bool, is_wrapped: bool, exit_code: int | None, has_envelope: bool
) -> Outcome:
    """Return the status this record signals.

    Args:
        line: the record of the result.
        text: its text, unwrapped, behind the line with the exit code.
        is_error: the harness's flag; absent means success.
        is_wrapped: whether the text came in `<tool_use_error>`: the harness refused, no program ran.
        exit_code: from `split_exit`.
        has_envelope: whether an envelope was found in the text.
    """
    use = line.tool_use_result
    if isinstance(use, ToolUse) and (use.interrupted or use.was_interrupted):
        return _INTERRUPTED
    if not is_error:
        return _good(use, text)
    if _TIMED_OUT.match(text):
        return _TIMEOUT
    by_exit = of_exit(exit_code, text, has_envelope=has_envelope)
    if by_exit is not None:
        # an error whose stated code is 0 is an error of the harness
        return by_exit if by_exit.status != OK else _ERROR
    known = _ANY_TEXT.match(text[:2500])
    if known is not None and known.lastindex is not None:
        return _OUTCOMES[known.lastindex - 1]
    if use == "User rejected tool use" or line.tool_denial_kind == "user-rejected":
        return _REFUSED
    if is_wrapped:
        return _HARNESS_TOOL
    return _UNSTATED_EXIT if not has_envelope and _states_exits(line.version) else _ERROR


def _good(use: object, text: str) -> Outcome:
    if isinstance(use, ToolUse):
        if use.background_task_id or use.is_async or use.status == "async_launched":
            return _BACKGROUND
        if use.return_code_interpretation:
            return _INTERPRETED
    return _BACKGROUND if text.startswith(_LAUNCHES) else _SUCCESS


def _states_exits(version: str | None) -> bool:
    parts = (version or "").split(".")[:3]
    return (
        len(parts) == 3
        and all(part.isdigit() and len(part) < 6 for part in parts)
        and tuple(map(int, parts)) >= _STATES_EXIT_SINCE
    )
