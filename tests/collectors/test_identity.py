"""The keys of a call: what is the same invocation, the same operation, the same fix."""

import json
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors import identity
from collectors.rules import Benign, Rules

CASES = Path(__file__).parent.parent / "cases"


def shell(command, cwd="/srv/app"):
    """Return the identity of a shell string."""
    return identity.of_shell("Bash", command, cwd=cwd)


def test_keys_carry_their_version():
    """Every key starts with its algorithm's version and is 16 hex digits long."""
    found = shell("tool deploy")

    for key, prefix in [
        (found.exact_key, "x1:"),
        (found.invocation_key, "i1:"),
        (found.operation_key, "o1:"),
        (found.argv_key, "a1:"),
    ]:
        assert key.startswith(prefix)
        assert 19 == len(key)
        int(key[3:], 16)


@pytest.mark.parametrize(
    "same",
    [
        "tool deploy --target=prod",
        "tool  deploy   --target prod ",
        "tool deploy --target prod 2>&1 | tail -5",
        "tool deploy --target prod || true",
        "tool deploy --target prod; echo done",
        "! tool deploy --target prod",
        "cd /srv/app && tool deploy --target prod",
        "cd .. && cd app && tool deploy --target prod",
        "timeout 60 nice -n 5 tool deploy --target prod",
        "sleep 30; tool deploy --target prod",
        "sudo -E npx tool deploy --target prod > log",
        "bash -lc 'tool deploy --target prod'",
        "bash <<'EOF'\ntool deploy --target prod\nEOF",
        "if tool deploy --target prod; then echo ok; fi",
        "tool deploy --idempotency-key k1 --target prod",
    ],
)
def test_same_invocation(same):
    """Wrappers, filters, blanks and what only watches the status leave the invocation the same."""
    assert shell("tool deploy --target prod").invocation_key == shell(same).invocation_key


@pytest.mark.parametrize(
    ("other", "is_same_operation"),
    [
        ("tool deploy --target prod --force", True),
        ("FOO=1 tool deploy --target prod", True),
        ("env FOO=1 tool deploy --target prod", True),
        ("cd sub && tool deploy --target prod", True),
        ("tool auth refresh && tool deploy --target prod", True),
        ("echo y | tool deploy --target prod", True),
        ("tool deploy --target prod < answers.txt", True),
        ("tool deploy --target Prod", False),
        ("tool deploy --target staging", False),
        ("tool remove --target prod", False),
        ("ssh host 'tool deploy --target prod'", False),
        ("tool deploy --target '$T'", False),
    ],
)
def test_changed_invocation(other, is_same_operation):
    """Arguments, context, input and earlier programs change an invocation; path and target its operation too."""
    first, second = shell("tool deploy --target prod"), shell(other)

    assert first.invocation_key != second.invocation_key
    assert is_same_operation == (first.operation_key == second.operation_key)


def test_the_target_alone_is_normalised():
    """`./x` is `x` in the target and another argument in the invocation."""
    first, second = shell("rm -r build"), shell("rm -r ./build")

    assert '["build"]' == first.target == second.target
    assert first.operation_key == second.operation_key
    assert first.invocation_key != second.invocation_key


def test_an_expansion_is_not_the_text_it_shows():
    """`$X` and `'$X'` are different arguments."""
    assert shell("tool a $X").invocation_key != shell("tool a '$X'").invocation_key
    assert shell('tool a "$X"').invocation_key == shell("tool a $X").invocation_key


@pytest.mark.parametrize(
    ("command", "target"),
    [
        ("tool deploy", ""),
        ("tool deploy prod eu", '["prod","eu"]'),
        ("tool deploy --region eu --verbose prod", '{"":["prod"],"--region":["eu"]}'),
        ("curl https://me:pw@example.com/a?k=1", '["https://example.com/a"]'),
        ("psql -d app -c 'select * from users u join \"orders\" o using (id)'", '{"-c":["orders,users"],"-d":["app"]}'),
        ("ssh host tool get x", '{"":["x"],"on":["ssh:host"]}'),
        ("kubectl get pods -n prod", '{"":["pods"],"-n":["prod"]}'),
        ("cat <<'E' > ./notes.md\nx\nE", '{">":["./notes.md"]}'),
        ("sed -i 's/a//' ./src/a.py", '["s/a//","src/a.py"]'),
    ],
)
def test_targets(command, target):
    """The target holds operands and target flags: paths normalised, URLs without query and password, tables of SQL."""
    assert target == shell(command).target


def test_inline_code_is_told_apart_by_its_hash():
    """Two inline scripts are two operations, and no code stands in the target."""
    first, second = shell("python3 -c 'print(1)'"), shell("python3 -c 'print(2)'")

    assert first.operation_key != second.operation_key
    assert "print" not in first.target


def test_unknown_context():
    """Without a directory, or with one that only the shell knows, the context is unknown."""
    assert not shell("tool deploy", cwd=None).is_context_known
    assert not shell('cd "$D" && tool deploy').is_context_known
    assert not shell("cd - && tool deploy").is_context_known
    assert shell("cd /srv && tool deploy", cwd=None).is_context_known
    assert shell("ssh host tool deploy", cwd=None).is_context_known


def test_a_string_without_a_program_still_has_keys():
    """A call whose program cannot be named is its own operation."""
    first, second = shell("$TOOL deploy"), shell("$TOOL build")

    assert (None, None) == (first.program, first.operation)
    assert first.operation_key != second.operation_key


def test_waits_and_reads():
    """A wait is no step; what shows changes nothing; what is unknown may."""
    assert shell("sleep 5").is_wait
    assert shell("sleep 5; echo done").is_wait
    assert not shell("sleep 5; cat log").is_wait
    assert not shell("sleep 99 &").is_wait
    reads = [
        "ls -la",
        "git log -3",
        "tool user list",
        "kubectl get pods",
        "tool x --help",
        "curl https://e.com",
        "cat a | wc",
    ]
    writes = [
        "tool x",
        "git push",
        "sed -i s/a/b/ f",
        "cat a > b",
        "curl -X POST https://e.com",
        "ls && rm a",
        "mkdir a",
    ]
    assert [] == [command for command in reads if not shell(command).is_read_only]
    assert [] == [command for command in writes if shell(command).is_read_only]


def test_viewers_print_data():
    """An envelope in what a viewer prints is data; what writes a file prints nothing."""
    views = ["cat a.json", "git show HEAD:a", "jq . a.json", "kubectl logs web", "grep ok a.json | head"]
    others = ["tool show", "curl https://e.com/a", "sed -i s/a/b/ f", "cat a > b", "python3 a.py"]
    assert [] == [command for command in views if not shell(command).is_viewer]
    assert [] == [command for command in others if shell(command).is_viewer]


def test_idempotency_keys_are_kept_apart():
    """An idempotency key is no part of the invocation and is reported."""
    first = shell("tool pay --idempotency-key k1 --amount 5")
    second = identity.of_tool("pay", {"amount": 5, "idempotency_key": "k2"}, cwd=None)

    assert ("k1", "k2") == (first.idempotency_key, second.idempotency_key)
    assert first.invocation_key == shell("tool pay --amount 5").invocation_key
    assert second.invocation_key == identity.of_tool("pay", {"amount": 5.0}, cwd=None).invocation_key


def test_a_fix_command_is_recognised_where_it_ran():
    """The key of a declared fix equals that of a call that ran it, whatever stood around it."""
    key = identity.fix_key("tool auth refresh")

    for command in [
        "tool auth refresh",
        "cd /x && A=1 sudo tool auth refresh 2>&1 | tail -3",
        "bash -lc 'tool auth refresh'",
        "tool auth refresh && echo refreshed",
    ]:
        assert key == shell(command).argv_key
    assert key == identity.of_argv("shell", ["tool", "auth", "refresh"], cwd=None).argv_key
    assert key != shell("tool auth refresh --force").argv_key
    assert key != shell("tool auth refresh && tool deploy").argv_key
    assert identity.fix_key("sudo tool auth refresh") == key
    assert (None, None, None) == (identity.fix_key(""), identity.fix_key("  "), identity.fix_key("tool 'x"))


def test_discriminating_retries_are_one_invocation():
    """Descriptions that vary and waits in between leave the retried call the same."""
    for path in sorted((CASES / "discriminating").glob("retries-*.jsonl")):
        records = map(json.loads, path.read_text().splitlines())
        blocks = [
            b for r in records if r["type"] == "assistant" for b in r["message"]["content"] if b["type"] == "tool_use"
        ]
        found = [shell(block["input"]["command"]) for block in blocks]
        assert 1 == len({each.invocation_key for each in found if not each.is_wait})


def test_structured_calls():
    """Descriptions, ids and timeouts are no arguments; the file is the target; the flag is the harness's."""
    first = identity.of_tool("Read", {"file_path": "/a/./b.py", "limit": 10}, cwd="/x")
    second = identity.of_tool("Read", {"limit": 10.0, "file_path": "/a/./b.py", "description": "look"}, cwd="/y")

    assert first.invocation_key == second.invocation_key
    assert first.exact_key != second.exact_key
    assert ('{"file_path":"/a/b.py"}', "Read", "harness", None) == (
        first.target,
        first.operation,
        first.status_owner,
        first.command,
    )
    assert first.operation_key == identity.of_tool("Read", {"file_path": "/a/b.py"}, cwd=None).operation_key


def test_a_relative_path_needs_the_directory():
    """The directory belongs to a structured call only where its path is relative."""
    here, there = (identity.of_tool("Edit", {"path": "a.py"}, cwd=cwd) for cwd in ("/x", "/y"))

    assert here.invocation_key != there.invocation_key
    assert not identity.of_tool("Edit", {"path": "a.py"}, cwd=None).is_context_known
    assert identity.of_tool("Edit", {"path": "/a.py"}, cwd=None).is_context_known


def test_structured_tools_that_read():
    """Known tools follow the table, others the first or last word of their own name."""
    reads = ["Read", "Grep", "TodoWrite", "mcp__srv__listItems", "mcp__srv__get_item", "db.query", "item_search"]
    writes = ["Edit", "Write", "Task", "mcp__srv__create_view", "deploy", "mcp__list__add", "x"]
    assert [] == [name for name in reads if not identity.of_tool(name, {}, cwd=None).is_read_only]
    assert [] == [name for name in writes if identity.of_tool(name, {}, cwd=None).is_read_only]
    assert not identity.of_tool("mcp__srv__get_item", {}, cwd=None).is_viewer


def test_a_stated_operation_replaces_path_and_target():
    """Calls that state one operation share its key whatever their arguments."""
    first = identity.of_argv("tool", ["tool", "deploy", "a"], cwd=None, operation="tool deploy")
    second = identity.of_argv("tool", ["tool", "deploy", "b"], cwd=None, operation="tool deploy")

    assert first.operation_key == second.operation_key
    assert first.invocation_key != second.invocation_key
    assert "tool deploy" == first.operation


def test_rules_extend_the_tables():
    """A user's rules add benign exits, excluded arguments, targets, views and reads."""
    rules = Rules(
        benign=(Benign("tool", 3, ("check",)),),
        excluded=frozenset({"--nonce", "nonce"}),
        targets={"tool": frozenset({"stage"})},
        viewers=frozenset({"peek"}),
        read_only=frozenset({"tool check"}),
    )
    found = identity.of_shell("Bash", "tool check --stage a --nonce 1", cwd="/", rules=rules)
    other = identity.of_shell("Bash", "tool check --stage a --nonce 2", cwd="/", rules=rules)

    assert ((3,), '{"--stage":["a"]}', True) == (found.benign_exits, found.target, found.is_read_only)
    assert found.invocation_key == other.invocation_key
    assert identity.of_shell("Bash", "peek a", cwd="/", rules=rules).is_viewer


def test_damaged_text_has_keys():
    """Lone surrogates and numbers beyond 64 bits are hashed, not refused."""
    assert shell("tool \ud83d a").invocation_key != shell("tool \ud83e a").invocation_key
    assert identity.of_tool("t\ud83d", {"a": "\ud83d", "n": 2**80}, cwd=None).invocation_key.startswith("i1:")
    assert identity.of_shell("Bash", "tool", cwd=None, raw=b"\xff\xed\xa0").exact_key.startswith("x1:")


WORD = st.text(alphabet="abcXYZ09 ;|&$'\"\\`(){}<>#*!~.é", min_size=1, max_size=8)
NAME = st.text(alphabet="abcdef", min_size=2, max_size=6).map(lambda name: f"--{name}x")
FLAGS = st.dictionaries(NAME, st.text(alphabet="pqr$' ", min_size=1, max_size=5), max_size=3)


def line(words, flags, *, joined, blank=" "):
    """Return a command line of the tool with its words quoted and its flags as `--k=v` or `--k v`."""
    parts = [f"{name}{'=' if joined else blank}{shlex.quote(value)}" for name, value in flags.items()]
    return blank.join(["tool", "deploy", *parts, "--", *map(shlex.quote, words)])


@settings(deadline=None)
@given(st.lists(WORD, max_size=4), FLAGS)
def test_keys_are_stable_under_spelling(words, flags):
    """Added blanks outside quotes, `--k=v` or `--k v` and the order of flags change no key."""
    first = shell(line(words, flags, joined=True))
    second = shell(line(words, dict(reversed(flags.items())), joined=False, blank="  \t "))

    assert ("tool deploy", first.invocation_key) == (second.operation, second.invocation_key)
    assert first.operation_key == second.operation_key


PREFIXES = [
    "sudo -u ci -E --",
    "doas",
    "timeout -k 5 60",
    "nice -n 5",
    "nohup",
    "stdbuf -oL",
    "time -p",
    "command",
    "npx -y",
    "uvx",
    "uv run --with x",
    "poetry run",
    "xargs -n1",
]
FRAMES = [
    "{} 2>&1 | tail -5",
    "{} > log",
    "( {} )",
    "{{ {}; }}",
    "time {{ {}; }}",
    "source env.sh && {}",
    "set -x; {}",
    "true && {} || true",
]


@settings(deadline=None)
@given(
    st.lists(WORD, max_size=3),
    st.lists(st.sampled_from(PREFIXES), max_size=3),
    st.lists(st.sampled_from(FRAMES), max_size=2),
)
def test_wrappers_leave_the_invocation(words, prefixes, frames):
    """Any stack of peelable wrappers around a command leaves its invocation key."""
    plain = shlex.join(["tool", "deploy", *words])
    wrapped = " ".join([*prefixes, plain])
    for frame in frames:
        wrapped = frame.format(wrapped)

    assert shell(plain).invocation_key == shell(wrapped).invocation_key
    assert shell(plain).invocation_key == shell(f"bash -lc {shlex.quote(wrapped)}").invocation_key


@settings(deadline=None)
@given(st.text(alphabet="ab ;&|$'", min_size=1, max_size=8), st.data())
def test_one_quoted_character_changes_the_invocation(text, data):
    """No character inside quotes is without meaning."""
    position = data.draw(st.integers(0, len(text) - 1))
    changed = text[:position] + "Z" + text[position + 1 :]

    first, second = (shell(f"tool deploy {shlex.quote(each)}") for each in (text, changed))
    assert first.invocation_key != second.invocation_key
    assert first.argv_key != second.argv_key


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.dictionaries(st.text(max_size=8), JSON, max_size=4))
def test_structured_keys_ignore_order(arguments):
    """The order of arguments changes no key but the exact one, and nothing raises."""
    first = identity.of_tool("tool", arguments, cwd="/x")
    second = identity.of_tool("tool", dict(reversed(arguments.items())), cwd="/x")

    assert (first.invocation_key, first.operation_key) == (second.invocation_key, second.operation_key)
