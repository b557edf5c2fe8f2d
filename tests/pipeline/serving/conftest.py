"""Collectors for the tests of this folder."""

from pathlib import Path

import pytest

from tests.pipeline.serving.running import Collector


@pytest.fixture
def start(tmp_path):
    """Return a function that starts a collector; all are ended with the test."""
    started = []

    def begin(store: Path | None = None, **options) -> Collector:
        started.append(Collector(store or tmp_path / "store.duckdb", **options))
        return started[-1]

    yield begin
    for collector in started:
        collector.stop()


@pytest.fixture(scope="module")
def collector(tmp_path_factory):
    """Return a collector that the tests of a module share."""
    shared = Collector(tmp_path_factory.mktemp("shared") / "store.duckdb")
    yield shared
    assert shared.stop() == 0
