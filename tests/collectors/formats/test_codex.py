"""What only a Codex rollout can be odd in, beyond its stories."""

import json

import pytest

from collectors.events import Event
from collectors.formats import codex, codex_exec_json

PARENT, FORK = "019a0000-0000-7000-8000-000000000001", "019a00ff-0000-7000-8000-000000000002"


def line(second, kind, **payload):
    """Return a line of a rollout."""
    return json.dumps({"timestamp": f"2026-05-04T10:00:{second:06.3f}Z", "type": kind, "payload": payload}).encode()


def meta(thread=PARENT):
    """Return the first line of a rollout."""
    return line(0, "session_meta", id=thread, cwd="/work/app", cli_version="0.120.0")


def shell(second, call_id, command, name="exec_command", **more):
    """Return a line that calls a shell."""
    arguments = json.dumps({"cmd": command} | more)
    return line(second, "response_item", type="function_call", name=name, arguments=arguments, call_id=call_id)


def output(second, call_id, text):
    """Return a line with the output of a call."""
    return line(second, "response_item", type="function_call_output", call_id=call_id, output=text)


def events(*lines):
    """Return what a rollout of these lines holds, by name."""
    return {record.uid: record for record in codex.read(lines, "x") if isinstance(record, Event)}


def said(text):
    """Return status, reason and exit code of a result with that output."""
    found = events(meta(), shell(1, "call_1", "tool run"), output(2, "call_1", text))
    result = found[f"r:{PARENT}/call_1"]
    return result.status, result.status_reason, result.exit_code


@pytest.mark.parametrize(
    "text",
    [
        '{"output":"no","metadata":{"exit_code":7,"duration_seconds":0.4}}',
        "Exit code: 7\nWall time: 0.4 seconds\nOutput:\nno",
        "Chunk ID: a1\nWall time: 0.4000 seconds\nProcess exited with code 7\nOriginal token count: 1\nOutput:\nno",
        '{"output":"no … cut here … and \\"more","metadata":{"exit_code":7,"duration_seconds":0.4}}',
        "Exit code: 7\nWall time: 0.4 seconds\nTotal output lines: 900\nOutput:\nno",
    ],
)
def test_every_shape_states_the_exit_code(text):
    """JSON, also cut in its middle, and both headers."""
    assert ("error", "exit_code", 7) == said(text)


@pytest.mark.parametrize(
    "text",
    [
        "Process exited with code 7",
        "see below\nExit code: 7\nWall time: 0.4 seconds\nOutput:\nno",
        "Exit code: 7\nthat was all",
        '{"output": 1, "metadata": {"exit_code": 7}}',
        "the log says: exec command rejected by user",
    ],
)
def test_words_inside_an_output_state_nothing(text):
    """Only a whole header at the start is the harness's."""
    assert (None, "no_exit_code", None) == said(text)


def test_a_command_that_was_ended():
    """-1 is how Codex writes that there is no code; 124 beside its own words is its timeout, else that of `timeout`."""
    own = "command timed out after 10000 milliseconds\n"
    assert ("killed", "terminated") == said('{"output":"","metadata":{"exit_code":-1}}')[:2]
    assert ("killed", "X_TRANSPORT_TIMEOUT") == said(json.dumps({"output": own, "metadata": {"exit_code": 124}}))[:2]
    assert ("killed", "timeout") == said('{"output":"gave up","metadata":{"exit_code":124}}')[:2]


def test_the_end_of_a_running_command_is_a_second_result():
    """A later poll of the session tells it; the poll itself is a wait that worked."""
    running = "Chunk ID: a\nWall time: 1.0 seconds\nProcess running with session ID 5\nOutput:\n"
    ended = "Chunk ID: b\nWall time: 2.0 seconds\nProcess exited with code 3\nOutput:\nno"
    poll = json.dumps({"session_id": 5, "chars": ""})
    found = events(
        meta(),
        shell(1, "call_1", "tool wait"),
        output(2, "call_1", running),
        line(3, "response_item", type="function_call", name="write_stdin", arguments=poll, call_id="call_2"),
        output(5, "call_2", ended),
    )
    assert "running" == found[f"r:{PARENT}/call_1"].status
    [end] = [event for uid, event in found.items() if uid.startswith(f"e:{PARENT}/call_1")]
    assert ("error", 3) == (end.status, end.exit_code)
    assert found[f"c:{PARENT}/call_2"].is_wait
    assert "ok" == found[f"r:{PARENT}/call_2"].status


def test_a_fork_names_what_it_replays_as_its_parent_does():
    """So that a call which both files hold is one call; the replay's times are those of the copying."""
    parent = events(
        meta(), shell(1, "call_1", "tool run"), output(2, "call_1", "Exit code: 1\nWall time: 1 seconds\nOutput:\n")
    )
    replay = events(
        line(40, "session_meta", id=FORK, forked_from_id=PARENT, cwd="/work/app", cli_version="0.120.0"),
        line(40.01, "session_meta", id=PARENT, cwd="/work/app", cli_version="0.120.0"),
        shell(40.01, "call_1", "tool run"),
        output(40.01, "call_1", "Exit code: 1\nWall time: 1 seconds\nOutput:\n"),
        shell(52, "call_1", "tool run"),
    )
    assert set(parent) <= set(replay)
    assert {"copied", "no_timestamp"} <= set(replay[f"c:{PARENT}/call_1"].flags)
    assert FORK == replay[f"c:{FORK}/call_1"].session_id


def test_a_call_that_is_written_with_its_output_began_earlier():
    """Its duration tells when, but no call began before the last one ended."""
    first = '{"output":"","metadata":{"exit_code":0,"duration_seconds":2.0}}'
    second = '{"output":"","metadata":{"exit_code":0,"duration_seconds":60.0}}'
    found = events(
        meta(),
        shell(10, "call_1", "tool a"),
        output(10, "call_1", first),
        shell(20, "call_2", "tool b"),
        output(20, "call_2", second),
    )
    start = found[f"r:{PARENT}/call_1"].time_unix_nano
    assert start - 2 * 10**9 == found[f"c:{PARENT}/call_1"].time_unix_nano
    assert start == found[f"c:{PARENT}/call_2"].time_unix_nano


def test_item_ids_begin_anew_with_every_run():
    """Two runs of one thread in one file have the same item ids and are different calls."""
    start = json.dumps({"type": "thread.started", "thread_id": PARENT}).encode()
    item = {"id": "item_0", "type": "command_execution", "command": "tool a", "aggregated_output": "", "exit_code": 0}
    run = [
        start,
        json.dumps({"type": "item.started", "item": item | {"exit_code": None, "status": "in_progress"}}).encode(),
        json.dumps({"type": "item.completed", "item": item | {"status": "completed"}}).encode(),
    ]
    uids = [record.uid for record in codex_exec_json.read([*run, *run], "x") if isinstance(record, Event)]
    assert 4 == len(set(uids))
