"""What only an envelope log can be odd in, beyond its stories."""

import json

import pytest

from collectors.conventions import CALL, RESULT
from collectors.events import Event
from collectors.formats import envelope_log

ENVELOPE = {"ok": False, "data": None, "error": {"code": "UNAVAILABLE", "retryable": True}, "warnings": [], "meta": {}}


def events(*records, name="log.ndjson"):
    """Return the events of records."""
    lines = [json.dumps(record).encode() + b"\n" for record in records]
    return [event for event in envelope_log.read(lines, name) if isinstance(event, Event)]


def call(**more):
    """Return a record of a call."""
    shared = {"ts": "2026-05-04T10:00:00Z", "session_id": "s", "agent": "a", "call_id": "c1", "argv": ["tool", "sync"]}
    return shared | {"exit_code": 12, "envelope": ENVELOPE} | more


def test_call_ids_are_unique_within_their_session_only():
    """Two sessions that count their calls from one do not share them."""
    first, _, second, _ = events(call(), call(session_id="t"))
    assert ("c:s/c1", "c:t/c1") == (first.uid, second.uid)


def test_the_same_call_in_two_files_is_one():
    """An audit entry and a bare envelope with the same trace and request have the same names."""
    meta = {"trace_id": "t", "request_id": "r", "command": "tool sync", "timestamp": "2026-05-04T10:00:00Z"}
    audit = {"timestamp": "2026-05-04T10:00:00Z", "command": "tool", "args": ["sync"], "exit_code": 12}
    bare = events(ENVELOPE | {"meta": meta}, name="a")
    audited = events(audit | {"trace_id": "t", "request_id": "r"}, name="b")
    assert ["c:t/r", "r:t/r"] == [event.uid for event in bare] == [event.uid for event in audited]
    assert bare[0].invocation_key == audited[0].invocation_key


def test_the_four_ways_to_name_a_call_are_one_invocation():
    """A vector, a shell string, and a stated operation beside either: the keys agree where the calls do."""
    vector, string = events(call())[0], events(call(argv=None, command="tool   sync"))[0]
    assert vector.invocation_key == string.invocation_key
    assert vector.operation_key == string.operation_key
    stated = [events(call(operation="tool sync-all", **how))[0] for how in ({}, {"argv": None, "command": "tool sync"})]
    assert 1 == len({event.operation_key for event in stated})
    assert {"tool sync-all"} == {event.operation for event in stated}
    assert stated[0].operation_key != vector.operation_key


def test_start_is_end_less_duration():
    """The log's duration comes before the tool's own; without any, start is end."""
    own = ENVELOPE | {"meta": {"duration_ms": 40}}

    def duration(**more):
        started, ended = events(call(**more))
        return (ended.time_unix_nano - started.time_unix_nano) // 1_000_000, ended.duration_ms

    assert (0, None) == duration()
    assert (40, 40) == duration(envelope=own)
    assert (300, 300) == duration(envelope=own, duration_ms=300)
    assert (40, 40) == duration(envelope=own, duration_ms=-1)
    assert (0, None) == duration(duration_ms=10**15)


@pytest.mark.parametrize(
    ("stated", "status", "signalled"),
    [
        ({}, "error", False),
        ({"exit_code": 0}, "ok", True),
        ({"exit_code": None}, "error", None),
        ({"exit_code": None, "envelope": ENVELOPE | {"ok": True, "error": None}}, "ok", None),
        ({"exit_code": None, "envelope": None}, None, None),
        ({"exit_code": None, "envelope": None, "isError": True}, "error", False),
        ({"exit_code": None, "is_error": False}, "ok", True),
        ({"exit_code": 0, "isError": True}, "ok", True),
        ({"exit_code": 127, "envelope": None, "stderr": "sh: tool: command not found"}, "not_run", False),
    ],
)
def test_status(stated, status, signalled):
    """The exit code comes first, then the error flag, then the envelope; without any of them nothing is known."""
    result = events(call(**stated))[1]
    assert (status, signalled) == (result.status, result.signalled_ok)


def test_an_envelope_is_looked_for_where_none_is_given():
    """In stdout, then in stderr; one that is given is the one."""
    text = "warning\n" + json.dumps(ENVELOPE)
    other = json.dumps(ENVELOPE | {"error": {"code": "OTHER"}})
    assert "UNAVAILABLE" == events(call(envelope=None, stdout=text, stderr=other))[1].error_code
    assert "OTHER" == events(call(envelope=None, stdout="done", stderr=other))[1].error_code
    assert "UNAVAILABLE" == events(call(stdout=other))[1].error_code


def test_equal_records_without_id_and_time_are_so_many_calls():
    """Three equal bare envelopes are three calls, read twice still the same three."""
    first, second = events(*[ENVELOPE] * 3), events(*[ENVELOPE] * 3)
    assert 3 == len({event.uid for event in first if event.event_name == CALL})
    assert first == second


def test_a_record_that_names_no_call_gives_a_result_all_the_same():
    """What failed is unknown, that it failed is not."""
    started, ended = events(ENVELOPE)
    assert (None, None) == (started.operation_key, started.command)
    assert ("UNAVAILABLE", RESULT) == (ended.error_code, ended.event_name)
    assert "no_command" in started.flags
