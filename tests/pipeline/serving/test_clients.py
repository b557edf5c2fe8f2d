"""What the events and spans of real clients become; the case B20, and files posted as against files imported."""

from pathlib import Path

import duckdb
import pytest

from collectors.events import Event
from collectors.formats import otlp, otlp_document
from collectors.otlp.files import is_protobuf, signal_of
from pipeline import models
from pipeline.parameters import Parameters
from pipeline.store import open_store
from tests.pipeline.serving.running import JSON, PB

TESTS = Path(__file__).parents[2]
CASE = TESTS / "cases" / "B20.jsonl"
REAL = TESTS.parents[1] / "shared" / "data" / "otel"
"""Real telemetry, which lies beside the repository where there is any."""
REQUESTS = sorted(
    [*REAL.glob("**/otlp_*.json"), *REAL.glob("**/*.pb"), *REAL.glob("**/*.jsonl"), *REAL.glob("*/log.json")]
)


def test_b20_string_booleans_redelivered_batches_missing_ids(start):
    """Redelivered records count once, 'false' is false, a rejection is no failure, a call without an id is alone."""
    collector = start()
    for line in CASE.read_bytes().splitlines():
        assert collector.post(line, JSON).status == 200
    assert collector.stop() == 0
    with open_store(collector.store, write=True) as connection:
        models.rebuild(connection, Parameters())
    with duckdb.connect(str(collector.store), read_only=True) as connection:
        attempts = connection.execute(
            "select session_id, status, exit_code, error_code, list_contains(flags, 'signal_conflict') "
            "from core.attempts order by started_at"
        ).fetchall()
        assert attempts == [
            ("s-b20", "error", None, None, False),
            ("s-b20", "ok", None, None, False),
            ("s-b20", "refused", None, None, False),
            ("c-b20", "error", 12, "UNAVAILABLE", True),
            ("c-b20", "harness_fault", None, None, False),
        ]
        reissues = connection.execute("select kind, delay_ms, is_success from core.reissues").fetchall()
        assert [(3610, True)] == [(delay, is_success) for _, delay, is_success in reissues]
        episodes = connection.execute("select session_id, outcome from core.episodes order by session_id").fetchall()
        assert ("s-b20", "recovered_unchanged") in episodes
        turns = connection.execute(
            "select turn_kind, reason from raw.events where event_name = 'recoup.turn'"
        ).fetchall()
        assert turns == [("api_error", "529")]


@pytest.mark.skipif(not REQUESTS, reason="there is no real telemetry beside the repository")
def test_posted_files_give_the_rows_of_imported_ones(start):
    """Every real request, posted, gives the events that reading its file gives, apart from the place."""
    collector = start()
    expected = []
    for path in REQUESTS:
        content = path.read_bytes()
        reader = otlp if otlp.looks_like(content[:65536], str(path)) else otlp_document
        lines = content.splitlines(keepends=True) if reader is otlp else [content]
        expected += [record for record in reader.read(lines, str(path)) if isinstance(record, Event)]
        for body in lines:
            _post(collector, path, body)
    stored = _rows(collector)
    assert len(expected) > 100
    assert stored == {_values(event) for event in expected}
    lost = collector.metrics()
    assert not [name for name in lost if name.startswith("recoup_records_rejected_total")]


def _post(collector, path, body):
    if is_protobuf(body):
        signal = next((name for name in ("traces", "metrics") if name in path.name), "logs")
        assert collector.post(body, PB, f"/v1/{signal}").status == 200
    else:
        assert collector.post(body, JSON, f"/v1/{signal_of(body)}").status == 200


_NAMES = [name for name in Event.__struct_fields__ if name not in ("path", "position")]


def _values(event):
    return tuple(getattr(event, name) for name in _NAMES)


def _rows(collector):
    found = collector.query(f"select {', '.join(_NAMES)} from raw.events")
    return {tuple(tuple(held) if isinstance(held, list) else held for held in row) for row in found}
