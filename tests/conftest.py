"""Fixtures shared by the whole suite: stores built from files by the real readers and models."""

from pathlib import Path

import duckdb
import pytest

from pipeline import ingest, models
from pipeline.parameters import Parameters
from pipeline.store import open_store

TESTS = Path(__file__).parent


@pytest.fixture
def analyse(tmp_path):
    """Return a function that imports files into a fresh store and returns a connection to its built models."""
    connections = []

    def run(*paths: Path, parameters: Parameters | None = None) -> duckdb.DuckDBPyConnection:
        store = tmp_path / f"store-{len(connections)}.duckdb"
        ingest.import_paths(store, list(paths))
        with open_store(store, write=True) as connection:
            models.rebuild(connection, parameters or Parameters())
        connections.append(duckdb.connect(str(store), read_only=True))
        return connections[-1]

    yield run
    for connection in connections:
        connection.close()


@pytest.fixture
def case(analyse):
    """Return a function that analyses an input of `tests/cases` by its name."""
    return lambda name: analyse(TESTS / "cases" / name)
