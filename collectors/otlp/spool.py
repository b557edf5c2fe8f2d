"""The spool: bodies of requests on disk before their answer, in append-only, checksummed segments.

A run of the receiver writes into a directory of its own and holds its lock; a thread of its own
writes and syncs what many requests brought at once (group commit), so that durability costs one
`fdatasync` a group. The reader is another process: see `spool_files`.
"""

import contextlib
import fcntl
import os
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from collectors.otlp.spool_files import LOCK, RUN, Frame, encode_frame, segment_path, segments

DEFAULT_MAX_BYTES = 1 << 30
DEFAULT_SEGMENT_BYTES = 64 << 20
_MAX_PENDING_BYTES = 128 << 20
_MAX_BUFFERS = 512
_sync = getattr(os, "fdatasync", os.fsync)


class FullError(Exception):
    """The spool, or the disk under it, takes no more for now."""


Done = Callable[[Exception | None], None]
"""Called once a frame is on disk, or with the reason why it is not; in the spool's thread."""


class _Waiting(NamedTuple):
    buffers: tuple[bytes, bytes]
    done: Done


class Spool:
    """One run's spool; safe to append to from several threads.

    Args:
        root: Holds one directory a run; created where missing, for its owner only.
        max_bytes: Upper bound of what lies on disk.
        segment_bytes: Size at which a new segment is begun.
    """

    def __init__(
        self, root: Path, *, max_bytes: int = DEFAULT_MAX_BYTES, segment_bytes: int = DEFAULT_SEGMENT_BYTES
    ) -> None:
        self.directory, self._lock_file = _new_directory(root)
        self.max_bytes = max_bytes
        self._segment_bytes = max(1, min(segment_bytes, max_bytes // 8))
        self._number = 0
        self._file = -1
        self._size = 0
        self._on_disk = 0
        self._pending: list[_Waiting] = []
        self._pending_bytes = 0
        self._is_closing = False
        self._has_work = threading.Condition()
        self._begin_segment()
        self._thread = threading.Thread(target=self._run, name="spool", daemon=True)
        self._thread.start()

    def append(self, frame: Frame, done: Done) -> None:
        """Take a frame; `done` is called when it is on disk.

        Raises:
            FullError: there is no room, or the spool is closing.
        """
        buffers = encode_frame(frame)
        size = sum(map(len, buffers))
        with self._has_work:
            if self._is_closing:
                raise FullError("the collector is stopping")
            if self._pending_bytes + size > _MAX_PENDING_BYTES and self._pending:
                raise FullError("the disk is slower than the senders")
            if not self._has_room(size):
                raise FullError("the spool is full")
            self._pending.append(_Waiting(buffers, done))
            self._pending_bytes += size
            self._has_work.notify()

    @property
    def bytes_on_disk(self) -> int:
        """Bytes of all segments, drained ones included until they are deleted."""
        return _bytes_in(self.directory)

    def close(self) -> None:
        """Write what was taken, end the thread and let go of the lock; a second call does nothing."""
        with self._has_work:
            self._is_closing = True
            self._has_work.notify()
        self._thread.join()
        if self._file >= 0:
            os.close(self._file)
            os.close(self._lock_file)
            self._file = -1

    def _has_room(self, size: int) -> bool:
        if self._on_disk + self._pending_bytes + size <= self.max_bytes:
            return True
        # what the reader deleted meanwhile is only counted here, where it matters
        self._on_disk = _bytes_in(self.directory)
        return self._on_disk + self._pending_bytes + size <= self.max_bytes

    def _run(self) -> None:
        while True:
            with self._has_work:
                while not self._pending and not self._is_closing:
                    self._has_work.wait(0.5 if self._is_nearly_full() else None)
                    self._end_full_segment()
                group, size = self._pending, self._pending_bytes
                self._pending = []
            if not group:
                return
            fault = self._written(group)
            with self._has_work:
                self._pending_bytes -= size
                if fault is None:
                    self._size += size
                    self._on_disk += size
            for waiting in group:
                waiting.done(fault)

    def _is_nearly_full(self) -> bool:
        return self._on_disk > self.max_bytes - 2 * self._segment_bytes

    def _end_full_segment(self) -> None:
        """Begin a segment although the last has room: only an ended one is ever deleted."""
        if self._size and not self._pending and self._is_nearly_full():
            with contextlib.suppress(OSError):  # tried again in half a second
                self._begin_segment()

    def _written(self, group: Sequence[_Waiting]) -> Exception | None:
        try:
            if self._size >= self._segment_bytes:
                self._begin_segment()
            _write(self._file, [buffer for waiting in group for buffer in waiting.buffers])
            _sync(self._file)
        except OSError as fault:
            # the reader may have seen what the failed write left, so this segment takes no more; what a sender
            # was not told is kept, it sends again, and the copy is recognised
            self._size = self._segment_bytes
            return FullError(f"the disk takes no more: {fault.strerror}")
        return None

    def _begin_segment(self) -> None:
        path = segment_path(self.directory, self._number + 1)
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        _sync_directory(self.directory)
        if self._file >= 0:
            os.close(self._file)
        self._file, self._number, self._size = file, self._number + 1, 0


def _write(file: int, buffers: list[bytes]) -> None:
    for start in range(0, len(buffers), _MAX_BUFFERS):
        part = buffers[start : start + _MAX_BUFFERS]
        left = sum(map(len, part))
        written = os.writev(file, part)
        if written < left:
            rest = memoryview(b"".join(part))[written:]
            while rest:
                rest = rest[os.write(file, rest) :]


def _bytes_in(directory: Path) -> int:
    total = 0
    for path in segments(directory):
        try:
            total += path.stat().st_size
        except FileNotFoundError:
            continue  # drained and deleted between the two calls
    return total


def _new_directory(root: Path) -> tuple[Path, int]:
    """Return a directory of our own and its lock; it gets its name once it is locked, so that nobody adopts it."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{time.time_ns():x}-{os.getpid():x}-{secrets.token_hex(2)}"
    unnamed, directory = root / f"new-{name}", root / f"{RUN}{name}"
    unnamed.mkdir(mode=0o700)
    lock = os.open(unnamed / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    unnamed.rename(directory)
    _sync_directory(root)
    return directory, lock


def _sync_directory(directory: Path) -> None:
    file = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)
