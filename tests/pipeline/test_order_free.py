"""Order, repetition and splitting of what is shipped leave no trace in the core tables."""

from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import collectors
from collectors.events import Event
from pipeline import models
from pipeline.parameters import Parameters
from pipeline.raw import append_events
from pipeline.store import open_store

CASES = Path(__file__).parents[1] / "cases"
SOURCES = [
    CASES / "worked" / "sessions.ndjson",
    CASES / "B02.jsonl",
    CASES / "C11.jsonl",
    CASES / "B17" / "session.jsonl",
]
TABLES = [
    "core.attempts", "core.reissues", "core.episodes", "core.legs", "core.closed_loops",
    "marts.error_codes", "marts.misclassified_retryables", "marts.maturity_scores",
]  # fmt: skip


def events() -> list[Event]:
    """Return what the readers say about the sources, under paths that do not depend on this machine."""
    found = []
    for source in SOURCES:
        lines = source.read_bytes().splitlines(keepends=True)
        reader = collectors.sniff(lines[0], source.name)
        found += [record for record in reader.read(iter(lines), source.name) if isinstance(record, Event)]
    return found


EVENTS = events()


def core(folder: Path, shipments: list[list[Event]]) -> dict[str, list[tuple]]:
    """Return the core tables after the shipments, rows in a fixed order."""
    store = folder / "store.duckdb"
    store.unlink(missing_ok=True)
    with open_store(store, write=True) as connection:
        for shipment in shipments:
            append_events(connection, shipment)
        models.rebuild(connection, Parameters())
    with duckdb.connect(str(store), read_only=True) as connection:
        return {name: sorted(map(repr, connection.execute(f"from {name}").fetchall())) for name in TABLES}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """Return the core tables of one shipment in file order."""
    return core(tmp_path_factory.mktemp("once"), [EVENTS])


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_order_repetition_and_split_give_the_same_tables(expected, tmp_path, data):
    """Shipping is idempotent and free of order."""
    shipped = data.draw(st.permutations(EVENTS))
    repeated = data.draw(st.lists(st.sampled_from(EVENTS), max_size=30))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(shipped)), max_size=4)))
    bounds = [0, *cuts, len(shipped)]
    shipments = [shipped[start:end] for start, end in pairwise(bounds)] + [repeated]

    assert expected == core(tmp_path, shipments)


def test_the_sources_hold_what_the_property_is_about(expected):
    """The property would be empty without attempts, reissues and loops."""
    assert all(expected[name] for name in ("core.attempts", "core.reissues", "core.episodes", "core.closed_loops"))
