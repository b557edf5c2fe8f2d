"""A shipment: what was read and is not stored yet, and its way into the store in bounded batches."""

import gc
import time
from pathlib import Path

from collectors.events import Event, Reject
from pipeline import raw
from pipeline.raw import FileState
from pipeline.store import open_store

BATCH_EVENTS = 20_000
BATCH_TEXT = 8 * 1024 * 1024
"""Characters of text in the events of a batch."""
_SECONDS_BETWEEN = 1.0
"""Each commit rewrites the last row group of the table, so a fast reader fills two batches before it commits again."""


class Shipment:
    """Collects events, rejects and file states, and commits them together: a state never runs ahead of its events.

    Args:
        store: The store's file; opened for each commit and closed again, so that readers get their turn.
        held: What the store knew of the files before.
        batch_events: Events that make a batch; at most twice as many are held.
    """

    def __init__(self, store: Path, held: dict[str, FileState], *, batch_events: int = BATCH_EVENTS) -> None:
        self._store = store
        self._held = dict(held)
        self._batch_events = batch_events
        self._events: list[Event] = []
        self._rejects: list[Reject] = []
        self._states: dict[str, FileState] = {}
        self._text = 0
        self._is_new = True
        self._committed_at = time.monotonic()
        self.added = 0

    def add(self, event: Event) -> None:
        """Take an event."""
        self._events.append(event)
        if event.output:
            self._text += len(event.output)
        if event.arguments:
            self._text += len(event.arguments)

    def reject(self, reject: Reject) -> None:
        """Take a reject."""
        self._rejects.append(reject)

    def state(self, state: FileState, *, is_new: bool) -> None:
        """Take how far a file was read; `is_new` where none of its events was shipped before."""
        self._states[state.path] = state
        self._is_new = self._is_new and is_new

    @property
    def is_due(self) -> bool:
        """Whether a commit should come now."""
        if len(self._events) < self._batch_events and self._text < BATCH_TEXT:
            return False
        is_full = len(self._events) >= 2 * self._batch_events or self._text >= 2 * BATCH_TEXT
        return is_full or time.monotonic() - self._committed_at >= _SECONDS_BETWEEN

    def commit(self) -> None:
        """Store what was collected in one transaction, and start again empty.

        Raises:
            RecoupError: as `open_store`.
        """
        if not (self._events or self._rejects or self._states):
            return
        with open_store(self._store, write=True) as connection:
            found = raw.file_states(connection, self._states)
            # another import may have read the same files since this one looked
            is_new = self._is_new and all(self._held.get(path) == found.get(path) for path in self._states)
            added = raw.append_events(connection, self._events, is_new=is_new)
            raw.append_rejects(connection, self._rejects)
            raw.save_file_states(connection, list(self._states.values()))
        self.added += added
        self._held |= self._states
        self._events, self._rejects, self._states = [], [], {}
        self._text, self._is_new, self._committed_at = 0, True, time.monotonic()
        gc.collect()
