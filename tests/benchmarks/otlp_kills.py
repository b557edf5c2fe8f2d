"""Kills a collector at random moments while a client sends, and counts what the store holds in the end.

    python tests/benchmarks/otlp_kills.py [KILLS] [RECORDS] [SEED]

The client sends each request until it is acknowledged, as real exporters do: what was on its way
when the collector died is sent again. Kills hit the receiver, its writer, or both. Prints JSON; exit
code 1 where a record is missing or was stored twice.
"""

import http.client
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb
from _collector import Collector
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

_RECORDS_A_REQUEST = 50
_SENDERS = 4


def _request(first: int) -> bytes:
    request = ExportLogsServiceRequest()
    scope = request.resource_logs.add().scope_logs.add()
    for number in range(first, first + _RECORDS_A_REQUEST):
        record = scope.log_records.add(event_name=f"n{number}", time_unix_nano=time.time_ns())
        record.attributes.add(key="number").value.int_value = number
    return request.SerializeToString()


def _send(port: int, firsts: list[int], pause: float, acknowledged: list[int]) -> None:
    for first in firsts:
        body = _request(first)
        while not _is_acknowledged(port, body):
            time.sleep(0.05)
        acknowledged.append(first)
        time.sleep(pause)


def _is_acknowledged(port: int, body: bytes) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("POST", "/v1/logs", body, {"Content-Type": "application/x-protobuf"})
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _kill(collector: Collector, chance: random.Random) -> bool:
    """Kill the receiver, its writer or both; return whether the receiver has to be started again."""
    what = chance.choice(["receiver", "both", "writer"])
    if what != "receiver":
        for number in collector.writers():
            os.kill(number, signal.SIGKILL)
    if what != "writer":
        collector.process.kill()
        collector.process.communicate()
    return what != "writer"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run(folder: Path, kills: int, records: int, seed: int) -> dict[str, object]:
    """Return what was sent and what is stored."""
    chance = random.Random(seed)
    port, store = _free_port(), folder / "store.duckdb"
    collector = Collector(store, http_port=port)
    firsts = list(range(0, records, _RECORDS_A_REQUEST))
    acknowledged: list[int] = []
    # the senders are paced so that they are still at work when the last kill comes
    pause = kills * 2.0 * _SENDERS / len(firsts)
    shares = [(port, firsts[number::_SENDERS], pause, acknowledged) for number in range(_SENDERS)]
    senders = [threading.Thread(target=_send, args=share) for share in shares]
    for sender in senders:
        sender.start()
    done = while_sending = 0
    while done < kills:
        time.sleep(chance.uniform(0, 1.2))
        while_sending += any(sender.is_alive() for sender in senders)
        done += 1
        if _kill(collector, chance):
            collector = Collector(store, http_port=port)
    for sender in senders:
        sender.join()
    code = collector.stop()
    with duckdb.connect(str(store), read_only=True) as connection:
        stored, distinct = connection.execute("select count(*), count(distinct name) from raw.otlp_records").fetchone()
    return {
        "kills": done,
        "kills_while_sending": while_sending,
        "sent": records,
        "acknowledged": len(acknowledged) * _RECORDS_A_REQUEST,
        "stored": stored,
        "distinct": distinct,
        "last_exit_code": code,
        "left_in_spool": len(list((folder / "store.duckdb.spool").iterdir())),
    }


def main() -> int:
    """Run once and print the result."""
    kills, records, seed = (int(value) for value in (sys.argv[1:] + ["50", "20000", "1"][len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), kills, records, seed)
    print(json.dumps(found))
    return 0 if found["stored"] == found["distinct"] == found["sent"] == found["acknowledged"] else 1


if __name__ == "__main__":
    sys.exit(main())
