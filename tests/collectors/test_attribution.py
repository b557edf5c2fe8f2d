"""The examples of docs/attribution.md, against the code."""

import re
from pathlib import Path

import pytest

from collectors import identity

PAGE = Path(__file__).parents[2] / "docs" / "attribution.md"
CELL = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"`([^`]*)`$")


def rows(*header):
    """Return the rows of all tables of the page with this header, code without its quotes."""
    found, is_inside = [], False
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in CELL.split(line)[1:-1]]
        if cells[: len(header)] == list(header):
            is_inside = True
        elif not cells:
            is_inside = False
        elif is_inside and set(cells[0]) != {"-"}:
            found.append([CODE.sub(r"\1", cell) for cell in cells])
    assert found, header
    return found


def of(command):
    """Return the identity of an example, `⏎` standing for a line break."""
    return identity.of_shell("Bash", command.replace("⏎", "\n"), cwd="/srv")


@pytest.mark.parametrize(("command", "program", "operation"), rows("command", "program", "operation"))
def test_programs_and_operations(command, program, operation):
    """The page names the program and operation that the code finds."""
    found = of(command)

    assert (program, operation) == (found.program or "none", found.operation or "none")


@pytest.mark.parametrize(("command", "owner", "reason", "meaning"), rows("command", "whose", "reason"))
def test_whose_status(command, owner, reason, meaning):
    """The page says whose status it is as the code does."""
    found = of(command)

    assert ("tool", owner, reason) == (found.program, found.status_owner, found.status_reason or "")


@pytest.mark.parametrize(("command", "flag", "statuses"), rows("command", "flag"))
def test_wrappers_with_statuses_of_their_own(command, flag, statuses):
    """Calls under such a wrapper carry its flag."""
    assert flag in of(command).flags


@pytest.mark.parametrize(("command", "codes"), rows("command", "codes that answer"))
def test_answers(command, codes):
    """The page lists the exit codes that the code takes for answers."""
    assert codes == (", ".join(map(str, of(command).benign_exits)) or "none")


@pytest.mark.parametrize(("first", "second", "invocation", "operation"), rows("first", "second"))
def test_same_calls(first, second, invocation, operation):
    """The page says which calls share their keys."""
    one, other = of(first), of(second)

    assert (invocation, operation) == (
        "yes" if one.invocation_key == other.invocation_key else "no",
        "yes" if one.operation_key == other.operation_key else "no",
    )
