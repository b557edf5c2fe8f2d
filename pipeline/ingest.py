"""Import: finds what was not read yet, lets the formats read it, and stores what they say."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from collectors import Format
from collectors.rules import DEFAULT, Rules, in_force
from pipeline.errors import RecoupError
from pipeline.raw import FileState, file_states
from pipeline.reading import Reading
from pipeline.shipment import BATCH_EVENTS, Shipment
from pipeline.sources import Source, find, said
from pipeline.store import open_store
from pipeline.streams import UNREADABLE, digest, head_of, is_packed, opened
from pipeline.survey import Job, Unread, look, recognised, refuse, tail_hash

OnProgress = Callable[[int, int], None]
"""Told the bytes read so far, and the bytes there are to read."""
_NAMED_UNREAD = 5


@dataclass(slots=True)
class ImportSummary:
    """What one import did; every count is of this import alone."""

    files_read: int = 0
    unread: Counter[str] = field(default_factory=Counter)
    """Files that were not read, by reason: unchanged, empty, unrecognised, unreadable."""
    first_unread: dict[str, list[str]] = field(default_factory=dict)
    """The first paths of each reason but `unchanged`."""
    files_torn: int = 0
    """Files whose last line is not finished; it is read once it is."""
    records: int = 0
    events: int = 0
    added: int = 0
    """Events that the store did not hold before."""
    repaired: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    """By reason."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Records that hold no call, by kind."""

    @property
    def duplicates(self) -> int:
        """Events that the store held already."""
        return self.events - self.added

    def count_unread(self, unread: Unread) -> None:
        """Count a source that is not read."""
        self.unread[unread.why] += 1
        if unread.why == "unchanged":
            return
        paths = self.first_unread.setdefault(unread.why, [])
        if len(paths) < _NAMED_UNREAD:
            paths.append(f"{unread.source.label} ({unread.detail})" if unread.detail else unread.source.label)

    def count_read(self, reading: Reading) -> None:
        """Count a source that was read."""
        self.files_read += 1
        self.files_torn += reading.is_torn
        self.records += reading.record_count
        self.events += reading.event_count
        self.repaired += reading.repaired_count
        self.rejects += reading.rejects
        self.skipped += reading.skipped


def import_paths(
    store: Path,
    paths: Iterable[str | Path],
    *,
    forced: Format | None = None,
    on_progress: OnProgress | None = None,
    batch_events: int = BATCH_EVENTS,
    rules: Rules = DEFAULT,
) -> ImportSummary:
    """Import files, folders and (`-`) standard input; a file that did not change since the last import is not opened.

    Args:
        store: The store's file, created where it is missing.
        paths: What to read; folders with all they hold.
        forced: The format of all of them; None recognises each by its content.
        on_progress: Told about once a megabyte.
        batch_events: Events that make a batch.
        rules: What the user adds to the tables of attribution; calls that were imported before keep their names.

    Raises:
        RecoupError: PATH_NOT_FOUND, INPUT_UNREADABLE, INPUT_EMPTY, FORMAT_UNKNOWN or CODEC_MISSING for what was named,
            before any file is read; as `open_store`.
    """
    sources = find(paths)
    return import_sources(
        store, sources, forced=forced, on_progress=on_progress, batch_events=batch_events, rules=rules
    )


def import_sources(
    store: Path,
    sources: Sequence[Source],
    *,
    forced: Format | None = None,
    on_progress: OnProgress | None = None,
    batch_events: int = BATCH_EVENTS,
    rules: Rules = DEFAULT,
) -> ImportSummary:
    """Import sources that were found; as `import_paths`."""
    held = _held(store)
    summary = ImportSummary()
    shipment = Shipment(store, held, batch_events=batch_events)
    jobs: list[Job] = []
    for source in sources:
        if source.is_stream:
            continue
        found = look(source, held.get(source.label), forced)
        if isinstance(found, Job):
            jobs.append(found)
        else:
            summary.count_unread(found)
            if found.why == "unrecognised" and source.label not in held:
                shipment.state(_unrecognised(source), is_new=True)
    streams = [source for source in sources if source.is_stream]
    if not (jobs or streams or summary.unread["unchanged"] or summary.unread["empty"]):
        raise RecoupError("INPUT_EMPTY", "no log was found", context={"files": len(sources), **summary.unread})
    on_bytes = _counter(sum(job.source.size_bytes - job.start.read_bytes for job in jobs), on_progress)
    with _no_garbage_collection(), in_force(rules):
        for job in jobs:
            _read_file(job, shipment, summary, on_bytes)
        for source in streams:
            _read_stream(source, held, forced, shipment, summary, on_bytes)
        shipment.commit()
    summary.added = shipment.added
    return summary


def _held(store: Path) -> dict[str, FileState]:
    if not store.exists():
        return {}
    with open_store(store) as connection:
        return file_states(connection)


def _unrecognised(source: Source) -> FileState:
    """Return what the store keeps of a file that no format recognises, so that coverage can tell of it."""
    return FileState(path=source.label, size_bytes=source.size_bytes, modified_ns=source.modified_ns)


def _counter(total: int, on_progress: OnProgress | None) -> Callable[[int], None]:
    done = 0

    def count(more: int) -> None:
        nonlocal done
        done += more
        if on_progress is not None:
            on_progress(done, total)

    return count


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Keep the collector from walking a batch over and over: its events hold no cycles. Commits collect what does."""
    was_enabled = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()
        if was_enabled:
            gc.enable()


def _read_file(job: Job, shipment: Shipment, summary: ImportSummary, on_bytes: Callable[[int], None]) -> None:
    path = job.source.path
    assert path is not None
    is_plain = not is_packed(path)
    # what is read of a packed file is more than its size; it counts when it is done
    reading = Reading(job.format, job.start, shipment, job.is_new, on_bytes if is_plain else _counter(0, None))
    try:
        with opened(job.source) as stream:
            stream.seek(job.start.read_bytes)
            state = reading.run(stream)
    except UNREADABLE as fault:  # it was readable when it was looked at
        found = refuse(job.source, "unreadable", said(fault))
        summary.count_unread(found)
        return
    shipment.state(
        replace(state, tail_hash=tail_hash(path, state.read_bytes)) if is_plain else state, is_new=job.is_new
    )
    summary.count_read(reading)
    if not is_plain:
        on_bytes(job.source.size_bytes)


def _read_stream(
    source: Source,
    held: dict[str, FileState],
    forced: Format | None,
    shipment: Shipment,
    summary: ImportSummary,
    on_bytes: Callable[[int], None],
) -> None:
    """Read a stream under a name made of its first line, so that the same stream shipped twice adds nothing."""
    try:
        with opened(source) as packed:
            head, stream = head_of(packed)
            found = recognised(source, head, forced)
            if isinstance(found, Unread):
                return
            label = "stdin:" + digest(head.partition(b"\n")[0]).removeprefix("b2:")[:12]
            reading = Reading(found, FileState(path=label), shipment, label not in held, on_bytes)
            state = reading.run(stream)
    except UNREADABLE as fault:
        refuse(source, "unreadable", said(fault))
        return
    shipment.state(state, is_new=label not in held)
    summary.count_read(reading)
