"""OTLP requests that are deep, broken or no requests at all."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from collectors.otlp.decode import Checked, check, decode
from collectors.otlp.model import MAX_DEPTH, REJECTED, REPAIRED, TOO_DEEP, MalformedError
from tests.collectors.otlp.writing import json_logs, one


@pytest.mark.parametrize("depth", [5, MAX_DEPTH, 40, 300, 5000])
def test_depth_is_bounded_and_nothing_is_lost(depth):
    """Down to the limit values are decoded, below it they are text, at any depth."""
    # the encoder of json would run out of stack
    opening, closing = b'{"arrayValue":{"values":[' * depth, b"]}}" * depth
    body = json_logs({"eventName": "x", "body": "MARK"}).replace(
        b'"MARK"', opening + b'{"stringValue":"deep inside"}' + closing
    )
    record, batch = one(body)
    value, levels = record.body, 0
    while isinstance(value, list):
        value, levels = value[0], levels + 1
    assert levels == min(depth, MAX_DEPTH)
    assert "deep inside" in value
    assert bool(batch.counts[TOO_DEEP]) == (depth > MAX_DEPTH)
    assert check(body, signal="logs", encoding="json").count == 1


@pytest.mark.parametrize("depth", [10, 60, 200])
def test_protobuf_has_no_limit_of_depth(depth):
    """A value nested deeper than the library's parser allows is read all the same."""
    request = ExportLogsServiceRequest()
    value = request.resource_logs.add().scope_logs.add().log_records.add().body
    for _ in range(depth):
        value = value.array_value.values.add()
    value.string_value = "deep inside"
    record, batch = one(request.SerializeToString(), encoding="protobuf")
    assert isinstance(record.body, list)
    assert bool(batch.counts[TOO_DEEP]) == (depth > MAX_DEPTH)
    assert check(request.SerializeToString(), signal="logs", encoding="protobuf").count == 1


def test_what_is_no_record_is_rejected_alone():
    """A record that is no object is rejected and counted; its neighbours are kept."""
    body = json_logs({"eventName": "a"}, 5, {"eventName": "b"})
    batch = decode(body, signal="logs", encoding="json")
    assert ["a", "b"] == [record.event_name for record in batch.records]
    assert batch.counts[REJECTED] == 1
    assert Checked(2, 1, 0) == check(body, signal="logs", encoding="json")


def test_a_plain_map_of_attributes_is_understood():
    """Attributes as an object, the commonest mistake, are kept as texts and counted."""
    record, batch = one(json_logs({"attributes": {"a": 1, "b": "x"}}))
    assert record.attributes == {"a": "1", "b": "x"}
    assert batch.counts[REPAIRED] == 1


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (b'{"resourceLogs":[', "json"),
        (b"[]", "json"),
        (b'{"resourceLogs":5}', "json"),
        (b'{"resourceLogs":[7]}', "json"),
        (b'{"resourceLogs":[{"scopeLogs":[{"logRecords":{}}]}]}', "json"),
        (b"\xff\xff\xff", "protobuf"),
        (b"\x0a\x05ab", "protobuf"),
    ],
)
def test_what_is_no_request_is_malformed(body, encoding):
    """Bytes that are no request are told apart from requests with odd values."""
    for read in (check, decode):
        with pytest.raises(MalformedError):
            read(body, signal="logs", encoding=encoding)


@given(st.binary(max_size=200), st.sampled_from(["protobuf", "json"]), st.sampled_from(["logs", "traces", "metrics"]))
def test_any_bytes_are_read_or_malformed(body, encoding, signal):
    """Whatever arrives is read or refused as malformed, and the quick look agrees with the reading."""
    try:
        checked = check(body, signal=signal, encoding=encoding)
    except MalformedError:
        with pytest.raises(MalformedError):
            decode(body, signal=signal, encoding=encoding)
        return
    assert decode(body, signal=signal, encoding=encoding).count == checked.count


NAMES = [
    *("resourceLogs", "scopeLogs", "logRecords", "resource", "scope", "attributes", "key", "value", "values", "body"),
    *("stringValue", "intValue", "doubleValue", "arrayValue", "kvlistValue"),
    *("timeUnixNano", "traceId", "severityNumber", "name", "flags", "events"),
]
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(NAMES),
            inner,
            max_size=4,
        )
    ),
    max_leaves=25,
)


@given(JSONS, JSONS)
def test_any_json_is_read_or_malformed(record, group):
    """JSON of the right names and wrong shapes never fails in another way."""
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}, group]}).encode()
    try:
        checked = check(body, signal="logs", encoding="json")
    except MalformedError:
        return
    batch = decode(body, signal="logs", encoding="json")
    assert (batch.count, batch.counts[REJECTED]) == (checked.count, checked.rejected)
