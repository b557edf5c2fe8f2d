"""Where records come from: standard input, and the files at and below a path."""

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pipeline.errors import RecoupError

STDIN = "-"
_PRUNED = frozenset({".git", ".hg", ".svn", ".venv", "node_modules", "__pycache__"})
_NO_LOGS = (".md", ".meta.json")


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read."""

    path: Path | None
    """Resolved; None for standard input."""
    is_named: bool
    """Named by the caller, so that failing to read it is an error; else found in a folder."""
    size_bytes: int = 0
    modified_ns: int = 0

    @property
    def is_stream(self) -> bool:
        """Whether it can be read only once, from its start: standard input, a pipe, a device."""
        return self.path is None or not self.path.is_file()

    @property
    def can_be_log(self) -> bool:
        """Whether the name allows that a file found in a folder is a log."""
        return self.is_named or not (self.name.startswith(".") or self.name.endswith(_NO_LOGS))

    @property
    def name(self) -> str:
        """The file's name; `-` for standard input."""
        return STDIN if self.path is None else self.path.name

    @property
    def label(self) -> str:
        """The whole path; `-` for standard input."""
        return STDIN if self.path is None else str(self.path)


def find(paths: Iterable[str | Path]) -> list[Source]:
    """Return what lies at and below the paths, folders in order of names, each file once however it is reached.

    Raises:
        RecoupError: PATH_NOT_FOUND for a path that does not exist.
    """
    found: dict[Path | None, Source] = {}
    folders: set[Path] = set()
    for path in paths:
        if str(path) == STDIN:
            found.setdefault(None, Source(None, is_named=True))
        elif (place := Path(path).expanduser()).is_dir():
            for inner in _below(place.resolve(), folders):
                found.setdefault(inner.path, inner)
        else:
            source = source_at(place, is_named=True)
            if source is None:
                raise RecoupError("PATH_NOT_FOUND", f"there is no file or folder {path}", context={"path": str(path)})
            found[source.path] = source
    return list(found.values())


def _below(folder: Path, seen: set[Path]) -> Iterator[Source]:
    """Yield the regular files below a resolved folder; a folder that was `seen`, also through a link, only once."""
    if folder in seen:
        return
    seen.add(folder)
    for path in sorted(folder.iterdir()) if os.access(folder, os.R_OK | os.X_OK) else ():
        if path.is_dir():
            if path.name not in _PRUNED:
                yield from _below(path.resolve(), seen)
        elif source := source_at(path, is_named=False):
            yield source


def source_at(path: Path, *, is_named: bool) -> Source | None:
    """Return the source at a path; None where there is none, or no regular file and it was not named."""
    try:
        status = path.stat()
        resolved = path.resolve()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as fault:
        if not is_named:
            return Source(path, is_named)
        raise unreadable(path, fault) from fault
    if stat.S_ISREG(status.st_mode):
        return Source(resolved, is_named, status.st_size, status.st_mtime_ns)
    return Source(path, is_named) if is_named else None


def unreadable(path: Path, fault: Exception) -> RecoupError:
    """Return the error for a named file that cannot be read."""
    return RecoupError("INPUT_UNREADABLE", f"cannot read {path}: {said(fault)}", context={"path": str(path)})


def said(fault: Exception) -> str:
    """Return what the fault says, without the path that an OSError repeats."""
    return getattr(fault, "strerror", None) or str(fault) or type(fault).__name__
