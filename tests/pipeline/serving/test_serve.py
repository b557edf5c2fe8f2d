"""The collector as a whole: access, durability, exactly once, full and locked, start and stop."""

import gzip
import json
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

import duckdb
import grpc
import pytest

from pipeline.errors import RecoupError
from pipeline.serve import Tls, serve
from tests.pipeline.serving.running import PB, Collector, export, free_port, logs, rows

TOKEN = "correct-horse-battery"
"""Made up."""
SCRIPTS = Path(__file__).parents[2] / "benchmarks"


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_loses_nothing(start, sign):
    """On either signal the collector finishes what is under way, stores everything, tidies up and exits 0."""
    collector = start()
    statuses = []

    def send(number):
        statuses.append(collector.post(logs(*[f"{number}-{each}" for each in range(200)])).status)

    senders = [threading.Thread(target=send, args=(number,)) for number in range(20)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    assert collector.stop(sign) == 0
    assert statuses == [200] * 20
    assert rows(collector.store, "select count(*), count(distinct name) from raw.otlp_records") == [(4000, 4000)]
    assert list(collector.store.with_name("store.duckdb.spool").iterdir()) == []


def test_the_next_collector_takes_over_what_a_killed_one_left(start, tmp_path):
    """What was acknowledged before SIGKILL and is not stored yet is stored by the next collector, once."""
    collector = start()
    with duckdb.connect(str(collector.store)):
        assert collector.post(logs("a", "b")).status == 200
        collector.kill()
        time.sleep(0.5)
    following = start()
    assert following.post(logs("c")).status == 200
    deadline = time.monotonic() + 60
    while len(found := following.query("select name from raw.otlp_records order by name")) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert found == [("a",), ("b",), ("c",)]
    assert following.stop() == 0
    assert list((tmp_path / "store.duckdb.spool").iterdir()) == []


def test_two_collectors_feed_one_store(start, tmp_path):
    """Collectors that share a store and a spool folder leave each other's spool alone and store everything."""
    both = [start(tmp_path / "store.duckdb"), start(tmp_path / "store.duckdb")]
    for number in range(20):
        assert both[number % 2].post(logs(f"n{number}")).status == 200
    assert [collector.stop() for collector in both] == [0, 0]
    assert rows(tmp_path / "store.duckdb", "select count(*), count(distinct name) from raw.otlp_records") == [(20, 20)]


@pytest.mark.slow
def test_a_full_spool_says_wait_and_recovers(start):
    """While the store is held the spool fills up to its limit, then senders are told to wait, 503; then all goes on."""
    collector = start(max_spool_bytes=400_000)
    big = "x" * 20_000
    sent = 0
    with duckdb.connect(str(collector.store)):
        while (answer := collector.post(logs(f"n{sent}", big=big))).status == 200:
            sent += 1
            assert sent < 100
        assert (answer.status, answer.headers["content-type"]) == (503, PB)
        assert 1 <= int(answer.headers["retry-after"]) <= 5
        refused = export(collector, logs("refused", big=big))
        assert refused.code() == grpc.StatusCode.UNAVAILABLE
        assert "grpc-status-details-bin" in [key for key, _ in refused.trailing_metadata()]
        assert collector.post(None, None, "/healthz", "GET").status == 200
        # the writer waits ten seconds for the store and then says so
        _until(lambda: collector.metrics().get('recoup_drain_failures_total{code="STORE_LOCKED"}'))
    assert 10 < sent < 25
    _until(lambda: collector.post(logs("last", big=big)).status == 200)
    assert collector.query("select count(*), count(distinct name) from raw.otlp_records") == [(sent + 1, sent + 1)]


def _until(is_so, seconds=60):
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.2)


@pytest.mark.slow
def test_killed_at_random_moments_nothing_is_lost_or_doubled():
    """Eight SIGKILLs of receiver and writer while four clients send: each record is stored exactly once."""
    script = subprocess.run(
        [sys.executable, str(SCRIPTS / "otlp_kills.py"), "8", "4000", "7"], capture_output=True, text=True, check=False
    )
    found = json.loads(script.stdout)
    assert found["kills_while_sending"] > 0
    assert (4000, 4000, 4000) == (found["acknowledged"], found["stored"], found["distinct"])
    assert (found["last_exit_code"], found["left_in_spool"]) == (0, 0)


@pytest.mark.parametrize(
    ("authorization", "status"),
    [
        (f"Bearer {TOKEN}", 200),
        (f"bearer {TOKEN}", 200),
        (f"Bearer {TOKEN}x", 401),
        (f"Basic {TOKEN}", 401),
        (None, 401),
    ],
)
def test_a_token_is_asked_for(guarded, authorization, status):
    """With a token nobody gets in without it, by either protocol; health may be asked by everyone."""
    headers = {"Authorization": authorization} if authorization else {}
    assert guarded.post(logs("a"), **headers).status == status
    assert guarded.post(None, None, "/metrics", "GET", **headers).status == status
    assert guarded.post(None, None, "/healthz", "GET").status == 200
    answer = export(guarded, logs("a"), [("authorization", authorization)] if authorization else ())
    assert answer == b"" if status == 200 else answer.code() == grpc.StatusCode.UNAUTHENTICATED


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    """Return a collector with a token."""
    collector = Collector(tmp_path_factory.mktemp("guarded") / "store.duckdb", token=TOKEN)
    yield collector
    collector.stop()


def test_tls_serves_both_protocols(start, tmp_path):
    """With a certificate both ports speak TLS."""
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    made = [
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-keyout",
        key,
        "-out",
        certificate,
    ]
    subprocess.run([*made, *subject], check=True, capture_output=True)
    collector = start(tls=[str(certificate), str(key)])
    trusted = ssl.create_default_context(cafile=str(certificate))
    sent = urllib.request.Request(collector.url + "/v1/logs", logs("by-http"), {"Content-Type": PB})
    with urllib.request.urlopen(sent, context=trusted) as answer:
        assert answer.status == 200
    credentials = grpc.ssl_channel_credentials(certificate.read_bytes())
    assert export(collector, logs("by-grpc"), channel=grpc.secure_channel(collector.grpc, credentials)) == b""
    assert collector.stop() == 0
    assert rows(collector.store, "select name from raw.otlp_records order by name") == [("by-grpc",), ("by-http",)]


def test_the_limit_holds_before_and_after_decompression(start):
    """A body over the limit is refused by its length, chunk by chunk, and unpacked."""
    collector = start(max_body_bytes=10_000)
    big = logs("a", big="x" * 20_000)
    for how in ({}, {"chunked": True}):
        assert collector.post(big, **how).status == 413
    assert collector.post(gzip.compress(big), Content_Encoding="gzip").status == 413
    assert export(collector, big).code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert collector.post(logs("small")).status == 200


def test_the_figures_are_shown(start):
    """`/metrics` tells what came, what became of it, and what waits; the store keeps the sums."""
    collector = start()
    body = logs("a", "b")
    collector.post(body)
    collector.post(body)
    collector.post(b"\xff\xff\xff")
    collector.drained()
    figures = collector.metrics()
    assert figures['recoup_records_received_total{signal="logs"}'] == 4
    assert figures['recoup_records_accepted_total{signal="logs"}'] == 4
    assert figures['recoup_records_rejected_total{reason="malformed_request"}'] == 1
    assert figures['recoup_records_drained_total{became="kept_raw"}'] == 2
    assert figures['recoup_records_drained_total{became="duplicate"}'] == 2
    assert figures['recoup_requests_total{transport="http",signal="logs",code="200"}'] == 2
    assert figures["recoup_spool_bytes"] == figures["recoup_spool_age_seconds"] == 0
    assert figures["recoup_commits_total"] > 0
    assert dict(collector.query("select * from meta.otlp_counts"))["records"] == 4


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"host": "0.0.0.0"}, "TOKEN_REQUIRED"),
        ({"host": "::"}, "TOKEN_REQUIRED"),
        ({"host": "192.0.2.1", "token": TOKEN}, "ADDRESS_IN_USE"),
        ({"token": "short"}, "TOKEN_UNREADABLE"),
        ({"tls": Tls(certificate=Path("nowhere.pem"), key=Path("nowhere.key"))}, "TOKEN_UNREADABLE"),
        ({"spool": Path("/proc/nowhere")}, "SPOOL_UNWRITABLE"),
    ],
)
def test_a_start_that_would_fail_later_is_refused(tmp_path, options, code):
    """What cannot work, or would let anyone in, is a ladder error at the start."""
    with pytest.raises(RecoupError) as refused:
        serve(tmp_path / "store.duckdb", **{"http_port": 0, "grpc_port": 0} | options)
    assert refused.value.entry.code == code


def test_a_taken_port_is_told(start, tmp_path):
    """A port that another process has is a ladder error that names it, for both protocols."""
    collector = start()
    for options in (
        {"http_port": collector.port},
        {"http_port": 0, "grpc_port": int(collector.grpc.rpartition(":")[2])},
    ):
        with pytest.raises(RecoupError) as refused:
            serve(tmp_path / "other.duckdb", **{"grpc_port": free_port()} | options)
        assert refused.value.entry.code == "ADDRESS_IN_USE"
        assert str(collector.port) in refused.value.message or "grpc_port" in options
