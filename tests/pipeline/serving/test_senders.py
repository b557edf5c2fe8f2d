"""Real senders of two languages: every record once, also when the collector dies under them."""

import json
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
from opentelemetry._logs import SeverityNumber
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from collectors.conventions import RESULT
from collectors.events import Event
from collectors.records import to_log_record
from tests.pipeline.serving.running import free_port

NODE = Path(__file__).parents[2] / "node"
RESOURCE = Resource.create({"service.name": "sender"})


def stored(collector, name, columns="count(*), count(distinct attributes)"):
    """Return what is stored of records of a name."""
    return collector.query(f"select {columns} from raw.otlp_records where name = '{name}'")


def emit(exporter, name, count, pause=0.0):
    """Send records through the SDK's batch processor."""
    provider = LoggerProvider(resource=RESOURCE, shutdown_on_exit=False)
    processor = BatchLogRecordProcessor(exporter, max_queue_size=count + 1, max_export_batch_size=50)
    provider.add_log_record_processor(processor)
    logger = provider.get_logger("test")
    for number in range(count):
        logger.emit(
            timestamp=time.time_ns(),
            event_name=name,
            severity_number=SeverityNumber.INFO,
            body={"nested": [1, "x", None]},
            attributes={"number": number, "ratio": 0.5, "words": ["a", "b"], "map": {"k": True}},
        )
        time.sleep(pause)
    assert provider.force_flush()
    provider.shutdown()


@pytest.mark.parametrize("compression", list(Compression))
def test_python_over_http(collector, compression):
    """The protobuf exporter of Python, plain and packed: all records, with their values."""
    name = f"python.http.{compression.value}"
    emit(HttpLogs(collector.url + "/v1/logs", compression=compression), name, 300)
    assert stored(collector, name) == [(300, 300)]
    attributes, body, service = stored(collector, name, "attributes, body, service_name")[0]
    assert json.loads(attributes) | {"number": 0} == {
        "number": 0,
        "ratio": 0.5,
        "words": ["a", "b"],
        "map": {"k": True},
    }
    assert (body, service) == ('{"nested":[1,"x",null]}', "sender")


def test_python_over_grpc(collector):
    """The gRPC exporter of Python."""
    emit(GrpcLogs(collector.grpc, insecure=True), "python.grpc", 300)
    assert stored(collector, "python.grpc") == [(300, 300)]


@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_spans_from_python(collector, protocol):
    """Spans with an exception keep their status and events."""
    http, grpc = collector.url + "/v1/traces", collector.grpc
    exporter = HttpSpans(http) if protocol == "http" else GrpcSpans(grpc, insecure=True)
    provider = TracerProvider(resource=RESOURCE, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    for _ in range(20):
        with pytest.raises(ValueError, match="it failed"), tracer.start_as_current_span(f"span.{protocol}"):
            raise ValueError("it failed")
    provider.shutdown()
    found = stored(collector, f"span.{protocol}", "status_code, status_message, details like '%exception.type%'")
    assert found == [(2, "ValueError: it failed", True)] * 20


def test_metrics_from_python_are_taken_and_counted(collector):
    """Metrics are accepted, so that a client with all three signals is content, and only counted."""
    exporter = OTLPMetricExporter(collector.url + "/v1/metrics")
    provider = MeterProvider([PeriodicExportingMetricReader(exporter, 60_000)], shutdown_on_exit=False)
    provider.get_meter("test").create_counter("calls").add(1)
    provider.shutdown()
    assert collector.metrics()['recoup_records_accepted_total{signal="metrics"}'] >= 1


def test_own_events_through_the_sdk(collector):
    """An event sent through the SDK and its exporter arrives with every slot as it was."""
    event = Event(
        event_name=RESULT, uid="r:sdk", session_id="s", call_id="1", time_unix_nano=9, status="error", exit_code=12,
        retryable=False, flags=("a",), benign_exits=(1,), error_code="UNAVAILABLE", format="x", path="p", position=4,
        trace_id="5b8efff798038103d269b633813fc60c", span_id="eee19b7ec3c1b174",
    )  # fmt: skip
    provider = LoggerProvider(resource=RESOURCE, shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(HttpLogs(collector.url + "/v1/logs")))
    provider.get_logger("recoup").emit(to_log_record(event))
    provider.shutdown()
    names = [name for name in Event.__struct_fields__ if getattr(event, name) is not None]
    (row,) = collector.query(f"select {', '.join(names)} from raw.events where uid = 'r:sdk'")
    assert [tuple(held) if isinstance(held, list) else held for held in row] == [getattr(event, name) for name in names]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.skipif(not (NODE / "node_modules").exists(), reason="run `npm install` in tests/node")
@pytest.mark.parametrize("protocol", ["http/json", "http/protobuf", "grpc"])
def test_node(collector, protocol):
    """The three exporters of Node, which stream chunks without a length and write integers as numbers."""
    endpoint = f"http://{collector.grpc}" if protocol == "grpc" else collector.url + "/v1/logs"
    subprocess.run(["node", "send.mjs", protocol, endpoint, "500"], cwd=NODE, check=True, timeout=60)
    name = f"node.{protocol}"
    assert stored(collector, name) == [(500, 500)]
    assert stored(collector, name, "count(distinct body)") == [(500,)]


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_python_sends_on_when_the_collector_is_killed(start, tmp_path, protocol):
    """A real exporter sends again what was not acknowledged; killed twice under it, the store has each record once."""
    ports = {"http_port": free_port(), "grpc_port": free_port()}
    collector = start(**ports)
    http, grpc = collector.url + "/v1/logs", collector.grpc
    exporter = HttpLogs(http, timeout=60) if protocol == "http" else GrpcLogs(grpc, insecure=True, timeout=60)
    sender = threading.Thread(target=emit, args=(exporter, "survivor", 1500, 0.002))
    sender.start()
    for _ in range(2):
        time.sleep(0.8)
        collector.kill()
        collector = start(**ports)
    sender.join()
    assert collector.stop() == 0
    following = start(**ports)
    assert stored(following, "survivor") == [(1500, 1500)]
