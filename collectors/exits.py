"""Exit codes that are answers, and what the exit codes of the contract mean, as data."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from collectors.rules import DEFAULT, Benign, Rules
from collectors.runs import Run


def _any(text: str) -> frozenset[str]:
    return frozenset(text.split())


BENIGN: tuple[Benign, ...] = (
    *(
        Benign(name, 1, source="POSIX grep, EXIT STATUS: 1 no lines were selected")
        for name in ("grep", "egrep", "fgrep", "zgrep", "findstr")
    ),
    Benign("rg", 1, source="ripgrep manual, EXIT STATUS: 1 no match was found"),
    Benign("ag", 1, source="ag manual, EXIT STATUS"),
    Benign("ack", 1, source="ack manual, EXIT STATUS: 1 no match"),
    Benign("diff", 1, source="POSIX diff, EXIT STATUS: 1 differences were found"),
    Benign("cmp", 1, source="POSIX cmp, EXIT STATUS: 1 files are different"),
    Benign("colordiff", 1, source="as diff"),
    Benign("test", 1, source="POSIX test, EXIT STATUS: 1 expression evaluated to false"),
    Benign("[", 1, source="POSIX test"),
    Benign("[[", 1, source="bash manual, 3.2.5.2 Conditional Constructs"),
    Benign("false", 1, source="POSIX false"),
    Benign("expr", 1, source="POSIX expr, EXIT STATUS: 1 expression evaluates to null or zero"),
    Benign("pgrep", 1, source="procps pgrep, EXIT STATUS: 1 no processes matched"),
    Benign("pkill", 1, source="procps pkill, EXIT STATUS: 1 no processes matched"),
    Benign("which", 1, source="which manual: number of failed arguments"),
    Benign("command", 1, flags=_any("-v -V"), source="POSIX command, EXIT STATUS: >0 the name could not be found"),
    Benign("type", 1, source="POSIX type"),
    Benign("hash", 1, source="POSIX hash"),
    Benign("lsof", 1, source="lsof manual, DIAGNOSTICS: 1 also when nothing was found"),
    Benign("git", 1, ("diff",), _any("--exit-code --quiet --no-index"), "git-diff manual, --exit-code"),
    Benign("git", 1, ("grep",), source="git-grep manual, as grep"),
    Benign("git", 1, ("merge-base",), _any("--is-ancestor"), "git-merge-base manual, --is-ancestor"),
    Benign("git", 1, ("check-ignore",), source="git-check-ignore manual, EXIT STATUS: 1 none is ignored"),
    Benign("git", 1, ("config",), source="git-config manual: 1 the section or key is invalid or not set"),
    Benign("git", 2, ("ls-remote",), _any("--exit-code"), "git-ls-remote manual, --exit-code"),
    Benign("git", 1, ("show-ref",), source="git-show-ref manual, --verify: 1 no such reference"),
    Benign("git", 1, ("rev-parse",), _any("-q --quiet"), "git-rev-parse manual, --verify --quiet"),
    Benign("git", 1, ("symbolic-ref",), _any("-q --quiet"), "git-symbolic-ref manual, EXIT STATUS"),
    Benign("systemctl", 3, ("is-active",), source="systemctl manual, EXIT STATUS: 3 unit is not active"),
    Benign("systemctl", 1, ("is-enabled",), source="systemctl manual, is-enabled"),
    Benign("systemctl", 1, ("is-failed",), source="systemctl manual, is-failed"),
    Benign("systemctl", 3, ("status",), source="systemctl manual, EXIT STATUS: 3 unit is not active"),
    Benign(
        "terraform",
        2,
        ("plan",),
        _any("-detailed-exitcode --detailed-exitcode"),
        "terraform plan, -detailed-exitcode: 2 changes",
    ),
    Benign("tofu", 2, ("plan",), _any("-detailed-exitcode --detailed-exitcode"), "as terraform"),
    Benign("npm", 1, ("outdated",), source="npm-outdated manual: 1 where packages are outdated"),
    Benign("pnpm", 1, ("outdated",), source="as npm"),
    Benign("yarn", 1, ("outdated",), source="as npm"),
    Benign("kubectl", 1, ("diff",), source="kubectl diff: 1 differences were found"),
    Benign("jq", 1, flags=_any("-e --exit-status"), source="jq manual, --exit-status: 1 last output false or null"),
    Benign("jq", 4, flags=_any("-e --exit-status"), source="jq manual, --exit-status: 4 no valid result"),
    Benign("dnf", 100, ("check-update",), source="dnf manual, check-update: 100 updates are available"),
    Benign("yum", 100, ("check-update",), source="as dnf"),
    Benign("sort", 1, flags=_any("-c -C --check"), source="POSIX sort, EXIT STATUS: 1 not ordered as specified"),
    Benign("ping", 1, source="iputils ping manual: 1 where no reply was received"),
    Benign("pidof", 1, source="pidof manual, EXIT STATUS: 1 no program was found"),
    Benign("getent", 2, source="getent manual, EXIT STATUS: 2 a key could not be found"),
    Benign("gh", 8, ("pr", "checks"), source="gh pr checks manual: 8 checks pending"),
    Benign("let", 1, source="bash manual: 1 where the last value is 0"),
    Benign("read", 1, source="bash manual: end of file"),
)
"""Benign exits; a row holds only where that program owns the status. pytest 5 is an error by default."""


class Meaning(NamedTuple):
    """What the contract says of an exit code."""

    constant: str
    is_retryable: bool | None
    """None where it depends or needs a fix first."""
    is_after_fix: bool
    side_effects: str


EXIT_CODES: Mapping[int, Meaning] = {
    1: Meaning("GENERAL_ERROR", None, False, "unknown"),
    2: Meaning("ARG_ERROR", False, True, "none"),
    3: Meaning("PARTIAL_FAILURE", False, False, "partial"),
    4: Meaning("PRECONDITION", False, True, "none"),
    5: Meaning("NOT_FOUND", False, False, "none"),
    6: Meaning("CONFLICT", False, False, "none"),
    7: Meaning("PERMISSION_DENIED", False, False, "none"),
    8: Meaning("AUTH_REQUIRED", False, True, "none"),
    9: Meaning("PAYMENT_REQUIRED", False, True, "none"),
    10: Meaning("TIMEOUT", None, False, "partial"),
    11: Meaning("RATE_LIMITED", True, False, "none"),
    12: Meaning("UNAVAILABLE", True, False, "none"),
    13: Meaning("REDIRECTED", False, True, "none"),
}
"""Exit codes 1 to 13 of the cli-agent-spec contract."""

SIGPIPE = 141
"""128 + 13: the program wrote to a pipe that a filter (`head`) had closed; no error of the program."""
XARGS_FAILED = 123
"""xargs manual, EXIT STATUS: some invocation exited with 1 to 125."""

_ECHO_LENGTH = 200
_OUTPUT_LENGTH = 20_000
_VARIABLE = re.compile(r"\$\{?\w+\}?|\\n|%\w")

_BY_PROGRAM: dict[str, tuple[Benign, ...]] = {}
for _row in BENIGN:
    _BY_PROGRAM[_row.program] = (*_BY_PROGRAM.get(_row.program, ()), _row)


def echoed_exit_code(echo: str, output: str) -> int | None:
    """Return the exit code that an `echo` printed into the output, None where its line is not there.

    Args:
        echo: what the echo prints, `$?` standing for the code (`commands.Command.echo`).
        output: the call's output; the last match counts.
    """
    before, _, after = echo.partition("$?")
    # the words next to the number, as far as no other variable stands between
    start = _VARIABLE.split(before.rpartition("\n")[2][-_ECHO_LENGTH:])[-1]
    end = _VARIABLE.split(after.partition("\n")[0][:_ECHO_LENGTH])[0]
    pattern = (re.escape(start) or "^") + r"(\d{1,3})" + (re.escape(end) or r"[ \t\r]*$")
    matches = re.findall(pattern, output[-_OUTPUT_LENGTH:], re.MULTILINE)
    return int(matches[-1]) if matches and int(matches[-1]) <= 255 else None


def benign_exits(run: Run, rules: Rules = DEFAULT) -> tuple[int, ...]:
    """Return the exit codes of a run that are answers, ascending."""
    rows = _BY_PROGRAM.get(run.program or "", ())
    if rules.benign:
        rows = (*rows, *(row for row in rules.benign if row.program == run.program))
    return tuple(sorted({row.code for row in rows if _fits(row, run)})) if rows else ()


def _fits(row: Benign, run: Run) -> bool:
    if row.flags and row.flags.isdisjoint(run.argv):
        return False
    return not row.path or run.path[: len(row.path)] == row.path
