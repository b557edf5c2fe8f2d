"""Which program a shell string runs and whose status it reports."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors import commands, identity, shell_tree
from collectors.shell import Dynamic
from collectors.shell_quick import quick

HERE = Path(__file__).parent
CASES = HERE.parent / "cases"

ESCAPES = {"n": "\n", "\\": "\\"}


def unescaped(text):
    """Return a command of `command_lines.tsv` with its line breaks."""
    return re.sub(r"\\([n\\])", lambda match: ESCAPES[match[1]], text)


def table(path):
    """Return the rows of a tab-separated table without its comment."""
    return [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("# command")]


def bash_calls(case):
    """Return the shell strings of a Claude Code case in order."""
    records = map(json.loads, (CASES / f"{case}.jsonl").read_text().splitlines())
    blocks = [block for record in records if record["type"] == "assistant" for block in record["message"]["content"]]
    return [block["input"]["command"] for block in blocks if block["type"] == "tool_use"]


def codex_calls(case):
    """Return command and directory of the shell calls of a Codex case in order."""
    payloads = [json.loads(line)["payload"] for line in (CASES / f"{case}.jsonl").read_text().splitlines()]
    arguments = [json.loads(each["arguments"]) for each in payloads if each.get("type") == "function_call"]
    return [(each["command"], each.get("workdir")) for each in arguments]


def facts(command):
    """Return program, path, status owner and reason of a shell string."""
    found = commands.parse(command)
    return found.main.program, " ".join(found.main.path), found.status_owner, found.status_reason


@pytest.mark.parametrize(("command", "program", "note"), table(CASES / "D10.txt"))
def test_d10_wrappers_and_runners(command, program, note):
    """Every row of the table of wrappers names its program and subcommand, or none where it is unknown."""
    main = commands.parse(command).main

    if program == "NULL":
        assert main.program is None
    else:
        assert (program, note.partition(" (")[0]) == (main.program, " ".join(main.path))


@pytest.mark.parametrize(("command", "program", "operation", "owner", "reason"), table(HERE / "command_lines.tsv"))
def test_command_lines(command, program, operation, owner, reason):
    """What agents run is attributed as a reader of the line would."""
    found = identity.of_shell("Bash", unescaped(command), cwd="/srv")

    assert (program, operation, owner, reason) == (
        found.program or "NULL",
        found.operation or "NULL",
        found.status_owner,
        found.status_reason or "",
    )


def test_d01_the_whole_wrapper_stack():
    """Wrappers are peeled off and kept, and a pipe hides the status of the program inside."""
    wrapped, _, plain = bash_calls("D01")
    found = commands.parse(wrapped)

    assert ("tool", "deploy", "masked", "pipe:tail") == facts(wrapped)
    assert ("tool", "deploy", "own", None) == facts(plain)
    assert ("timeout", "sudo", "npx") == found.main.wrappers
    assert ("services/api", (("FOO", "1"),)) == (found.main.cwd, found.main.env)
    assert {"timeout", "elevated", "runner:npx", "env_assigned", "setup:cd"} == set(found.flags)


def test_d02_a_pipe_eats_the_status():
    """Only pipefail, or no pipe, leaves the status with the build."""
    assert [
        ("just", "test", "masked", "pipe:tail"),
        ("cargo", "build", "masked", "pipe:tail"),
        ("cargo", "build", "own", "pipefail"),
        ("cargo", "build", "own", None),
    ] == [facts(command) for command in bash_calls("D02")]


def test_d04_what_follows_replaces_the_status():
    """Each of the seven suffixes says something else about the status of the same run."""
    assert [
        ("masked", "or_true"),
        ("masked", "or:echo"),
        ("echoed", "echo"),
        ("masked", "semicolon:echo"),
        ("masked", "semicolon:true"),
        ("negated", None),
        ("masked", "or:echo"),
    ] == [facts(command)[2:] for command in bash_calls("D04")]
    assert {("tool", "deploy")} == {facts(command)[:2] for command in bash_calls("D04")}


def test_d07_a_heredoc_is_data_unless_a_shell_reads_it():
    """A body runs only where a shell without a script of its own takes it as input."""
    runs = [[run.program for run in commands.parse(command).runs] for command in bash_calls("D07")]

    assert [["cat"], ["tool"], ["set", "tool"], ["bash"], ["tool", "cat"], ["git"], ["python3"]] == runs
    assert [("bash", "verify.sh", "own", None), ("cat", "", "own", None)] == [
        facts(command) for command in bash_calls("D07")[3:5]
    ]


def test_d09_argument_vectors_and_nested_shells():
    """`bash -lc`, a nested `-c`, a plain vector and PowerShell name the same run in the same directory."""
    found = [
        identity.of_shell("shell", command, cwd=cwd)
        if isinstance(command, str)
        else identity.of_argv("shell", command, cwd=cwd)
        for command, cwd in codex_calls("D09")
    ]

    assert {("tool", "tool deploy", '{"--target":["prod"]}', "own")} == {
        (each.program, each.operation, each.target, each.status_owner) for each in found
    }
    first, second, third, fourth, _ = found
    assert second.invocation_key == third.invocation_key == fourth.invocation_key != first.invocation_key
    assert 1 == len({each.operation_key for each in found})


def test_d14_timeouts_are_wrappers():
    """A call under timeout(1) is the same invocation, and says that 124 may be the wrapper's."""
    first, second, *_ = [identity.of_argv("shell", command, cwd=cwd) for command, cwd in codex_calls("D14")]

    assert first.invocation_key == second.invocation_key
    assert (("timeout",), ()) == (first.flags, second.flags)


def test_d15_builtins_are_programs_when_alone():
    """Where only builtins run, one of them is the call's program."""
    assert ["tool", "whoami", "echo", "pwd", "run.sh", "echo", "echo"] == [
        facts(command)[0] for command in bash_calls("D15")
    ]


def test_d16_a_file_viewer_prints_data():
    """What `cat` prints is data; what the tool prints is its own word."""
    found = [identity.of_shell("Bash", command, cwd=None) for command in bash_calls("D16")]

    assert [False, True, False] == [each.is_viewer for each in found]
    assert found[0].invocation_key == found[2].invocation_key


def test_d17_a_script_is_part_of_the_operation():
    """An interpreter's script and its subcommand are the path."""
    assert ("python", "cli.py reindex", "own", None) == facts(bash_calls("D17")[0])
    assert ("tail", "", "own", None) == facts(bash_calls("D17")[1])


@pytest.mark.parametrize(
    ("command", "owner"),
    [
        ("tool a; rc=$?; echo rc=$rc", "echoed"),
        ("tool a; true; echo $?", "masked"),
        ("tool a; rc=$?; other; echo $rc", "masked"),
        ("tool a; exit $?", "own"),
        ("tool a; rc=$?; tail log; exit $rc", "own"),
        ("tool a | tail; exit ${PIPESTATUS[0]}", "own"),
        ("tool a | tail; echo ${PIPESTATUS[1]}", "masked"),
        ("tool a | tail; echo $?", "masked"),
        ("set -o pipefail; tool a | tail; echo $?", "echoed"),
        ("set -e; tool a; echo done", "own"),
        ("set -e; tool a; set +e; echo done", "own"),
        ("(set -e; cd x); tool a; echo done", "masked"),
        ("bash -e -o pipefail -c 'tool a | tail; echo done'", "own"),
        ("tool a || true; echo x", "masked"),
        ("tool a && echo x; exit $?", "own"),
        ("exit 1; tool a", "own"),
    ],
)
def test_status_rules(command, owner):
    """Saved, echoed and re-raised statuses are followed; anything else in between hides them."""
    assert owner == commands.parse(command).status_owner


def test_functions_and_variables_are_followed():
    """A function's body runs where it is called; a variable assigned in the string is replaced."""
    assert ("tool", "deploy", "own", None) == facts('go() { cd x; tool deploy --to "$1"; }; go prod')
    assert "x" == commands.parse("go() { cd x; tool deploy; }; go").main.cwd
    assert [] == list(commands.parse("go() { tool deploy; }").runs)
    assert ("tool", "deploy", "own", None) == facts("T=./bin/tool; $T deploy")


def test_nothing_hostile_is_slow_or_raises():
    """Deep nesting, functions that call themselves and long chains end in a bounded number of runs."""
    assert len(commands.parse("f() { f;f;f;f;f;f;f;f; }; f").runs) <= 2000
    assert commands.parse("(" * 3000 + "x" + ")" * 3000).main is None
    assert "b" == commands.parse("a" + " && b" * 5000).main.program
    assert commands.parse("x" * 300).main.program is None


def test_unparsed_strings_say_so():
    """A shell reads line by line: the line before a syntax error names the program, and no status is its own."""
    for command in ["tool a\nif [ x", "tool a 'b", 'tool a "b']:
        found = commands.parse(command)
        assert "tool" == found.main.program
        assert ("masked", "unparsed") == (found.status_owner, found.status_reason)


def test_windows_shells():
    """PowerShell and cmd strings are split into statements, pipes and words."""

    def of(*argv):
        found = commands.parse_argv(argv)
        return found.main.program, found.main.argv[1:], found.status_owner, found.status_reason

    web = "(Invoke-WebRequest -UseBasicParsing https://example.com/a).Content"
    assert ("rg", ("def x", "a.py"), "own", None) == of("powershell.exe", "-NoProfile", "-Command", 'rg "def x" a.py')
    assert ("Invoke-WebRequest", ("-UseBasicParsing", "https://example.com/a"), "own", None) == of("pwsh", "-c", web)
    assert ("Get-Content", ("a.txt",), "masked", "pipe:Select-String") == of(
        "powershell", "-Command", "gc a.txt | sls foo"
    )
    assert ("tool", ("deploy",), "masked", "semicolon:echo") == of("cmd", "/c", "cd x && tool deploy & echo hi")
    assert None is of("pwsh", "-c", "if ($a) { tool x }")[0]


def typed(node):
    """Return a tree with the class of every word: a `Dynamic` equals the plain text it shows."""
    if isinstance(node, tuple):
        return (type(node).__name__, *map(typed, node))
    return (isinstance(node, Dynamic), str(node)) if isinstance(node, str) else node


WORDS = st.sampled_from(
    [
        "a",
        "b.py",
        "--k=v",
        "--k",
        "v",
        "-n",
        "5",
        "'q q'",
        '"d $X"',
        '"d"',
        "'it'\\''s'",
        "x\\ y",
        "$X",
        "$?",
        "a#b",
        "{}",
    ]
)
COMMANDS = st.builds(
    lambda head, words, tail: " ".join([head, *words]) + tail,
    st.sampled_from(["tool", "A=1 tool", "./x/tool", "! tool", "cat", "echo"]),
    st.lists(WORDS, max_size=4),
    st.sampled_from(["", "", " > out", " 2>&1", " 2>/dev/null", " < in", " &> all", " >> log"]),
)


def lists(operators):
    """Return command lists joined by some of these operators."""
    return st.builds(
        lambda first, rest: first + "".join(operator + command for operator, command in rest),
        COMMANDS,
        st.lists(st.tuples(st.sampled_from(operators), COMMANDS), max_size=4),
    )


# The grammar loses the line break between a pipeline and a redirected command, so the two do not meet here.
LISTS = lists([" && ", " || ", "; ", "\n", " # note\n", " & "]) | lists([" && ", " || ", "; ", " & ", " | "]).filter(
    lambda command: "| !" not in command.replace("|| !", "")
)


@settings(deadline=None)
@given(LISTS)
def test_both_readers_agree(command):
    """What the quick reader reads, the grammar reads the same."""
    found = quick(command)

    assert found is not None
    assert typed(found) == typed(shell_tree.read(command))


@settings(deadline=None)
@given(st.text() | st.text(alphabet="ab $(){}[]<>|&;!'\"`\\\n#=-*?~", max_size=60))
def test_parsing_never_raises(command):
    """Any text gives a command, and its main run is one of its runs or only assigns."""
    found = commands.parse(command)

    assert found.main is None or found.main in found.runs or found.main.program == "="
