"""`collector status`: what a store holds."""

from pipeline.cli.main import DEFAULT_STORE, Answer, Config, Json, Store


def status(store: Store = DEFAULT_STORE, config: Config = None, json: Json = False) -> Answer:
    """Show what the store holds: files, events, rejects, what came by OTLP, and whether the models are current."""
    from pipeline import models
    from pipeline.config import load
    from pipeline.report import status as found_in
    from pipeline.store import open_store, spool_beside

    parameters = load(config).parameters
    with open_store(store) as connection:
        found = found_in.status(connection, spool_beside(store)) | {
            "is_current": models.is_current(connection, parameters)
        }
    data = {"store": str(store), "size_bytes": store.stat().st_size, **found}
    return Answer(data, found_in.to_text(data))
