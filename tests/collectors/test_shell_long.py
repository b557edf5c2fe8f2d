"""Commands that are long and odd are read in the time of their length; a quadratic reader would take minutes each."""

import subprocess
import sys

import pytest

LENGTH = 100_000
PATIENCE = 60
"""Seconds: each takes well under one."""
ODD = {
    "blanks before": " " * LENGTH + "ls",
    "blanks behind": "ls 'a'" + " " * LENGTH,
    "blanks and a redirection": "ls 'a'" + " " * LENGTH + ">",
    "an open quote": "ls " + "\t" * LENGTH + "'",
    "an open quote behind quotes": "ls " + "'a' " * (LENGTH // 4) + "'",
    "continued lines": "ls " + "\\\n" * (LENGTH // 2) + '"a"',
    "brackets": "npx a" + "[" * LENGTH,
    "brackets behind a name": "uvx " + "a[" * (LENGTH // 2),
    "versions": "npx a" + "@==" * (LENGTH // 3),
}
_PROGRAM = "import sys; from collectors.commands import parse_once; parse_once(sys.stdin.buffer.read().decode())"


@pytest.mark.parametrize("name", ODD)
def test_a_long_command_is_read(name):
    """A reader that hangs on one command is one that a log can stop."""
    subprocess.run([sys.executable, "-c", _PROGRAM], input=ODD[name].encode(), timeout=PATIENCE, check=True)


def test_versions_and_extras_are_no_part_of_a_package():
    """Brackets that do not close a package's extras stay part of its name."""
    from collectors.wrappers import package_name

    names = ["ruff[a]", "ruff@1.2", "@scope/tool@1.2", "ruff>=1", "./ruff[a]", "ruff[a[b]"]
    assert [package_name(name) for name in names] == ["ruff", "ruff", "@scope/tool", "ruff", "./ruff[a]", "ruff[a"]
