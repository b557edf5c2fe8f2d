"""OTLP requests to plain records, in both encodings."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collectors.otlp.decode import Checked, check, decode
from collectors.otlp.model import BAD_IDS, DUPLICATE_KEYS, REPAIRED
from tests.collectors.otlp.writing import json_attributes, json_logs, json_value, one, proto_value

INT64 = st.integers(-(2**63), 2**63 - 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = TEXT | INT64 | st.booleans() | st.floats(allow_nan=False) | st.binary(max_size=8) | st.none()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3), max_leaves=6
)
ATTRIBUTES = st.dictionaries(TEXT, VALUES, max_size=5)
TIMES = st.integers(0, 2**63 - 1)


@given(ATTRIBUTES, VALUES, TIMES, TIMES, st.binary(min_size=16, max_size=16), st.binary(min_size=8, max_size=8), TEXT)
def test_both_encodings_say_the_same(attributes, body, time, observed, trace_id, span_id, name):
    """A record decodes to the same values from protobuf and from JSON."""
    request = ExportLogsServiceRequest()
    record = (
        request.resource_logs.add()
        .scope_logs.add()
        .log_records.add(
            time_unix_nano=time, observed_time_unix_nano=observed, trace_id=trace_id, span_id=span_id, event_name=name
        )
    )
    for key, value in attributes.items():
        proto_value(record.attributes.add(key=key).value, value)
    proto_value(record.body, body)
    written = {
        "timeUnixNano": str(time),
        "observedTimeUnixNano": observed,
        "traceId": trace_id.hex().upper(),
        "spanId": span_id.hex(),
        "eventName": name,
        "attributes": json_attributes(attributes),
        "body": json_value(body),
    }
    from_protobuf, _ = one(request.SerializeToString(), encoding="protobuf")
    from_json, batch = one(json_logs(written))
    assert from_protobuf == from_json
    assert from_json.attributes == attributes
    assert (from_json.time_unix_nano or 0, from_json.body) == (time, body)
    assert not batch.counts[REPAIRED]


def test_spans_say_the_same_in_both_encodings():
    """A span keeps its parents, times, status, events and links in both encodings."""
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(
        name="execute_tool x", kind=3, trace_id=b"t" * 16, span_id=b"s" * 8, parent_span_id=b"p" * 8,
        start_time_unix_nano=5, end_time_unix_nano=9,
    )  # fmt: skip
    span.status.code, span.status.message = 2, "it failed"
    span.events.add(name="exception", time_unix_nano=7).attributes.add(key="exception.type").value.string_value = "E"
    span.links.add(trace_id=b"l" * 16, span_id=b"k" * 8)
    written = {
        "name": "execute_tool x",
        "kind": 3,
        "traceId": (b"t" * 16).hex(),
        "spanId": (b"s" * 8).hex(),
        "parentSpanId": (b"p" * 8).hex(),
        "startTimeUnixNano": 5,
        "endTimeUnixNano": "9",
        "status": {"code": 2, "message": "it failed"},
        "events": [{"name": "exception", "timeUnixNano": "7", "attributes": json_attributes({"exception.type": "E"})}],
        "links": [{"traceId": (b"l" * 16).hex(), "spanId": (b"k" * 8).hex()}],
    }
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [written]}]}]}).encode()
    from_protobuf, _ = one(request.SerializeToString(), signal="traces", encoding="protobuf")
    from_json, _ = one(body, signal="traces")
    assert from_protobuf == from_json
    assert (from_json.status_code, from_json.events[0].attributes) == (2, {"exception.type": "E"})


def test_metrics_are_counted():
    """Of metrics only the number is kept."""
    request = ExportMetricsServiceRequest()
    request.resource_metrics.add().scope_metrics.add().metrics.add(name="m")
    body = json.dumps({"resourceMetrics": [{"scopeMetrics": [{"metrics": [{"name": "m"}, {"name": "n"}]}]}]}).encode()
    assert check(request.SerializeToString(), signal="metrics", encoding="protobuf") == Checked(1)
    assert check(body, signal="metrics", encoding="json") == Checked(2)
    assert decode(body, signal="metrics", encoding="json").count == 2


@pytest.mark.parametrize(
    ("value", "expected", "is_repaired"),
    [
        ({"intValue": "5"}, 5, False),
        ({"intValue": 5}, 5, False),
        ({"intValue": "-9223372036854775808"}, -(2**63), False),
        ({"intValue": "9223372036854775808"}, "9223372036854775808", True),
        ({"intValue": "5e2"}, 500, False),
        ({"intValue": "five"}, "five", True),
        ({"doubleValue": None}, None, False),
        ({"doubleValue": "1.5"}, 1.5, False),
        ({"doubleValue": "-Infinity"}, float("-inf"), False),
        ({"boolValue": "true"}, "true", True),
        ({"stringValue": 7}, "7", True),
        ({"bytesValue": "AP8="}, b"\x00\xff", False),
        ({"bytesValue": "AP-_"}, b"\x00\xff\xbf", False),
        ({"bytesValue": "not base64!"}, "not base64!", False),
        ({}, None, False),
        (None, None, False),
        ({"unknownValue": 1}, None, False),
        ("bare", "bare", True),
        ({"arrayValue": {}}, [], False),
        ({"arrayValue": {"values": [{"intValue": "9e99"}, {"stringValue": "x"}]}}, ["9e99", "x"], True),
        ({"arrayValue": {"values": "no list"}}, '{"values": "no list"}', True),
        ({"kvlistValue": {"values": [{"key": "a", "value": {"boolValue": True}}]}}, {"a": True}, False),
    ],
)
def test_values_of_json(value, expected, is_repaired):
    """Each spelling of a value is understood, and one that OTLP does not have is kept as text and counted."""
    record, batch = one(json_logs({"attributes": [{"key": "k", "value": value}]}))
    assert record.attributes == {"k": expected}
    assert bool(batch.counts[REPAIRED]) == is_repaired


@pytest.mark.parametrize(
    ("stated", "expected", "is_repaired"),
    [
        ("1700000000000000000", 1700000000000000000, False),
        (1700000000000000000, 1700000000000000000, False),
        ("1.7e18", 1700000000000000000, False),
        ("0", None, False),
        (0, None, False),
        ("", None, False),
        (None, None, False),
        ("yesterday", None, True),
        (-5, None, True),
        (str(2**64 - 1), None, True),
    ],
)
def test_times_of_json(stated, expected, is_repaired):
    """A time is a number or a text; 0 is unknown, as is what cannot be a time, which is counted."""
    record, batch = one(json_logs({"timeUnixNano": stated}))
    assert record.time_unix_nano == expected
    assert bool(batch.counts[REPAIRED]) == is_repaired


@pytest.mark.parametrize(
    ("stated", "expected", "bad"),
    [
        ("5b8efff798038103d269b633813fc60c", "5b8efff798038103d269b633813fc60c", 0),
        ("5B8EFFF798038103D269B633813FC60C", "5b8efff798038103d269b633813fc60c", 0),
        ("W47/95gDgQPSabYzgT/GDA==", None, 1),
        ("abcd", None, 1),
        ("0" * 32, None, 0),
        ("", None, 0),
    ],
)
def test_ids_of_json(stated, expected, bad):
    """An id is hex of either case and the right length; any other is absent, and its record is kept."""
    record, batch = one(json_logs({"traceId": stated, "body": {"stringValue": "kept"}}))
    assert (record.trace_id, record.body, batch.counts[BAD_IDS]) == (expected, "kept", bad)


def test_an_enum_by_name_is_kept_as_text():
    """An enum must be a number; a name gives no number, is not lost, and is counted."""
    record, batch = one(json_logs({"severityNumber": "SEVERITY_NUMBER_WARN"}))
    assert (record.severity_number, record.severity_text) == (0, "SEVERITY_NUMBER_WARN")
    assert batch.counts[REPAIRED] == 1


def test_the_last_of_equal_keys_counts():
    """Duplicate keys are forbidden to senders; the last one wins and the others are counted, in both encodings."""
    pair = [{"key": "k", "value": {"stringValue": text}} for text in ("first", "last")]
    from_json, batch = one(json_logs({"attributes": pair}))
    request = ExportLogsServiceRequest()
    record = request.resource_logs.add().scope_logs.add().log_records.add()
    for text in ("first", "last"):
        record.attributes.add(key="k").value.string_value = text
    from_protobuf, other = one(request.SerializeToString(), encoding="protobuf")
    assert from_json.attributes == from_protobuf.attributes == {"k": "last"}
    assert batch.counts[DUPLICATE_KEYS] == other.counts[DUPLICATE_KEYS] == 1


def test_one_bad_byte_does_not_cost_the_batch():
    """Invalid UTF-8 in one text is replaced there; the other records are untouched, in both encodings."""
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    scope.log_records.add(event_name="bad-bytes")
    scope.log_records.add(event_name="good")
    damaged = request.SerializeToString().replace(b"bad-bytes", b"bad-\xff\xfetes")
    written = json_logs({"eventName": "bad-bytes"}, {"eventName": "good"}).replace(b"bad-bytes", b"bad-\xff\xfetes")
    for body, encoding in ((damaged, "protobuf"), (written, "json")):
        batch = decode(body, signal="logs", encoding=encoding)
        assert ["bad-\ufffd\ufffdtes", "good"] == [record.event_name for record in batch.records]
        assert Checked(2, 0, 1) == check(body, signal="logs", encoding=encoding)


def test_half_a_surrogate_pair_is_replaced():
    """A lone surrogate in JSON, which no text can hold, does not cost the batch."""
    record, batch = one(json_logs({"eventName": "MARK"}).replace(b"MARK", b"a\\ud83db"))
    assert record.event_name.startswith("a\ufffd")
    assert batch.counts[REPAIRED] == 1
