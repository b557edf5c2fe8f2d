"""Hard cases from public bug reports: which program ran, and did it fail (family D), through the whole pipeline."""

import json
from collections import Counter

import pytest

CLOCK = "2026-05-04T10:{:02}:{:02}.000Z"


def rows(connection, query):
    """Return the query's rows as tuples."""
    return connection.execute(query).fetchall()


def attempts(connection, columns):
    """Return these columns of all attempts, session by session, in order."""
    return rows(connection, f"select {columns} from core.attempts order by session_id, attempt_number")


def transcript(path, calls):
    """Write a transcript of shell calls, each with whether it failed and what came back; return its path."""
    lines = []
    for at, (command, is_error, text) in enumerate(calls, 1):
        shared = {"sessionId": "s-1", "cwd": "/app", "version": "2.1.0", "isSidechain": False}
        use = {"type": "tool_use", "id": f"t{at}", "name": "Bash", "input": {"command": command}}
        told = {"type": "tool_result", "tool_use_id": f"t{at}", "content": text, "is_error": is_error}
        lines += [
            shared
            | {"type": "assistant", "uuid": f"a{at}", "timestamp": CLOCK.format(at, 0)}
            | {"message": {"id": f"m{at}", "role": "assistant", "model": "test", "content": [use]}},
            shared
            | {"type": "user", "uuid": f"u{at}", "timestamp": CLOCK.format(at, 1)}
            | {"message": {"role": "user", "content": [told]}},
        ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def shell(analyse, tmp_path):
    """Return a function that analyses a transcript of shell calls."""
    return lambda *calls: analyse(transcript(tmp_path / "shell.jsonl", calls))


def test_d01_the_whole_wrapper_stack_in_one_line(case):
    """Wrappers and a pipe around a program hide neither its name nor its envelope, and lend it no exit code."""
    db = case("D01.jsonl")

    assert [
        ("tool", "tool deploy", "error", None, None, "CREDENTIALS_EXPIRED"),
        ("tool", "tool auth refresh", "ok", None, True, None),
        ("tool", "tool deploy", "ok", None, True, None),
    ] == attempts(db, "tool, operation, status, exit_code, signalled_ok, error_code")
    [(flags, keys)] = rows(
        db,
        "select any_value(flags) filter (where status = 'error'), count(distinct invocation_key)"
        " from core.attempts where operation = 'tool deploy'",
    )
    assert {"exit_masked", "setup:cd", "env_assigned", "timeout", "elevated", "runner:npx"} == set(flags)
    assert keys == 1
    assert [("closed",)] == rows(db, "select verdict from core.closed_loops")
    assert [("recovered_after_fix",)] == rows(db, "select outcome from core.episodes")
    assert [] == rows(db, "select * from marts.false_successes where is_flagged")


def test_d02_a_pipe_eats_the_exit_status(case):
    """Behind a pipe a build is unknown, or suspected where its text says so; with pipefail the status is its own."""
    db = case("D02.jsonl")

    assert [
        ("unknown", "certain", None),
        ("unknown", "suspected", None),
        ("error", "certain", 101),
        # a good result of this harness states no exit code, and none is made up (definitions 1)
        ("ok", "certain", None),
    ] == attempts(db, "status, evidence, exit_code")
    assert [("recovered_unchanged", 2)] == rows(db, "select outcome, attempt_count from core.episodes")
    assert [] == rows(db, "select * from marts.false_successes where is_flagged")


def test_d04_what_replaces_the_status(case):
    """`|| true`, `; echo` and `!` hide the status; the envelope, or an echoed one, still tells."""
    db = case("D04.jsonl")
    found = attempts(db, "operation, status, exit_code")

    assert {"tool deploy"} == {operation for operation, _, _ in found}
    assert ["error", "error", "error", "unknown", "unknown", "error", "error"] == [status for _, status, _ in found]
    assert [None, None, 8, None, None, None, None] == [code for _, _, code in found]
    assert [(7, "CREDENTIALS_EXPIRED", False)] == rows(
        db, "select attempt_count, origin_code, is_recovered from core.episodes"
    )
    assert [] == rows(db, "select * from core.closed_loops where fix_attempt_id is not null")


def test_d06_exits_that_are_answers(case):
    """A code that answers the question is no error and opens no episode; grep 2 and pytest 5 are."""
    db = case("D06.jsonl")
    found = attempts(db, "status, list_contains(flags, 'benign_exit')")

    assert [2, 8] == [at for at, (status, _) in enumerate(found, 1) if status == "error"]
    assert [1, 3, 4, 5, 6, 7, 9, 10] == [
        at for at, (status, benign) in enumerate(found, 1) if status == "ok" and benign
    ]
    assert [("grep",), ("pytest",)] == rows(db, "select tool from core.episodes order by tool")


def test_d07_the_body_of_a_heredoc(case):
    """A heredoc is data unless a shell reads it; what an interpreter's script prints only suspects."""
    db = case("D07.jsonl")

    assert [
        ("cat", "ok"),
        ("tool deploy", "error"),
        ("tool deploy", "error"),
        ("bash verify.sh", "ok"),
        ("cat", "ok"),
        ("git commit", "ok"),
        ("python3", "unknown"),
    ] == attempts(db, "operation, status")
    assert [("suspected", None, None)] == rows(
        db, "select evidence, exit_code, error_code from core.attempts where tool = 'python3'"
    )
    assert [("unchanged", ["identical"])] == rows(db, "select kind, flags from core.reissues")
    assert [] == rows(db, "select * from core.attempts where operation in ('tool reset', 'tool auth refresh')")


def test_d09_shells_in_argument_vectors(case):
    """`bash -lc`, nested `-c` and a plain vector in the same directory are one operation, and PowerShell found none."""
    db = case("D09.jsonl")

    assert [
        ("tool deploy", "error", 12),
        ("tool deploy", "error", 12),
        ("tool deploy", "error", 12),
        ("tool deploy", "ok", 0),
        ("tool deploy", "not_run", 1),
    ] == attempts(db, "operation, status, exit_code")
    # the case says `recovered_by_retry`; an assignment is context, so the success is another invocation (definitions 4)
    assert [("recovered_changed", 4)] == rows(db, "select outcome, attempt_count from core.episodes")
    assert [("changed", 2600), ("unchanged", 2600), ("unchanged", 2000)] == rows(
        db, "select kind, delay_ms from core.reissues order by delay_ms desc, kind"
    )


def test_d14_killed_from_outside(case):
    """Timeouts and signals are no errors of the tool, and enter no table of codes; its own TIMEOUT is one."""
    db = case("D14.jsonl")

    assert [
        ("killed", "timeout", None),
        ("killed", "X_TRANSPORT_TIMEOUT", None),
        ("killed", "signal:9", None),
        ("killed", "signal:15", None),
        ("killed", "signal:2", None),
        ("error", "exit_code", "TIMEOUT"),
    ] == attempts(db, "status, reason, error_code")
    assert [("TIMEOUT",)] == rows(db, "select error_code from marts.error_codes")
    assert 1 == sum("unsafe_reissue" in flags for (flags,) in rows(db, "select flags from core.reissues"))


def test_d15_a_shell_that_is_broken_itself(case):
    """Codes of a shell that fails everything, or contradicts what it printed, are charged to no program."""
    db = case("D15.jsonl")

    # the case would leave the first call `unknown`; every command answered 127, so it is the shell's (definitions 1)
    assert [("harness_fault", "shell_broken")] * 4 + [("not_run", "not_executable")] + [
        ("harness_fault", "shell_broken")
    ] * 2 == attempts(db, "status, reason")
    assert [] == rows(db, "select * from core.episodes")
    assert [] == rows(db, "select * from marts.error_codes")


def test_d16_envelopes_among_other_output(case):
    """The last envelope counts whatever stands around it; what `cat` shows is data; a torn one is not stitched."""
    db = case("D16.jsonl")

    assert [
        ("tool deploy", "error", 8, "CREDENTIALS_EXPIRED", False),
        ("cat", "ok", None, None, False),
        ("tool deploy", "error", 8, None, True),
    ] == attempts(db, "operation, status, exit_code, error_code, list_contains(flags, 'envelope_damaged')")
    assert [("unchanged", ["identical"])] == rows(db, "select kind, flags from core.reissues")
    assert [] == rows(db, "select * from marts.false_successes where is_flagged")


def test_d17_a_good_end_that_the_log_belies(case):
    """A program in the background that ended with 0 is doubted once the file it printed into shows a failure."""
    db = case("D17.jsonl")

    assert [
        ("python cli.py reindex", "unknown", "suspected", None, True),
        ("tail", "ok", "certain", None, False),
    ] == attempts(db, "operation, status, evidence, exit_code, list_contains(flags, 'background_exit_unreliable')")
    assert [] == rows(db, "select * from core.episodes")
    assert [] == rows(db, "select * from core.reissues")


def test_d17_a_launch_is_no_success(analyse, tmp_path, case_lines):
    """A receipt of a start says nothing about the end, which has not come."""
    (tmp_path / "launch.jsonl").write_bytes(b"".join(case_lines("D17.jsonl")[:3]))
    db = analyse(tmp_path / "launch.jsonl")

    assert [("pending", None, None)] == attempts(db, "status, true_ok, exit_code")


def test_d17_a_good_end_stands_while_nothing_belies_it(analyse, tmp_path, case_lines):
    """Without a later look at its file the notice of the end is what is known."""
    (tmp_path / "ended.jsonl").write_bytes(b"".join(case_lines("D17.jsonl")[:-2]))
    db = analyse(tmp_path / "ended.jsonl")

    assert [("ok", "certain", 0)] == attempts(db, "status, evidence, exit_code")


@pytest.fixture
def case_lines(request):
    """Return a function that returns the lines of a case's input."""
    return lambda name: (request.path.parent / "cases" / name).read_bytes().splitlines(keepends=True)


FAILED = (
    '{"ok":false,"data":null,"error":{"code":"LOCKED","message":"held","retryable":false},"meta":{"duration_ms":1}}'
)


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("timeout 60 tool deploy", "Exit code 124\n", ("killed", "timeout", 124)),
        ("timeout -k 5 60 tool deploy", "Exit code 137\n", ("killed", "signal:9", 137)),
        # the tool lived to explain itself, so the code is its own
        ("timeout 60 tool deploy", f"Exit code 124\n{FAILED}", ("error", "exit_code", 124)),
        ("tool deploy", "Exit code 255\n", ("error", "exit_code", 255)),
        ("ssh web tool deploy", "Exit code 255\nssh: connect to host web port 22: timed out", ("not_run", "ssh", 255)),
        ("docker exec web tool deploy", "Exit code 125\nError: no such container: web", ("not_run", "docker", 125)),
        ("docker exec web tool deploy", "Exit code 12\n", ("error", "exit_code", 12)),
        ("xargs -n1 tool get < ids", "Exit code 123\nsome failed", ("unknown", "xargs", 123)),
        ("set -o pipefail; tool list | head -1", "Exit code 141\nrow", ("ok", "exit_code", 141)),
        ("cd nowhere && tool deploy", "Exit code 1\nbash: line 1: cd: nowhere: No such file or directory",
         ("not_run", "cd", 1)),
        ("cd nowhere && tool deploy", "Exit code 1\n(eval):cd:1: no such file or directory: nowhere",
         ("not_run", "cd", 1)),
        ("cd here && tool deploy", "Exit code 1\ncd: printed by the tool\nmore", ("error", "exit_code", 1)),
        ("cd here && tool deploy", "Exit code 1\nboom", ("error", "exit_code", 1)),
    ],
)  # fmt: skip
def test_whose_code_it_is(shell, command, text, expected):
    """A code that a wrapper keeps for itself, or that `cd` ended with, is not the program's."""
    assert [expected] == attempts(shell((command, True, text)), "status, reason, exit_code")


@pytest.mark.parametrize(
    ("command", "text", "expected"),
    [
        ("tool deploy; echo rc=$?", "out\nrc=3", ("error", 3)),
        ("tool deploy; echo rc=$?", "out\nrc=0", ("ok", 0)),
        ("tool deploy; echo rc=$?", "out that was cut", ("unknown", None)),
        # the number at the end is the log's, not the status
        ("tool deploy; rc=$?; echo rc=$rc; tail -1 log", "rc=3\nwrote 7", ("unknown", None)),
        ("tool deploy; echo $? > rc.txt", "wrote 7", ("unknown", None)),
        ("tool deploy; echo $? was it, 7", "3 was it, 7", ("unknown", None)),
        ("tool deploy | tail -1; echo ${PIPESTATUS[0]}", "out\n4", ("error", 4)),
        ("grep -c foo a.txt; echo $?", "0\n1", ("ok", 1)),
    ],
)
def test_echoed_status(shell, command, text, expected):
    """An echoed status counts where it is what the output ends in, and nowhere else."""
    assert [expected] == attempts(shell((command, False, text)), "status, exit_code")


def test_a_chain_of_programs_is_suspected_together(shell):
    """Where any of several programs may have failed none is charged, unless an envelope tells."""
    db = shell(
        ("tool build && tool deploy", True, "Exit code 1\nboom"),
        ("tool build && tool deploy", True, f"Exit code 6\n{FAILED}"),
        ("tool deploy || exit 3", True, "Exit code 3\nboom"),
    )

    assert [("unknown", "suspected"), ("error", "certain"), ("error", "certain")] == attempts(db, "status, evidence")
    assert [None] == [code for code, command in attempts(db, "exit_code, command") if "exit 3" in command]


def test_a_working_shell_is_not_called_broken(shell):
    """One good command, or words beside the code, and a 127 is what it says; an echo that fails is an error."""
    db = shell(
        ("alpha", True, "Exit code 127\nbash: alpha: command not found"),
        ("beta", True, "Exit code 127\nbash: beta: command not found"),
        ("gamma", True, "Exit code 127\nbash: gamma: command not found"),
        ("ls", False, "a"),
        ('echo "code: $?"', True, "Exit code 1\ncode: 0"),
    )

    assert Counter({"not_run": 3, "ok": 1, "error": 1}) == Counter(status for (status,) in attempts(db, "status"))


def test_the_line_of_the_harness_is_no_part_of_the_message(shell):
    """The same failure has one message and one fingerprint under whatever exit code the harness writes before it."""
    db = shell(
        ("make all", True, "Exit code 2\nmake: *** [all] Fehler in der Mitte des Baus"),
        ("make web", True, "Exit code 77\nmake: *** [all] Fehler in der Mitte des Baus"),
    )

    assert [("make: *** [all] Fehler in der Mitte des Baus", 1)] == rows(
        db, "select any_value(message), count(distinct fingerprint) from core.attempts group by message"
    )
