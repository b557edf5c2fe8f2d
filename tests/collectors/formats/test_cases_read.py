"""The hard cases of families A to C, as far as one record says it; what records mean together is another test."""

from itertools import groupby
from pathlib import Path

import pytest

from collectors import sniff
from collectors.conventions import CALL, RESULT, TURN
from collectors.events import Event, Reject, Skipped

CASES = Path(__file__).parents[2] / "cases"

RESULTS = {
    "A01.jsonl": "4 error 11 QUOTA_EXHAUSTED, 1 ok 0",
    "A02.jsonl": "5 error 2 VALIDATION_ERROR",
    "A05.jsonl": "3 error 11 RATE_LIMITED, 1 ok",
    "A06.jsonl": "1 error 8 CREDENTIALS_EXPIRED, 1 ok, 1 error 8 CREDENTIALS_EXPIRED",
    "A09.jsonl": "1 ok 0 NOT_IMPLEMENTED, 1 ok 0 AMBIGUOUS_SCOPE, 1 ok 0 UNKNOWN_EVENT, 1 ok 0, 1 error 2 ARG_ERROR",
    "A17.jsonl": "1 refused, 1 blocked, 1 error 12 UNAVAILABLE, 1 ok",
    "A19.jsonl": "3 error 12 UNAVAILABLE, 1 ok 0, 1 error 12 UNAVAILABLE, 1 ok 0",
    "B01.jsonl": "1 error 12 UNAVAILABLE, 1 ok",
    "B04.jsonl": "3 error 12 UNAVAILABLE",
    "B05/t1.jsonl": "1 error 12 UNAVAILABLE",
    "B05/t2.jsonl": "1 error 12 UNAVAILABLE, 1 ok",
    "B07.jsonl": "1 error 1 BUILD_FAILED, 1 ok",
    "B08.jsonl": "1 error 12 UNAVAILABLE, 2 ok",
    "B09.jsonl": "1 error 11 RATE_LIMITED, 2 ok",
    "B10.jsonl": "1 ok, 1 interrupted",
    "B12.jsonl": "1 error, 1 error ARG_ERROR, 1 ok, 1 error 12 UNAVAILABLE, 2 ok",
    "B17/session.jsonl": "1 error 12 UNAVAILABLE, 1 ok",
    "B17/session/subagents/agent-ab12cd34.jsonl": "1 error 12 UNAVAILABLE, 1 ok",
    "C01.jsonl": "2 error 12 UNAVAILABLE, 4 ok 0",
    "C09.jsonl": "2 error 12 UNAVAILABLE, 1 ok 0",
    "C11.jsonl": "1 error 1 TESTS_FAILED, 2 ok, 1 error 12 UNAVAILABLE, 1 ok",
    "C14.jsonl": "1 error 3 PARTIAL_FAILURE, 1 ok 0, 1 error 3 PARTIAL_FAILURE",
    "discriminating/B-fix-did-not-help.jsonl": (
        "1 error 8 CREDENTIALS_EXPIRED, 1 ok, 1 error 8 CREDENTIALS_EXPIRED, 1 ok ERROR"
    ),
}


def records_of(name):
    """Return the records of a case."""
    path = CASES / name
    with path.open("rb") as lines:
        return list(sniff(path.read_bytes()[:65_536], name).read(lines, name))


def events_of(name, kind):
    """Return the events of one kind of a case."""
    return [record for record in records_of(name) if isinstance(record, Event) and record.event_name == kind]


@pytest.mark.parametrize("name", RESULTS)
def test_results(name):
    """Each result has the status, exit code and code of its record; what is not stated is null, never 1."""
    said = [
        " ".join(str(word) for word in (event.status, event.exit_code, event.error_code) if word is not None)
        for event in events_of(name, RESULT)
    ]
    assert RESULTS[name] == ", ".join(f"{len(list(group))} {words}" for words, group in groupby(said))


def test_a_doubled_line_is_one_call():
    """B01: the call that was written twice has one uid, and the tokens of its message repeat."""
    calls = events_of("B01.jsonl", CALL)
    assert (3, 2) == (len(calls), len({call.uid for call in calls}))
    assert {"msg_b01b_01"} == {call.turn_id for call in calls}
    assert 23 == max(call.output_tokens for call in calls)


def test_a_replayed_history_joins_its_original():
    """B02: the replayed prompt, call, result and answer have the uids of the first ones, though their uuids are new."""
    uids = [record.uid for record in records_of("B02.jsonl")]
    assert uids[:4] == uids[4:8]
    assert len(uids) - 4 == len(set(uids))


def test_rapid_repeats_are_three_calls():
    """B04: equal commands under different ids stay apart."""
    assert 3 == len({call.uid for call in events_of("B04.jsonl", CALL)})
    assert 1 == len({call.invocation_key for call in events_of("B04.jsonl", CALL)})


def test_a_torn_line_is_no_malformed_one():
    """B05: the unfinished last line is marked as torn; grown, it is a result, and nothing else changed."""
    before, after = records_of("B05/t1.jsonl"), records_of("B05/t2.jsonl")
    assert isinstance(before[-1], Reject)
    assert (5, True) == (before[-1].position, before[-1].is_torn)
    assert [record.uid for record in before[:-1]] == [record.uid for record in after[: len(before) - 1]]


def test_a_line_of_20_megabytes():
    """B07: a very long line is read whole, the envelope at its end found, and only an excerpt kept."""
    lines = (CASES / "B07.jsonl").read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b"warning: unused\\n", b"warning: unused\\n" * 100)
    assert len(lines[2]) > 20_000_000
    results = [event for event in sniff(lines[0], "x").read(lines, "x") if event.event_name == RESULT]
    assert ["BUILD_FAILED", None] == [result.error_code for result in results]
    assert len(results[0].output) <= 4_000 < 9_000_000 < results[0].output_bytes


def test_damaged_text_is_repaired_and_flagged():
    """B08: a lone surrogate and a wrong byte are replaced in the two records that have one; nothing is lost."""
    flags = [event.flags for event in events_of("B08.jsonl", RESULT)]
    assert [("text_repaired",), ("text_repaired",), None] == flags
    assert "cut \ufffd {" in events_of("B08.jsonl", RESULT)[0].output


def test_times_of_all_kinds():
    """B09: offset, epoch milliseconds, naive and missing times give the waits the case states."""
    result = {event.call_id: event for event in events_of("B09.jsonl", RESULT)}
    call = {event.call_id: event for event in events_of("B09.jsonl", CALL)}
    assert 29_750_000_000 == call["toolu_b09_2"].time_unix_nano - result["toolu_b09_1"].time_unix_nano
    assert ("naive_timestamp",) == call["toolu_b09_3"].flags
    assert (None, ("no_timestamp",)) == (result["toolu_b09_3"].time_unix_nano, result["toolu_b09_3"].flags)


def test_interruptions():
    """B10: four calls, two results, and the marker of the interruption between the person's two prompts."""
    assert 4 == len(events_of("B10.jsonl", CALL))
    assert ["prompt", "interruption", "prompt"] == [event.turn_kind for event in events_of("B10.jsonl", TURN)]


def test_records_that_are_no_calls_are_counted():
    """B12: a summary, a snapshot and a bare number are three non-call records, and no rejects."""
    others = [record for record in records_of("B12.jsonl") if not isinstance(record, Event)]
    assert 3 == sum(record.count for record in others if isinstance(record, Skipped)) == len(others)


def test_a_sub_agent_is_an_actor_of_its_parents_session():
    """B17: two threads of one session; the prompt that the parent wrote is no person's."""
    main, sub = events_of("B17/session.jsonl", CALL), events_of("B17/session/subagents/agent-ab12cd34.jsonl", CALL)
    assert {"main"} == {call.actor_id for call in main}
    assert {"ab12cd34"} == {call.actor_id for call in sub}
    assert 1 == len({call.session_id for call in main + sub})
    assert ["answer"] == [event.turn_kind for event in events_of("B17/session/subagents/agent-ab12cd34.jsonl", TURN)]


def test_declared_waits():
    """C03: what a Retry-After may look like, in milliseconds; what is invalid is none."""
    waits = [event.retry_after_ms for event in events_of("C03.jsonl", RESULT)]
    assert [120_000, 120_000, 0, None, None, 0, 30_000, None, 120_000, None, 0, 60_000] == waits


def test_a_record_is_stamped_at_its_end():
    """C09: start is end less duration, so the waits are 11 and 16 seconds; tries inside the tool are kept."""
    calls, results = events_of("C09.jsonl", CALL), events_of("C09.jsonl", RESULT)
    waits = [call.time_unix_nano - result.time_unix_nano for result, call in zip(results, calls[1:], strict=False)]
    assert [11_000_000_000, 16_000_000_000] == waits
    assert [3, 3, 2] == [result.internal_attempts for result in results]
