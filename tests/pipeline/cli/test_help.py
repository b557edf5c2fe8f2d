"""Helps as people read them."""

import pytest
from typer.main import get_command

from pipeline.cli import analyze, collector

COMMANDS = [
    (name, command)
    for name, app in (("analyze", analyze.app), ("collector", collector.app))
    for command in ("", *get_command(app).commands)
]


@pytest.mark.parametrize(("name", "command"), COMMANDS, ids=lambda part: part or "itself")
def test_examples_keep_their_lines(run, name, command):
    """No help shows the mark that keeps lines apart, and each example stands on a line of its own."""
    ran = run(name, *filter(None, [command]), "--help")

    assert 0 == ran.exit_code
    assert "\\b" not in ran.out
    assert "\b" not in ran.out
    if "Examples:" in ran.out:
        examples = ran.out.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
        assert examples
        assert all(example.count(f"{name} ") == 1 for example in examples)
