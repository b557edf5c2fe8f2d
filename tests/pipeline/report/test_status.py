"""What a store holds, and what waits for it."""

from pathlib import Path

import pytest

from collectors.otlp.spool import Spool
from pipeline.drain import Drain
from pipeline.report.status import status, to_text
from pipeline.store import open_store, spool_beside
from tests.pipeline.test_drain import append, body_of, drained


@pytest.fixture
def store(tmp_path) -> Path:
    """Return an empty store."""
    path = tmp_path / "recoup.duckdb"
    with open_store(path, write=True):
        pass
    return path


def seen(store: Path) -> dict:
    """Return the status of a store and of the spool beside it."""
    with open_store(store) as connection:
        return status(connection, spool_beside(store))


def told(found: dict) -> str:
    """Return the line on what came by OTLP."""
    text = to_text({**found, "store": "s", "size_bytes": 0, "is_current": True})
    return next(line for line in text.splitlines() if line.startswith("otlp"))


def test_nothing_came_by_otlp(store):
    """A store that no collector ever served tells of nothing received and nothing waiting."""
    assert seen(store)["otlp"] == {"drained": {}, "waiting_bytes": 0, "waiting_ms": None}
    assert told(seen(store)) == "otlp      0 records"


def test_what_was_acknowledged_waits_until_it_is_drained(store):
    """What is in the spool is told with its size and age; once drained it is counted by what became of it."""
    root = spool_beside(store)
    spool = Spool(root, max_bytes=1 << 20)
    bodies = body_of("a"), body_of("b", "c")
    append(spool, *bodies)
    waiting = seen(store)["otlp"]
    assert waiting["drained"] == {}
    assert waiting["waiting_bytes"] > sum(map(len, bodies))
    assert waiting["waiting_ms"] >= 0
    assert "kB wait in the spool, the oldest for" in told(seen(store))

    drained(Drain(store, root, spool.directory))
    counted = {"kept_raw": 3, "records": 3, "requests": 2, "skewed": 3}
    assert seen(store)["otlp"] == {"drained": counted, "waiting_bytes": 0, "waiting_ms": None}
    assert told(seen(store)) == "otlp      3 records (kept_raw 3, skewed 3)"

    append(spool, body_of("d"))
    assert 0 < seen(store)["otlp"]["waiting_bytes"] < waiting["waiting_bytes"]
    spool.close()
