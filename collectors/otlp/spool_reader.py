"""Reading a spool's directory from a place on, across its segments, past what is damaged."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from collectors.otlp.spool_files import Frame, Place, encode_frame, next_frame_offset, number_of, read_frames, segments


class Scanned(NamedTuple):
    """A frame and where to go on behind it."""

    frame: Frame
    end: Place
    skipped_bytes: int = 0
    """Bytes before it that are no whole frame; acknowledged records are among them only if the disk lost them."""


def scan_from(directory: Path, start: Place, *, is_ended: bool) -> Iterator[Scanned]:
    """Yield the whole frames behind a place, in the order in which they were written.

    Args:
        directory: Of one run; yields nothing where it is gone.
        start: Where to begin.
        is_ended: Whether its writer has ended. What is not whole at the end of a live writer's last segment is still
            being written; anywhere else it was never acknowledged, or is damaged.
    """
    paths = [path for path in segments(directory) if number_of(path) >= start.segment]
    for path in paths:
        offset = start.offset if number_of(path) == start.segment else 0
        try:
            yield from _scan_segment(path, offset, is_final=is_ended or path != paths[-1])
        except FileNotFoundError:
            return  # another writer drained it


def _scan_segment(path: Path, offset: int, *, is_final: bool) -> Iterator[Scanned]:
    skipped = 0
    while True:
        for found in read_frames(path, offset):
            yield Scanned(found.frame, found.end, skipped)
            offset, skipped = found.end.offset, 0
        following = next_frame_offset(path, offset) if is_final and path.stat().st_size > offset else None
        if following is None:
            return
        skipped, offset = following - offset, following


def delete_drained(directory: Path, place: Place) -> None:
    """Delete the ended segments before a place."""
    for path in segments(directory)[:-1]:
        if _drained(path, place) == _size(path):
            path.unlink(missing_ok=True)


def drained_bytes(directory: Path, place: Place) -> int:
    """Return how many bytes of a directory lie before a place."""
    return sum(_drained(path, place) for path in segments(directory))


def _drained(path: Path, place: Place) -> int:
    number = number_of(path)
    if number != place.segment:
        return _size(path) if number < place.segment else 0
    return place.offset


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0  # another writer drained it


def set_aside(directory: Path, root: Path, place: Place, *, is_ended: bool) -> Path | None:
    """Copy the frame behind a place, which could not be stored, so that it is not lost; return the copy."""
    for found in scan_from(directory, place, is_ended=is_ended):
        copy = root / f"aside-{directory.name}-{found.end.segment}-{found.end.offset}"
        copy.write_bytes(b"".join(encode_frame(found.frame)))
        return copy
    return None
