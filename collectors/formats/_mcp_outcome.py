"""What an MCP answer says about its call: errors of the tool, errors of the protocol, and the envelope in either."""

import re

import msgspec

from collectors import envelope
from collectors.envelope import Ladder
from collectors.events import Event
from collectors.formats._events import ladder_in
from collectors.formats._mcp_records import Block, Message, Problem, Result
from collectors.formats._outcomes import ERROR, KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome
from collectors.formats._results import whole

SUSPECTED = "suspected_failure"
"""Flag: an answer without the error flag reads like a failure; suspicion only."""

RUNNING = Outcome("running", "task")
_SUCCESS = Outcome(OK, "is_error")
_FAILURE = Outcome(ERROR, "is_error")
_UNKNOWN_TOOL = Outcome(NOT_RUN, "unknown_tool")
_INVALID = Outcome(NOT_RUN, "invalid_input")
_TIMEOUT = Outcome(KILLED, TRANSPORT_TIMEOUT)
_PROTOCOL = Outcome("harness_fault", "protocol_error")
_TRANSPORT = Outcome("harness_fault", "mcp_transport")
_NULL = (b"", b"null")
# servers answer a call that they refused to run with the error flag and their library's words
_REFUSED = (
    (r"(?:MCP error -3260[0-9]: )?(?:Unknown tool|Tool \S{1,200} (?:not found|does not exist))", _UNKNOWN_TOOL),
    (r"MCP error -3260[02]\b|Input validation error\b|Invalid arguments for tool\b", _INVALID),
    (r"Error executing tool \S{1,200}: \d{1,4} validation errors? for \w{1,200}Arguments\b", _INVALID),
)
_ANY_REFUSAL = re.compile("|".join(f"({pattern})" for pattern, _ in _REFUSED))
_NO_TOOL = re.compile(
    r"unknown tool|tool\b.{0,200}\b(?:not found|does not exist|not available)", re.IGNORECASE | re.DOTALL
)
_TIMED_OUT = re.compile(r"timed? ?out", re.IGNORECASE)


def text_of(result: Result) -> str:
    """Return the text of a result; of one without text, its structured content."""
    blocks = result.content if isinstance(result.content, list) else [result.content]
    texts = [block.text if isinstance(block, Block) else block for block in blocks]
    text = "\n".join(part for part in texts if part)
    return text or (
        bytes(result.structured).decode("utf-8", "replace") if bytes(result.structured) not in _NULL else ""
    )


def of_result(result: Result, text: str) -> Outcome:
    """Return the status that a result signals; a missing `isError` is false, as the protocol has it."""
    if result.task is not None and result.content is None:
        return RUNNING
    if not result.is_error:
        return _SUCCESS
    refusal = _ANY_REFUSAL.match(text[:1000])
    return _REFUSED[refusal.lastindex - 1][1] if refusal is not None and refusal.lastindex is not None else _FAILURE


def of_problem(problem: Problem) -> Outcome:
    """Return what an error of the protocol says: another layer than the tool, which never answered.

    Source: JSON-RPC 2.0 section 5.1; the codes -32000 (connection closed), -32001 (request timeout) and -32042 (a
    person must act first) are those of the MCP libraries.
    """
    code, text = whole(problem.code), problem.message or ""
    if _NO_TOOL.search(text[:1000]):
        return _UNKNOWN_TOOL
    if code in (-32600, -32601, -32602, -32700, -32042):
        return _INVALID if code == -32602 else Outcome(NOT_RUN, "protocol_error")
    if code == -32001 and _TIMED_OUT.search(text[:1000]):
        return _TIMEOUT
    return _TRANSPORT if code in (-32000, -32001) else _PROTOCOL


def of_cancellation(reason: str | None) -> Outcome:
    """Return what a client's cancellation says: its own timeout, or somebody who no longer wants the answer."""
    return _TIMEOUT if reason and _TIMED_OUT.search(reason[:1000]) else Outcome("interrupted", "request_cancelled")


def ladder_of(message: Message, raw: bytes, text: str, base: Event) -> Ladder | None:
    """Return what a message declares: in its `_meta` or its error, else in its text, else in its structured content."""
    result = message.result
    if result is None or b"toolFailure" in bytes(result.meta):
        return _from_json(raw, base)
    return ladder_in(text, base) or _from_json(bytes(result.structured), base)


def is_data(result: Result, ladder: Ladder | None) -> bool:
    """Return whether a good result brings what was asked for: structured content that is more than its text again."""
    if result.is_error or (ladder is not None and ladder.is_failure):
        return False
    raw = bytes(result.structured)
    if raw in _NULL:
        return False
    value = _value(raw)
    return not (isinstance(value, dict) and value.keys() <= {"result"} and isinstance(value.get("result"), str))


def _from_json(raw: bytes, base: Event) -> Ladder | None:
    return envelope.from_value(_value(raw), received_unix_nano=base.time_unix_nano) if raw not in _NULL else None


def _value(raw: bytes) -> object:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
