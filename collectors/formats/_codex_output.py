"""What the output of a Codex call says about how the call ended.

Codex has no error flag. A shell's output comes in one of three shapes: JSON with `metadata.exit_code` (to 0.58), a
header with `Exit code: N`, or a header with `Process exited with code N` or `Process running with session ID N`
(from 0.105 on). Scripts of the code mode begin `Script failed` or the like. Output without any of these is either an
answer of a tool that needs none, or the harness's own words in place of a run. They are matched at the start alone, so
that output which quotes them proves nothing.

Source: real rollouts 0.40 to 0.171, and the texts in Codex's public source.
"""

import re
from typing import NamedTuple

import msgspec

from collectors.formats._outcomes import ERROR, KILLED, NOT_RUN, OK, TRANSPORT_TIMEOUT, Outcome, of_exit

RUNNING = "running"
_MAX_HEADER_LINES = 10
_FIELD = re.compile(
    r"(?P<exit>Exit code: |Process exited with code )(?P<code>-?\d{1,5})"
    r"|Process running with session ID (?P<session>\S{1,40})"
    r"|Script running with cell ID (?P<cell>\S{1,40})"
    r"|Script (?P<script>completed|failed|terminated|succeeded)"
    r"|Wall time:? (?P<wall>\d{1,9}(?:\.\d{1,9})?) seconds"
    r"|(?:Chunk ID|Original token count|Total output lines): \S{1,40}"
)
_STARTS = ("Chunk ID: ", "Exit code: ", "Wall time", "Script ")
_TIMED_OUT = re.compile(r"^command timed out after \d", re.MULTILINE)
_TIMEOUT_LOOK = 300
_NO_SUCH_COMMAND = re.compile(r"\s*(?:\S{1,100} ?: )?The term '[^'\n]{1,200}' is not recognized\b")
_WRITTEN_BY_SHELL = re.compile(r"\s*'[^'\n]{1,200}' is not recognized as an internal or external command")

_REFUSED = Outcome("refused", "user_rejected")
_POLICY = Outcome("blocked", "policy")
_HARNESS = Outcome("harness_fault", "harness")
_NO_PROGRAM = Outcome(NOT_RUN, "spawn_failed")
_INTERRUPTED = Outcome("interrupted", "user_interrupt")
_TEXTS: tuple[tuple[str, Outcome], ...] = (
    (r"(?:exec command|patch) rejected by user|user (?:rejected|cancelled) MCP tool call", _REFUSED),
    (r"(?:exec command|patch) rejected: |approval (?:policy is|required by policy)|.{0,2000}\brejected: ", _POLICY),
    (r"This action was rejected due to unacceptable risk", _POLICY),
    (
        r"(?:Command|Tool call|Tool) blocked by \S+ hook|.{0,300}\bblocked by \S{1,40} hook: ",
        Outcome("blocked", "hook"),
    ),
    (r"unsupported (?:custom )?(?:tool )?call: ", Outcome(NOT_RUN, "unknown_tool")),
    (r"failed to parse (?:\w+ )?arguments\b|invalid (?:\w+ )?arguments\b", Outcome(NOT_RUN, "invalid_input")),
    (r"(?:Wall time: [\d.]{1,20} seconds\n)?aborted(?: by user)?\b", _INTERRUPTED),
    (r"execution error: Io\(Os \{ code: 2\b", _NO_PROGRAM),
    (r"(?:execution|sandbox|internal) error\b|failed in sandbox\b|Failed to create unified exec process", _HARNESS),
    (r"tool call error: (?:.|\n){0,2000}?[Mm]cp error: -32", Outcome(NOT_RUN, "protocol_error")),
    (r"tool call error: (?:.|\n){0,2000}?timed out", Outcome(KILLED, TRANSPORT_TIMEOUT)),
    (r"tool call error: |err: ", Outcome("harness_fault", "mcp_transport")),
    (r"apply_patch (?:verification )?failed|write_stdin failed: |unable to locate ", Outcome(ERROR, "tool_error")),
    (r"Plan updated\b|Success\. Updated the following files:", Outcome(OK, "stated")),
)
_ANY_TEXT = re.compile("|".join(f"({pattern})" for pattern, _ in _TEXTS))
_SPAWN = re.compile(r"exec_command failed(?: for `|: )")
_SCRIPTS = {
    "completed": Outcome(OK, "script_completed"),
    "succeeded": Outcome(OK, "script_completed"),
    "failed": Outcome(ERROR, "script_failed"),
    "terminated": Outcome(KILLED, "terminated"),
}
_UNSTATED = Outcome(None, "no_exit_code")
_YIELDED = Outcome(RUNNING, "background")
_TERMINATED = Outcome(KILLED, "terminated")


class _Metadata(msgspec.Struct, gc=False):
    exit_code: int | None = None
    duration_seconds: float | None = None


class _Structured(msgspec.Struct, gc=False):
    output: str
    metadata: _Metadata


_STRUCTURED = msgspec.json.Decoder(_Structured)
# JSON that was cut in its middle to save tokens is no JSON any more, but its end is whole
_CUT_END = re.compile(
    r"\"\s?,\s?\"metadata\":\s?\{\"exit_code\":\s?(-?\d{1,5}),\s?\"duration_seconds\":\s?(\d{1,9}(?:\.\d{1,9})?)\}\}\s*\Z"
)
_CUT_LOOK = 200
_ESCAPE = re.compile(r"\\([\"\\/bfnrt])")
_ESCAPED = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Output(NamedTuple):
    """What an output says besides its text."""

    text: str
    """Without the header."""
    exit_code: int | None = None
    duration_ms: int | None = None
    running: str | None = None
    """The session or cell that goes on; its end comes in the output of a later call."""
    stated: Outcome | None = None
    """What the header or the harness's words say beside the exit code."""


def read_output(text: str) -> Output:
    """Return the parts of an output."""
    if text[:10] == '{"output":':
        structured = _structured(text)
        if structured is not None:
            return structured
    if text.startswith(_STARTS):
        found = _with_header(text)
        if found is not None:
            return found
    return Output(text, stated=_harness_words(text))


def outcome_of(said: Output, *, has_envelope: bool) -> Outcome:
    """Return the status that an output signals; None for an output that states none."""
    if said.running is not None:
        return _YIELDED
    if said.exit_code is not None:
        return of_code(said.exit_code, said.text, has_envelope=has_envelope)
    return said.stated or _UNSTATED


def of_code(code: int, text: str, *, has_envelope: bool) -> Outcome:
    """Return what an exit code of a Codex shell states; -1 is how it writes that there is none."""
    if code == -1:
        return _TERMINATED
    if code == 124 and _TIMED_OUT.search(text[:_TIMEOUT_LOOK]):
        return Outcome(KILLED, TRANSPORT_TIMEOUT)
    if code == 1 and not has_envelope and (_NO_SUCH_COMMAND.match(text) or _WRITTEN_BY_SHELL.match(text)):
        return Outcome(NOT_RUN, "command_not_found")
    return of_exit(code, text, has_envelope=has_envelope) or _UNSTATED


def _structured(text: str) -> Output | None:
    try:
        found = _STRUCTURED.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return _cut(text)
    seconds = found.metadata.duration_seconds
    duration = None if seconds is None or not 0 <= seconds < 1e9 else round(seconds * 1000)
    code = found.metadata.exit_code
    return Output(found.output, code if code is not None and abs(code) < 2**31 else None, duration)


def _cut(text: str) -> Output | None:
    end = _CUT_END.search(text, max(0, len(text) - _CUT_LOOK))
    if end is None:
        return None
    body = _ESCAPE.sub(lambda match: _ESCAPED[match[1]], text[text.find('"', 10) + 1 : end.start()])
    return Output(body, int(end[1]), round(float(end[2]) * 1000))


def _with_header(text: str) -> Output | None:
    """Return the parts of an output with a header: lines of known fields, then `Output:`."""
    at = 0
    code: int | None = None
    wall: str | None = None
    running: str | None = None
    script: str | None = None
    for _ in range(_MAX_HEADER_LINES):
        end = text.find("\n", at)
        line = text[at : end if end >= 0 else len(text)]
        if line.rstrip() == "Output:" and wall is not None:
            body = text[end + 1 :] if end >= 0 else ""
            duration = round(float(wall) * 1000)
            return Output(body, code, duration, running, _SCRIPTS[script] if script else None)
        match = _FIELD.fullmatch(line)
        if match is None or end < 0:
            return None
        code = int(match["code"]) if match["code"] else code
        wall, running, script = match["wall"] or wall, match["session"] or running, match["script"] or script
        running = f"cell:{match['cell']}" if match["cell"] else running
        at = end + 1
    return None


def _harness_words(text: str) -> Outcome | None:
    if _SPAWN.match(text):
        start = text[:4000]
        if "Rejected(" in start:
            return _REFUSED if "rejected by user" in start else _POLICY
        return _NO_PROGRAM if "No such file or directory" in start or "NotFound" in start else _HARNESS
    known = _ANY_TEXT.match(text[:2500])
    return _TEXTS[known.lastindex - 1][1] if known is not None and known.lastindex is not None else None
