"""Events as OpenTelemetry log records and back."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry._logs import SeverityNumber

from collectors.conventions import EVENT_NAMES, FIELDS, RESULT, TURN
from collectors.events import Event
from collectors.records import ILL_TYPED, from_attributes, from_log_record, to_attributes, to_log_record

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
INT64 = st.integers(-(2**63), 2**63 - 1)
VALUES = {
    "string": TEXT,
    "int": INT64,
    "bool": st.booleans(),
    "strings": st.lists(TEXT, max_size=3).map(tuple),
    "ints": st.lists(INT64, max_size=3).map(tuple),
}
TIMES = st.none() | st.integers(1, 2**63 - 1)
IDS = {
    "trace_id": st.none() | TEXT | st.binary(min_size=16, max_size=16).map(bytes.hex),
    "span_id": st.none() | TEXT | st.binary(min_size=8, max_size=8).map(bytes.hex),
}
SPECIAL = {
    "event_name": st.sampled_from(EVENT_NAMES),
    "uid": TEXT,
    "session_id": TEXT,
    "time_unix_nano": TIMES,
    "observed_time_unix_nano": TIMES,
    **IDS,
}
EVENTS = st.builds(Event, **{field.name: SPECIAL.get(field.name, st.none() | VALUES[field.kind]) for field in FIELDS})


@given(EVENTS)
def test_the_way_through_a_log_record_changes_nothing(event):
    """Every slot of an event survives as a LogRecord, whatever it holds."""
    assert from_log_record(to_log_record(event)) == event


@given(EVENTS)
def test_the_attributes_are_those_of_the_conventions(event):
    """Stated slots travel as their attribute, and what was not stated is absent rather than null."""
    attributes = to_attributes(event)
    stated = {field.attribute for field in FIELDS if field.attribute and getattr(event, field.name) is not None}
    assert stated <= attributes.keys()
    assert None not in attributes.values()


@pytest.mark.parametrize(
    ("slots", "outcome", "error_type"),
    [
        ({"status": "ok"}, "success", None),
        ({"status": "error", "error_code": "UNAVAILABLE", "exit_code": 12}, "error", "UNAVAILABLE"),
        ({"status": "error", "exit_code": 3}, "error", "exit_3"),
        ({"status": "error"}, "error", "_OTHER"),
        ({"status": "killed", "status_reason": "timeout"}, "timeout", "_OTHER"),
        ({"status": "refused"}, "denied", None),
        ({"status": "blocked"}, "denied", None),
        ({"status": "cancelled"}, "cancelled", None),
        ({}, "unknown", None),
    ],
)
def test_a_result_carries_what_other_readers_know(slots, outcome, error_type):
    """A result states `recoup.outcome`, and `error.type` where it failed, by the semantic conventions."""
    event = Event(event_name=RESULT, uid="r:1", session_id="s", **slots)
    attributes = to_attributes(event)
    assert (attributes["recoup.outcome"], attributes.get("error.type")) == (outcome, error_type)
    assert from_log_record(to_log_record(event)) == event


def test_what_went_wrong_is_a_warning():
    """Failed results and API errors have severity WARN, everything else INFO."""
    result = Event(event_name=RESULT, uid="r:1", session_id="s", status="error")
    fault = Event(event_name=TURN, uid="t:1", session_id="s", turn_kind="api_error")
    answer = Event(event_name=TURN, uid="t:2", session_id="s", turn_kind="answer")
    severities = [to_log_record(event).severity_number for event in (result, fault, answer)]
    assert [SeverityNumber.WARN, SeverityNumber.WARN, SeverityNumber.INFO] == severities


def test_a_record_has_a_name_and_no_body():
    """The name is the top-level field and the body empty; an unknown time is 0, not the present."""
    record = to_log_record(Event(event_name=RESULT, uid="r:1", session_id="s"))
    assert (record.event_name, record.body) == (RESULT, None)
    assert (record.timestamp, record.observed_timestamp) == (0, 0)


NOWHERE = {"time_unix_nano": None, "observed_time_unix_nano": None, "trace_id": None, "span_id": None}


def test_attributes_of_no_slot_are_kept():
    """What the conventions do not know goes to the JSON of `attributes`, beside what stands there."""
    sent = {"recoup.attributes": '{"a":1}', "deployment.environment": "test", "error.type": "_OTHER"}
    event = from_attributes(RESULT, sent, **NOWHERE)
    assert {"a": 1, "deployment.environment": "test"} == msgspec.json.decode(event.attributes)


def test_a_value_of_a_wrong_type_is_kept_and_flagged():
    """A slot never holds a value of another type; the value stands under `attributes` and the event is flagged."""
    sent = {"process.exit.code": "twelve", "recoup.flags": ["seen"], "recoup.error.retryable": "true"}
    event = from_attributes(RESULT, sent, **NOWHERE)
    assert (event.exit_code, event.retryable) == (None, None)
    assert {"process.exit.code": "twelve", "recoup.error.retryable": "true"} == msgspec.json.decode(event.attributes)
    assert event.flags == ("seen", ILL_TYPED)
