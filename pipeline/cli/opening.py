"""Opening a store for an answer: its models are built first where they are stale."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb


@contextmanager
def built_store(store: Path, parameters: Parameters) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Open a store for reading, with models built from all it holds; a store that is current is never written.

    Raises:
        RecoupError: as `open_store`.
    """
    from pipeline import models
    from pipeline.store import open_store

    with open_store(store) as connection:
        if models.is_current(connection, parameters):
            yield connection
            return
    with open_store(store, write=True) as connection:
        models.build(connection, parameters)
    with open_store(store) as connection:
        yield connection
