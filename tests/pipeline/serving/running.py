"""Collectors in processes of their own, and what is in their stores."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import grpc
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

ROOT = Path(__file__).parents[3]
_PROGRAM = """
import json, sys
from pathlib import Path
from pipeline.serve import Tls, serve
options = json.loads(sys.argv[2])
if "tls" in options:
    options["tls"] = Tls(certificate=Path(options["tls"][0]), key=Path(options["tls"][1]))
def ready(where):
    print(json.dumps([where.http, where.grpc]), flush=True)
serve(Path(sys.argv[1]), on_ready=ready, **options)
"""
LOGS = "/opentelemetry.proto.collector.logs.v1.LogsService/Export"
PB, JSON = "application/x-protobuf", "application/json"


@dataclass
class Answer:
    """What a collector answered."""

    status: int
    body: bytes
    headers: dict = field(default_factory=dict)


class Collector:
    """A collector in a process of its own."""

    def __init__(self, store: Path, **options):
        self.store = store
        options = {"http_port": 0, "grpc_port": 0} | options
        with (store.parent / "stderr").open("a") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(store), json.dumps(options)],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=store.parent,
                env=os.environ | {"PYTHONPATH": str(ROOT)},
            )
        line = self.process.stdout.readline()
        if not line:
            raise AssertionError((store.parent / "stderr").read_text())
        self.url, self.grpc = json.loads(line)
        self.port = int(self.url.rpartition(":")[2])

    def post(self, body, media_type=PB, path="/v1/logs", method="POST", chunked=False, **headers) -> Answer:
        """Send a request and return the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if media_type is not None:
            named["Content-Type"] = media_type
        if chunked:
            parts = iter([body[:10], body[10:]])
            connection.request(method, path, body=parts, headers=named, encode_chunked=True)
        else:
            connection.request(method, path, body=body, headers=named)
        answer = connection.getresponse()
        found = Answer(answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()})
        connection.close()
        return found

    def metrics(self) -> dict[str, float]:
        """Return the figures of /metrics, by name and labels."""
        text = self.post(None, None, "/metrics", "GET").body.decode()
        pairs = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}

    def stop(self, number=signal.SIGTERM) -> int:
        """Stop the collector and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.process.stdout.close()
        return self.process.wait(60)

    def kill(self) -> None:
        """End the receiver at once, as a crash would; its writer drains on."""
        self.process.kill()
        self.process.wait(60)
        self.process.stdout.close()

    def query(self, sql: str) -> list[tuple]:
        """Return the rows of a query once everything that was acknowledged is stored."""
        self.drained()
        return rows(self.store, sql)

    def drained(self) -> None:
        """Wait until the store holds everything."""
        deadline = time.monotonic() + 60
        while self.metrics().get("recoup_spool_bytes"):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def rows(store: Path, sql: str) -> list[tuple]:
    """Return the rows of a query, waiting for a writer that holds the store."""
    deadline = time.monotonic() + 30
    while True:
        try:
            with duckdb.connect(str(store), read_only=True) as connection:
                return connection.execute(sql).fetchall()
        except duckdb.IOException:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def logs(*names: str, **attributes: str) -> bytes:
    """Return a request of one record a name."""
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for number, name in enumerate(names):
        record = scope.log_records.add(event_name=name, time_unix_nano=time.time_ns() + number)
        for key, value in attributes.items():
            record.attributes.add(key=key).value.string_value = value
    return request.SerializeToString()


def export(collector: Collector, body: bytes, metadata=(), channel=None, method=LOGS):
    """Send a request by gRPC; return the answer, or the error."""
    with channel or grpc.insecure_channel(collector.grpc) as opened:
        try:
            return opened.unary_unary(method)(body, metadata=metadata, timeout=20)
        except grpc.RpcError as fault:
            return fault


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
