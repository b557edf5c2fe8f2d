"""Exit codes that are answers, and what the contract's codes mean."""

import json
from pathlib import Path

import pytest

from collectors import commands, exits, identity

CASES = Path(__file__).parent.parent / "cases"


def benign(command):
    """Return the benign exits of a shell string."""
    return identity.of_shell("Bash", command, cwd=None).benign_exits


def test_d06_answers_and_errors():
    """Ten calls: a search without a hit answers, a search that failed and an empty test run are errors."""
    records = [json.loads(line) for line in (CASES / "D06.jsonl").read_text().splitlines()]
    blocks = [block for record in records for block in record["message"]["content"] if isinstance(block, dict)]
    called = [block["input"]["command"] for block in blocks if block["type"] == "tool_use"]
    codes = [int(block["content"].split()[2]) for block in blocks if block["type"] == "tool_result"]

    answers = [code in benign(command) for command, code in zip(called, codes, strict=True)]
    assert [True, False, True, True, True, True, True, False, True, True] == answers


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("git diff --exit-code", (1,)),
        ("git diff", ()),
        ("git grep foo", (1,)),
        ("git commit -m x", ()),
        ("git ls-remote --exit-code origin x", (2,)),
        ("systemctl is-active web", (3,)),
        ("terraform plan", ()),
        ("terraform plan -detailed-exitcode", (2,)),
        ("command -v jq", (1,)),
        ("jq -e .a f", (1, 4)),
        ("jq .a f", ()),
        ("[[ -f x ]]", (1,)),
        ("pytest -q", ()),
    ],
)
def test_rules_are_per_program_and_flag(command, codes):
    """A rule holds for its program, and only with its subcommand and flags."""
    assert codes == benign(command)


@pytest.mark.parametrize(
    ("command", "codes"),
    [
        ("tool list | grep x", (1,)),
        ("grep x f | tool load", ()),
        ("grep x f; tool a", ()),
        ("grep x f || tool a", ()),
        ("grep x f || true", ()),
        ("cd d && grep x f", (1,)),
        ("! tool a", (1,)),
        ("find . | xargs grep x", (1, exits.XARGS_FAILED)),
        ("find . | xargs tool a", ()),
        ("set -o pipefail; tool a | head -1", (exits.SIGPIPE,)),
        ("for f in a b; do grep x $f; done", ()),
    ],
)
def test_rules_hold_only_for_the_program_whose_status_it_is(command, codes):
    """A benign exit counts where its program's status is the one reported."""
    assert codes == benign(command)


def test_every_rule_has_a_source():
    """Each benign exit says where its program states it, and no two say the same."""
    rows = [(row.program, row.code, row.path, row.flags) for row in exits.BENIGN]

    assert [] == [row for row in exits.BENIGN if not row.source or not 1 <= row.code <= 255]
    assert len(rows) == len(set(rows))


def test_the_contracts_codes():
    """Codes 1 to 13 carry constant, retryability and side effects of the contract."""
    assert list(range(1, 14)) == sorted(exits.EXIT_CODES)
    assert {11: True, 12: True} == {code: True for code, row in exits.EXIT_CODES.items() if row.is_retryable}
    assert [2, 4, 8, 9, 13] == [code for code, row in exits.EXIT_CODES.items() if row.is_after_fix]
    assert {1: "unknown", 3: "partial", 10: "partial"} == {
        code: row.side_effects for code, row in exits.EXIT_CODES.items() if row.side_effects != "none"
    }
    assert "AUTH_REQUIRED" == exits.EXIT_CODES[8].constant


@pytest.mark.parametrize(
    ("command", "output", "code"),
    [
        ("tool a; echo EXIT $?", "x\nEXIT 8", 8),
        ("tool a; rc=$?; tail -3 log; echo rc=$rc", "rc=3\n120 done\nrc=12\n", 12),
        ("tool a; rc=$?; echo rc=$rc; tail -3 log", "rc=12\nrows 40", 12),
        ('tool a | tail; echo "exit ${PIPESTATUS[0]} of $N"', "x\nexit 101 of 5", 101),
        ("tool a; printf 'code: %s\\n' $?", "code: 7", 7),
        ("tool a; echo EXIT $?", "cut off", None),
        ("tool a; echo EXIT $?", "EXIT 700", None),
        ("tool a; echo $?", "12\n", 12),
        ("tool a; echo $?", "done 40", None),
    ],
)
def test_echoed_codes_are_read_where_they_were_printed(command, output, code):
    """The code is looked for in the echo's own words, not in the last number of the output."""
    assert code == exits.echoed_exit_code(commands.parse(command).echo, output)
