"""The writer: drains spools into the store, in batches, each in one transaction with how far it got.

    python -m pipeline.drain STORE ROOT OWN

Run by `serve` as a process of its own, so that decoding never delays an answer. It ends when its
standard input ends, after everything is stored, and writes a line of JSON to standard output for
each commit. A directory whose writer has died is taken over and deleted once it is drained.
"""

import contextlib
import fcntl
import gc
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import msgspec

from collectors.otlp.spool_files import LOCK, RUN, Place
from collectors.otlp.spool_reader import delete_drained, drained_bytes, scan_from, set_aside
from pipeline import otlp_store
from pipeline.drain_batch import DrainBatch
from pipeline.drain_report import Report
from pipeline.errors import RecoupError
from pipeline.store import open_store

BATCH_RECORDS = 16_000
"""Records of one transaction: opening the store and rewriting its last row group are paid once for all."""
BATCH_BYTES = 32 << 20
_PAUSE_SECONDS = 0.2
"""Between batches that are not full: each commit rewrites the last row group of a table."""
_FAILURE_SECONDS = 1.0
_SETTINGS = "set threads = 1; set memory_limit = '96MB'; set preserve_insertion_order = false"
"""The writer shares the machine with what it measures."""
_OF_DATA = (duckdb.DataError, ValueError, TypeError)
"""What storing raises where a record holds what no column can."""
_STOP_SECONDS = 30.0
"""How long a stopping writer tries to store the rest; what it leaves, the next collector takes over."""


class Drain:
    """Drains the spools under one root into one store.

    Args:
        store: The DuckDB file; opened for each commit and closed again.
        root: Holds one directory a run of a receiver.
        own: Directory of the receiver that this writer belongs to; None to drain only what dead ones left.
    """

    def __init__(self, store: Path, root: Path, own: Path | None) -> None:
        self._store = store
        self._root = root
        self._own = own
        self._adopted: dict[Path, int] = {}
        self._places: dict[Path, Place] = {}
        self._is_careful = False
        """Frames are stored one by one, because one of them made a whole batch fail."""

    def step(self) -> Report | None:
        """Store one batch; return None where there was nothing to store.

        Raises:
            RecoupError: as `open_store`; nothing is lost, the step may be made again.
        """
        for directory in self._directories():
            report = self._drain(directory)
            if report is not None:
                return report
            if directory in self._adopted:
                self._remove(directory)
        return None

    def retire(self) -> None:
        """Delete the own directory, which is drained; left alone where its writer lives."""
        if self._own is not None and self._adopt(self._own):
            self._remove(self._own)

    def report(
        self, *, counts: dict[str, int] | None = None, commit_seconds: float = 0.0, failure: str | None = None
    ) -> Report:
        """Return a report that tells how far the own directory is drained."""
        report = Report(counts=counts or {}, commit_seconds=commit_seconds, failure=failure)
        if self._own is not None:
            place = self._places.get(self._own, Place())
            scan = scan_from(self._own, place, is_ended=False)
            report.oldest_ns = next((found.frame.received_at_ns for found in scan), None)
            report.drained_bytes = drained_bytes(self._own, place)
        return report

    def _directories(self) -> Iterator[Path]:
        if self._own is not None:
            yield self._own
        for directory in sorted(self._root.glob(f"{RUN}*")):
            if directory != self._own and (directory in self._adopted or self._adopt(directory)):
                yield directory

    def _drain(self, directory: Path) -> Report | None:
        started = time.monotonic()
        start = self._start(directory)
        batch, end = self._gathered(directory, start)
        if end == start:
            delete_drained(directory, start)
            return None
        try:
            with open_store(self._store, write=True) as connection:
                connection.execute(_SETTINGS)
                otlp_store.prepare(connection)
                found = otlp_store.place_of(connection, directory.name)
                if found == start:
                    counts = batch.store(connection)
                    otlp_store.save_place(connection, directory.name, end)
        except _OF_DATA as fault:
            return self._failed(directory, start, end, fault)
        except duckdb.Error as fault:
            # of the machine or of ours: the batch is good, and is tried again
            return self.report(failure=type(fault).__name__)
        if found != start:
            # another writer was here: that of a collector that was killed
            self._places[directory] = found
            return self.report()
        self._places[directory] = end
        delete_drained(directory, end)
        return self.report(counts=dict(counts), commit_seconds=time.monotonic() - started)

    def _start(self, directory: Path) -> Place:
        if directory not in self._places and directory in self._adopted and self._store.exists():
            with open_store(self._store, write=True) as connection:
                otlp_store.prepare(connection)
                self._places[directory] = otlp_store.place_of(connection, directory.name)
        return self._places.setdefault(directory, Place())

    def _gathered(self, directory: Path, start: Place) -> tuple[DrainBatch, Place]:
        batch, end, size = DrainBatch(), start, 0
        for found in scan_from(directory, start, is_ended=directory in self._adopted):
            batch.add(found.frame)
            batch.counts["damaged_bytes"] += found.skipped_bytes
            end = found.end
            size += len(found.frame.body)
            if self._is_careful or batch.count >= BATCH_RECORDS or size >= BATCH_BYTES:
                break
        return batch, end

    def _failed(self, directory: Path, start: Place, end: Place, fault: Exception) -> Report:
        """Store frame by frame after a batch failed; put a frame aside that fails alone."""
        if not self._is_careful:
            self._is_careful = True
            return self.report(failure="BATCH_FAILED")
        self._is_careful = False
        set_aside(directory, self._root, start, is_ended=directory in self._adopted)
        self._places[directory] = end
        with open_store(self._store, write=True) as connection:
            otlp_store.save_place(connection, directory.name, end)
            otlp_store.add_counts(connection, {"set_aside": 1})
        return self.report(counts={"set_aside": 1}, failure=type(fault).__name__)

    def _adopt(self, directory: Path) -> bool:
        """Take the lock of a directory; its writer is alive where that cannot be had."""
        try:
            file = os.open(directory / LOCK, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return False
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._adopted[directory] = file
        return True

    def _remove(self, directory: Path) -> None:
        shutil.rmtree(directory, ignore_errors=True)
        os.close(self._adopted.pop(directory))
        self._places.pop(directory, None)


def main(argv: list[str]) -> int:
    """Drain until standard input ends and everything is stored; return 1 where that could not be done in time."""
    store, root, own = Path(argv[0]), Path(argv[1]), Path(argv[2])
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)  # the receiver ends first; the end of standard input tells
    gc.set_threshold(100_000, 50, 50)
    with contextlib.suppress(OSError):
        os.nice(5)
    stopping = threading.Event()
    threading.Thread(target=_await_end, args=(stopping,), daemon=True).start()
    return _run(Drain(store, root, own), stopping)


def _await_end(stopping: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    stopping.set()


def _run(drain: Drain, stopping: threading.Event) -> int:
    stopped_at: float | None = None
    while True:
        is_last = stopping.is_set()
        if is_last and stopped_at is None:
            stopped_at = time.monotonic()
        try:
            report = drain.step()
        except RecoupError as fault:
            report = drain.report(failure=fault.entry.code)
        if report is None and is_last:
            drain.retire()
            return 0
        if report is not None:
            _tell(report)
        if report is not None and report.failure and stopped_at and time.monotonic() - stopped_at > _STOP_SECONDS:
            return 1
        is_full = report is not None and not report.failure and report.counts.get("records", 0) >= BATCH_RECORDS
        if not is_full:
            stopping.wait(_FAILURE_SECONDS if report is not None and report.failure else _PAUSE_SECONDS)


def _tell(report: Report) -> None:
    # the receiver may have been killed; what is spooled is drained all the same
    with contextlib.suppress(OSError):
        os.write(sys.stdout.fileno(), msgspec.json.encode(report) + b"\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
