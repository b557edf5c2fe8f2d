"""Senders for the OTLP benchmarks: prepared requests over keep-alive connections, from a process of their own.

    python _otlp_load.py PORT RECORDS_A_BODY CONNECTIONS SECONDS [RECORDS_A_SECOND]

Without a rate every connection sends its next request as soon as the last is answered; with one,
requests are due at fixed times and the wait for a free connection counts as latency. Prints JSON.
"""

import asyncio
import json
import sys
import time

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

MARK = b"batch-000000000000"


def body_of(record_count: int) -> bytes:
    """Return a request of records with 15 attributes each; `MARK` in its resource makes copies distinct."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    for key, value in (("service.name", "bench"), ("service.instance.id", MARK.decode())):
        resource.resource.attributes.add(key=key).value.string_value = value
    scope = resource.scope_logs.add()
    scope.scope.name = "bench"
    now = time.time_ns()
    for index in range(record_count):
        record = scope.log_records.add(time_unix_nano=now + index * 1000, observed_time_unix_nano=now + index * 1000)
        record.severity_number = 9
        record.body.string_value = "bench.tool_result"
        _fill(record, index)
    return request.SerializeToString()


def _fill(record, index):
    texts = {
        "event.name": "bench.tool_result",
        "session.id": f"session-{index % 50:04d}",
        "user.id": "u-17",
        "tool_name": "Bash",
        "tool_use_id": f"toolu_{index:012d}",
        "success": "true" if index % 5 else "false",
        "decision_type": "accept",
        "decision_source": "config",
        "error_type": "ShellError",
        "terminal.type": "xterm",
        "app.version": "2.1.332",
        "prompt.id": f"prompt-{index % 200:06d}",
    }
    for key, value in texts.items():
        record.attributes.add(key=key).value.string_value = value
    for key, value in {"event.sequence": index, "duration_ms": 100 + index % 900, "result_bytes": index * 7}.items():
        record.attributes.add(key=key).value.int_value = value


class _Load:
    def __init__(self, port, body, rate_interval):
        head = (
            f"POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-protobuf\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        ).encode()
        self.port, self.template, self.place = port, bytearray(head + body), (head + body).index(MARK)
        self.sent = self.acknowledged = self.refused = 0
        self.latencies, self.interval = [], rate_interval
        self.started = time.perf_counter()

    def next_request(self):
        self.sent += 1
        self.template[self.place : self.place + len(MARK)] = b"batch-%012d" % (
            self.sent + int(time.time()) % 10**4 * 10**7
        )
        return bytes(self.template)

    async def run(self, until):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        while time.perf_counter() < until:
            due = self.started + self.sent * self.interval if self.interval else time.perf_counter()
            request = self.next_request()
            if due > time.perf_counter():
                await asyncio.sleep(due - time.perf_counter())
            writer.write(request)
            answer = await reader.readuntil(b"\r\n\r\n")
            self.latencies.append(time.perf_counter() - due)
            length = int(answer.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
            if length:
                await reader.readexactly(length)
            if answer[9:12] == b"200":
                self.acknowledged += 1
            else:
                self.refused += 1
        writer.close()


async def _main(port, size, connections, seconds, rate):
    load = _Load(port, body_of(size), size / rate if rate else 0)
    await asyncio.gather(*(load.run(load.started + seconds) for _ in range(connections)))
    elapsed = time.perf_counter() - load.started
    ordered = sorted(load.latencies)
    quantile = lambda share: round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000, 2)  # noqa: E731
    print(
        json.dumps(
            {
                "records_per_second": round(load.acknowledged * size / elapsed),
                "acknowledged": load.acknowledged * size,
                "refused_requests": load.refused,
                "ms": {"p50": quantile(0.5), "p99": quantile(0.99), "max": quantile(1)},
            }
        )
    )


if __name__ == "__main__":
    port, size, connections, seconds = map(float, sys.argv[1:5])
    rate = float(sys.argv[5]) if len(sys.argv) > 5 else 0
    asyncio.run(_main(int(port), int(size), int(connections), seconds, rate))
