"""What one request becomes in the store; one collector serves all tests of this file."""

import http.client
import json
import socket
import time

import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from collectors.conventions import CALL, RESULT
from collectors.events import Event
from collectors.records import to_attributes
from pipeline import raw
from pipeline.store import open_store
from tests.pipeline.serving.running import JSON, PB, export, logs, rows


def kept(collector, prefix, columns="name"):
    """Return the rows of records whose name starts so, once everything is stored."""
    return collector.query(f"select {columns} from raw.otlp_records where name like '{prefix}%' order by name")


def test_what_is_acknowledged_is_stored(collector):
    """A record is in the store soon after its answer, while the collector runs."""
    assert collector.post(logs("ack.a", "ack.b", tool="x")).status == 200
    found = kept(collector, "ack", "kind, name, attributes, time_unix_nano > 0")
    assert found == [("log", "ack.a", '{"tool":"x"}', True), ("log", "ack.b", '{"tool":"x"}', True)]
    ((skipped, total),) = collector.query(
        "select (select record_count from raw.skipped where kind = 'other log record'), count(*) "
        "from raw.otlp_records where kind = 'log'"
    )
    assert skipped == total


def test_a_repeated_request_is_stored_once(collector):
    """A client that sends the same bytes again, by either protocol, adds nothing."""
    before = collector.metrics().get('recoup_records_drained_total{became="duplicate"}', 0)
    body = logs("again.a", "again.b")
    for _ in range(3):
        assert collector.post(body).status == 200
    assert export(collector, body) == b""
    assert len(kept(collector, "again")) == 2
    assert collector.metrics()['recoup_records_drained_total{became="duplicate"}'] == before + 6


def test_equal_records_of_one_request_are_all_kept(collector):
    """Records that are equal in everything are so many records, and resending them still adds nothing."""
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for _ in range(5):
        scope.log_records.add(event_name="equal", time_unix_nano=7)
    for _ in range(2):
        assert collector.post(request.SerializeToString()).status == 200
    assert len(kept(collector, "equal")) == 5


def _half_open(collector, body, length):
    """Send the start of a request and cut the connection."""
    head = f"POST /v1/logs HTTP/1.1\r\nHost: x\r\nContent-Type: {PB}\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", collector.port)) as connection:
        connection.sendall(head.encode() + body[:length])


def test_a_connection_cut_after_the_body_stores_once(collector):
    """A client that hears no answer sends again; the record is stored once."""
    body = logs("cut")
    for _ in range(3):
        _half_open(collector, body, len(body))
    assert collector.post(body).status == 200
    assert kept(collector, "cut") == [("cut",)]


def test_half_a_body_stores_nothing(collector):
    """A connection cut in the middle of the body leaves nothing, and the collector goes on."""
    body = logs("half.a")
    _half_open(collector, body, len(body) - 3)
    assert collector.post(logs("half.b")).status == 200
    assert kept(collector, "half") == [("half.b",)]


def test_own_events_arrive_as_they_were(collector, tmp_path):
    """Recoup's own events, sent by OTLP, give the rows that storing them directly gives."""
    events = [
        Event(event_name=CALL, uid="c:1", session_id="s", call_id="1", tool_name="Bash", time_unix_nano=5, position=3),
        Event(
            event_name=RESULT, uid="r:1", session_id="s", call_id="1", time_unix_nano=9, status="error", exit_code=12,
            flags=("seen",), benign_exits=(1, 2), retryable=True, error_code="UNAVAILABLE", format="x", path="a.jsonl",
            trace_id="5b8efff798038103d269b633813fc60c", span_id="eee19b7ec3c1b174",
        ),
    ]  # fmt: skip
    with open_store(tmp_path / "direct.duckdb", write=True) as connection:
        raw.append_events(connection, events)
    for _ in range(2):
        assert collector.post(own(events), JSON).status == 200
    columns = "* exclude (row_hash, received_at, format, path)"
    found = collector.query(f"select {columns} from raw.events order by uid")
    assert found == rows(tmp_path / "direct.duckdb", f"select {columns} from raw.events order by uid")
    places = collector.query("select format, path from raw.events order by uid")
    assert places == [("otlp", "/v1/logs"), ("x", "a.jsonl")]


def own(events):
    """Return events as an OTLP/JSON request."""
    records = [
        {
            "eventName": event.event_name,
            "timeUnixNano": str(event.time_unix_nano or 0),
            "traceId": event.trace_id,
            "spanId": event.span_id,
            "attributes": [{"key": key, "value": value(held)} for key, held in to_attributes(event).items()],
        }
        for event in events
    ]
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": records}]}]}).encode()


def value(held):
    """Return an AnyValue."""
    if isinstance(held, tuple):
        return {"arrayValue": {"values": [value(item) for item in held]}}
    kind = {bool: "boolValue", int: "intValue", str: "stringValue"}[type(held)]
    return {kind: held}


def test_secrets_are_taken_out(collector):
    """Attributes and bodies are stored without secrets; what holds none is untouched."""
    key = "AKIA" + "IOSFODNN7" + "EXAMPLQ"
    record = {
        "eventName": "secret",
        "body": {"stringValue": f"export AWS_ACCESS_KEY_ID={key}"},
        "attributes": [
            {"key": "password", "value": {"stringValue": "hunter2hunter2"}},
            {"key": "note", "value": {"stringValue": f"it is {key}"}},
            {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": key}]}}},
            {"key": "fine", "value": {"stringValue": "nothing to hide"}},
        ],
    }
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()
    assert collector.post(body, JSON).status == 200
    ((text, attributes),) = kept(collector, "secret", "body, attributes")
    assert key not in text + attributes
    assert "hunter2" not in attributes
    assert "redacted" in text
    assert json.loads(attributes)["fine"] == "nothing to hide"


def test_spans_are_kept(collector):
    """A span that states no event is kept with its status, events and links."""
    span = {
        "name": "GET /x",
        "traceId": "5b8efff798038103d269b633813fc60c",
        "spanId": "eee19b7ec3c1b174",
        "startTimeUnixNano": "5",
        "endTimeUnixNano": "9",
        "status": {"code": 2, "message": "no"},
        "events": [{"name": "exception"}],
    }
    body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
    assert collector.post(body, JSON, "/v1/traces").status == 200
    columns = "kind, name, trace_id, time_unix_nano, end_time_unix_nano, status_code, status_message, details"
    ((*stored, details),) = kept(collector, "GET /x", columns)
    assert stored == ["span", "GET /x", "5b8efff798038103d269b633813fc60c", 5, 9, 2, "no"]
    assert json.loads(details)["events"][0]["name"] == "exception"


def test_times_far_off_are_counted_and_kept(collector):
    """A clock that is wrong by more than a day is counted, never a reason to lose a record."""
    before = _skewed(collector)
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for time_unix_nano in (1, 2**62, 2**64 - 1, time.time_ns(), 0):
        scope.log_records.add(event_name="times", time_unix_nano=time_unix_nano)
    assert collector.post(request.SerializeToString()).status == 200
    assert [(True,)] * 5 == kept(collector, "times", "time_unix_nano > 0")
    assert _skewed(collector) == before + 2


def _skewed(collector):
    collector.drained()
    return collector.metrics().get('recoup_records_noticed_total{kind="skewed"}', 0)


def test_a_connection_serves_many_requests(collector):
    """Keep-alive holds, also after a refusal."""
    connection = http.client.HTTPConnection("127.0.0.1", collector.port, timeout=20)
    statuses = []
    for media_type in (PB, "text/plain", PB, JSON, PB):
        connection.request("POST", "/v1/logs", logs("alive"), {"Content-Type": media_type})
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    connection.close()
    assert statuses == [200, 415, 200, 400, 200]


def test_grpc_answers_by_the_specification(collector):
    """Bad data, nothing, a warning, and an unknown service have the codes that OTLP names."""
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse

    assert export(collector, b"\xff\xff\xff").code() == grpc.StatusCode.INVALID_ARGUMENT
    assert export(collector, b"") == b""
    warned = ExportLogsServiceResponse.FromString(export(collector, logs("bad").replace(b"bad", b"\xffad")))
    assert warned.partial_success.error_message
    profiles = "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export"
    assert export(collector, b"", method=profiles).code() == grpc.StatusCode.UNIMPLEMENTED
