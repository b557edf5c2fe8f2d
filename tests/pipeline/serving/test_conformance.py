"""The 54 cases of an OTLP/HTTP conformance probe, with the answers that the specification demands."""

import gzip
import json
import time
import zlib
from functools import reduce

import pyarrow as pa
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse

from tests.pipeline.serving.running import logs

PB, JSON = "application/x-protobuf", "application/json"
EMPTY, WARNED, STATUS = "empty", "warned", "status"
"""What a body holds: nothing to say, a warning with nothing rejected, or a google.rpc.Status."""


def record(**changes):
    """Return a log record of OTLP/JSON."""
    plain = {
        "timeUnixNano": str(time.time_ns()),
        "severityNumber": 13,
        "eventName": "x.y",
        "body": {"stringValue": "b"},
        "attributes": [{"key": "k", "value": {"stringValue": "v"}}],
    }
    return plain | changes


def request(*records):
    """Return a request of OTLP/JSON."""
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "conformance"}}]}
    scope_logs = [{"scope": {"name": "s"}, "logRecords": list(records)}]
    return json.dumps({"resourceLogs": [{"resource": resource, "scopeLogs": scope_logs}]}).encode()


def attribute(value):
    """Return a request whose record has one attribute."""
    return request(record(attributes=[{"key": "i", "value": value}]))


def nested(step, depth):
    """Return a body nested to a depth."""
    return request(record(body=reduce(lambda inner, _: step(inner), range(depth), {"stringValue": "x"})))


def protobuf():
    """Return a request in protobuf."""
    built = ExportLogsServiceRequest()
    built.resource_logs.add().scope_logs.add().log_records.add(event_name="x.y", time_unix_nano=time.time_ns())
    return built.SerializeToString()


def zstd(data):
    """Compress with zstd."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(data)
    return sink.getvalue().to_pybytes()


def bomb():
    """Return 200 MiB in a fifth of one."""
    return gzip.compress(b'{"resourceLogs":[],"x":"' + b"a" * (200 << 20) + b'"}', 1)


PLAIN = request(record())
IN_MAP = lambda inner: {"kvlistValue": {"values": [{"key": "k", "value": inner}]}}  # noqa: E731
IN_ARRAY = lambda inner: {"arrayValue": {"values": [inner]}}  # noqa: E731
PREFLIGHT = {"Origin": "https://evil.example", "Access_Control_Request_Method": "POST"}
WRONG_UTF8 = PLAIN.replace(b'"b"', b'"\xff\xfe"')
CASES = {
    "json ok": (200, EMPTY, JSON, PLAIN),
    "json charset param": (200, EMPTY, "application/json; charset=utf-8", PLAIN),
    "JSON uppercase ctype": (200, EMPTY, "Application/JSON", PLAIN),
    "pb ok": (200, EMPTY, PB, protobuf()),
    "pb application/protobuf": (415, STATUS, "application/protobuf", protobuf()),
    "chunked json": (200, EMPTY, JSON, PLAIN, {"chunked": True}),
    "gzip pb": (200, EMPTY, PB, gzip.compress(protobuf()), {"Content_Encoding": "gzip"}),
    "zstd pb": (200, EMPTY, PB, zstd(protobuf()), {"Content_Encoding": "zstd"}),
    "deflate json": (200, EMPTY, JSON, zlib.compress(PLAIN), {"Content_Encoding": "deflate"}),
    "gzip header, plain body": (400, STATUS, PB, protobuf(), {"Content_Encoding": "gzip"}),
    "unknown encoding br": (400, STATUS, PB, protobuf(), {"Content_Encoding": "br"}),
    "empty body json": (200, EMPTY, JSON, b""),
    "empty body pb": (200, EMPTY, PB, b""),
    "{} json": (200, EMPTY, JSON, b"{}"),
    "resourceLogs []": (200, EMPTY, JSON, b'{"resourceLogs":[]}'),
    "no content-type": (415, STATUS, None, PLAIN),
    "text/plain": (415, STATUS, "text/plain", PLAIN),
    "GET": (405, STATUS, None, None, {"method": "GET"}),
    "OPTIONS (CORS preflight)": (405, STATUS, None, None, {"method": "OPTIONS", **PREFLIGHT}),
    "malformed json": (400, STATUS, JSON, b'{"resourceLogs":['),
    "malformed pb": (400, STATUS, PB, b"\xff\xff\xff"),
    "pb invalid utf8 string": (200, WARNED, PB, protobuf().replace(b"x.y", b"\xff.y")),
    "json raw invalid utf8": (200, WARNED, JSON, WRONG_UTF8),
    "unknown json field": (200, EMPTY, JSON, request(record(bogus={"a": 1}))),
    "snake_case keys": (
        200,
        EMPTY,
        JSON,
        b'{"resource_logs":[{"scope_logs":[{"log_records":[{"time_unix_nano":"1"}]}]}]}',
    ),
    "intValue as number": (200, EMPTY, JSON, attribute({"intValue": 5})),
    "intValue as string": (200, EMPTY, JSON, attribute({"intValue": "5"})),
    "intValue 2^63 overflow": (200, WARNED, JSON, attribute({"intValue": "9223372036854775808"})),
    "doubleValue null (JS NaN)": (200, EMPTY, JSON, attribute({"doubleValue": None})),
    'doubleValue "NaN"': (200, EMPTY, JSON, attribute({"doubleValue": "NaN"})),
    "value {} empty": (200, EMPTY, JSON, attribute({})),
    "value missing": (200, EMPTY, JSON, request(record(attributes=[{"key": "i"}]))),
    "nested kvlist depth 40": (200, EMPTY, JSON, nested(IN_MAP, 40)),
    "nested array depth 2000": (200, EMPTY, JSON, nested(IN_ARRAY, 300)),
    "traceId hex lower": (200, EMPTY, JSON, request(record(traceId="5b8efff798038103d269b633813fc60c"))),
    "traceId HEX UPPER": (200, EMPTY, JSON, request(record(traceId="5B8EFFF798038103D269B633813FC60C"))),
    "traceId base64": (200, EMPTY, JSON, request(record(traceId="W47/95gDgQPSabYzgT/GDA=="))),
    "traceId wrong length": (200, EMPTY, JSON, request(record(traceId="abcd"))),
    "traceId empty string": (200, EMPTY, JSON, request(record(traceId="", spanId=""))),
    "enum as name": (200, WARNED, JSON, request(record(severityNumber="SEVERITY_NUMBER_WARN"))),
    "time as number": (200, EMPTY, JSON, request(record(timeUnixNano=1700000000000000000))),
    "time as float str": (200, EMPTY, JSON, request(record(timeUnixNano="1.7e18"))),
    "time missing": (200, EMPTY, JSON, request({"body": {"stringValue": "x"}})),
    "bytesValue base64": (200, EMPTY, JSON, attribute({"bytesValue": "AP8="})),
    "bytesValue url-safe b64": (200, EMPTY, JSON, attribute({"bytesValue": "AP-_"})),
    "duplicate attr keys": (200, EMPTY, JSON, request(record(attributes=[{"key": "k"}, {"key": "k"}]))),
    "attr 1 MiB": (200, EMPTY, JSON, attribute({"stringValue": "a" * (1 << 20)})),
    "body 5 MiB": (200, EMPTY, JSON, request(record(body={"stringValue": "a" * (5 << 20)}))),
    "gzip bomb 200 MiB": (413, STATUS, JSON, bomb, {"Content_Encoding": "gzip"}),
    "unknown path": (404, STATUS, JSON, PLAIN, {"path": "/v1/nope"}),
    "trailing slash": (200, EMPTY, JSON, PLAIN, {"path": "/v1/logs/"}),
    "traces {}": (200, EMPTY, JSON, b"{}", {"path": "/v1/traces"}),
    "metrics {}": (200, EMPTY, JSON, b"{}", {"path": "/v1/metrics"}),
    "profiles {}": (404, STATUS, JSON, b"{}", {"path": "/v1development/profiles"}),
}


def test_the_list_is_complete():
    """There are as many cases as the probe has."""
    assert len(CASES) == 54


@pytest.mark.parametrize("name", CASES)
def test_the_answer_is_what_otlp_demands(collector, name):
    """Status, media type and body of each case are those of the specification."""
    status, holds, media_type, body, *how = CASES[name]
    answer = collector.post(body() if callable(body) else body, media_type, **(how[0] if how else {}))
    assert answer.status == status
    is_protobuf = media_type == PB
    assert answer.headers["content-type"] == (PB if is_protobuf else JSON)
    assert "access-control-allow-origin" not in answer.headers
    _check_body(answer.body, holds, is_protobuf=is_protobuf)


def _check_body(body, holds, *, is_protobuf):
    if holds == EMPTY:
        assert body == (b"" if is_protobuf else b"{}")
    elif holds == WARNED and is_protobuf:
        partial = ExportLogsServiceResponse.FromString(body).partial_success
        assert (partial.rejected_log_records, bool(partial.error_message)) == (0, True)
    elif holds == WARNED:
        partial = json.loads(body)["partialSuccess"]
        assert (partial["rejectedLogRecords"], bool(partial["errorMessage"])) == ("0", True)
    elif is_protobuf:
        assert body[:1] == b"\x08"
    else:
        assert json.loads(body).keys() == {"code", "message"}


def test_a_rejected_record_is_a_partial_success(collector):
    """Records that cannot be read are counted in a 200, so that the client does not send the good ones again."""
    answer = collector.post(request(record(), 5, record()), JSON)
    partial = json.loads(answer.body)["partialSuccess"]
    assert (answer.status, partial["rejectedLogRecords"]) == (200, "1")
    assert partial["errorMessage"]


def test_every_record_of_the_cases_is_in_the_store(collector):
    """What was answered with 200 is stored, whatever was odd about it and however many cases ran before."""
    body = logs("conformance.a", "conformance.b")
    assert [collector.post(body).status for _ in range(2)] == [200, 200]
    kept = collector.query("select count(*) from raw.otlp_records")[0][0]
    accepted = collector.metrics()['recoup_records_accepted_total{signal="logs"}']
    duplicates = collector.metrics()['recoup_records_drained_total{became="duplicate"}']
    assert kept > 0
    assert kept == accepted - duplicates
