"""How one call ended, as an exit code and the text beside it say; shared by the formats that have them."""

import re
from typing import NamedTuple

OK = "ok"
ERROR = "error"
NOT_RUN = "not_run"
KILLED = "killed"
TRANSPORT_TIMEOUT = "X_TRANSPORT_TIMEOUT"

_SIGNAL_BASE = 128
# HUP, INT, KILL, TERM come from outside; SEGV, ABRT, FPE, ... are the program's own crash
_OUTSIDE_SIGNALS = frozenset({1, 2, 9, 15})
_CRASHES = frozenset({4, 5, 6, 7, 8, 11})
_NOT_FOUND = re.compile(
    r"command not found|: not found|No such file or directory|is not recognized as|not found in PATH"
)
_NOT_EXECUTABLE = re.compile(r"Permission denied|cannot execute|Is a directory|Exec format error", re.IGNORECASE)
_ECHO_LINE = 120
_CLOSERS = " \t\r\n.)]\"'"
# a number with a sign, a point or a letter before it is a measure, a version or an id
_ECHOED = re.compile(rf"(?:.{{0,{_ECHO_LINE}}}[^\w.\-])?(\d{{1,3}})", re.ASCII)


class Outcome(NamedTuple):
    """One status of DEFINITIONS section 1 and what it was read from; status None is `not stated`."""

    status: str | None
    reason: str | None = None


def of_exit(code: int | None, text: str, *, has_envelope: bool) -> Outcome | None:
    """Return the outcome that an exit code states; None where none is stated.

    Args:
        code: the exit code stated for this program.
        text: its output; what 126 and 127 mean depends on it.
        has_envelope: the program lived long enough to explain itself, so 124 and 126 are its own.
    """
    if code is None:
        return None
    if code == 0:
        return Outcome(OK, "exit_code")
    if code in (126, 127) and not has_envelope:
        if _NOT_FOUND.search(text):
            return Outcome(NOT_RUN, "command_not_found")
        if _NOT_EXECUTABLE.search(text):
            return Outcome(NOT_RUN, "not_executable")
    if code == 124 and not has_envelope:
        return Outcome(KILLED, "timeout")
    signal = -code if code < 0 else code - _SIGNAL_BASE
    if signal in _OUTSIDE_SIGNALS:
        return Outcome(KILLED, f"signal:{signal}")
    if signal in _CRASHES:
        return Outcome(ERROR, f"signal:{signal}")
    return Outcome(ERROR, "exit_code")


def echoed_exit_code(text: str) -> int | None:
    """Return the integer 0..255 that ends the last line, as `; echo EXIT $?` prints it.

    It is only a candidate: whether the command echoes a status is a fact of the call.
    """
    tail = text[-2 * _ECHO_LINE :].rstrip(_CLOSERS)
    if not tail[-1:].isdigit():
        return None
    match = _ECHOED.fullmatch(tail.rpartition("\n")[2])
    return int(match[1]) if match and int(match[1]) <= 255 else None
