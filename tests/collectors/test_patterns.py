"""Patterns read hostile text: none may take more than a time that grows with its length."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from collectors.formats import mini_swe_agent
from tests.collectors.patterns import BOUNDS, attacks, patterns

SHARES = 3
PATIENCE = 150
"""Seconds for a third of all patterns, which takes five; one that backtracks would take minutes to years."""
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("share", range(SHARES))
def test_no_pattern_backtracks(share):
    """Each pattern of the packages reads strings of 100,000 characters, made to mislead it, by the method it is for."""
    command = [sys.executable, "-m", "tests.collectors.patterns", str(share), str(SHARES)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        told, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        told, _ = process.communicate()
        pytest.fail(f"hangs: {told.splitlines()[-1] if told else 'the import'}")
    assert process.returncode == 0
    done, tried, strings = told.splitlines()[-1].split()
    assert done == "done"
    assert int(tried) > 60
    assert int(strings) > 1_000


def test_bounds_name_patterns_that_are():
    """A bound that no pattern has any more would hide nothing and mislead readers."""
    names = [name for name, _, _ in patterns()]
    assert [place for place in BOUNDS if not any(name.startswith(place) for name in names)] == []


def test_a_pattern_that_backtracks_is_found():
    """The strings are of the kind that misleads: they take a bad pattern more steps than there are characters."""
    bad = re.compile(r"x*\s*(?:a|b|ab)*+(?:[cd]+)+e")
    program = "import re, sys; re.compile(sys.argv[1]).search(sys.argv[2])"
    hangs = 0
    for text in attacks(bad, 60):
        try:
            subprocess.run([sys.executable, "-c", program, bad.pattern, text.rstrip("\0")], timeout=2, check=True)
        except subprocess.TimeoutExpired:
            hangs += 1
            break
    assert hangs == 1


@pytest.mark.parametrize("end", ["", "\n```", "\n```\n"])
def test_blocks_that_never_end(end):
    """A message of a hundred thousand beginnings of blocks is read once, not once a beginning."""
    text = "```bash\nx" * 100_000 + end
    assert len(mini_swe_agent._prose(text)) <= len(text)
    assert mini_swe_agent._prose("a\n```bash\nls\n```\nb") == "a\n\nb"
