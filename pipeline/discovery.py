"""The usual places of logs on this machine, as each format names them."""

import glob
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from collectors import Format
from pipeline.sources import Source, source_at


@dataclass(frozen=True, slots=True)
class Place:
    """What lies in one usual place."""

    title: str
    pattern: str
    sources: tuple[Source, ...]

    @property
    def size_bytes(self) -> int:
        """Bytes of all its files."""
        return sum(source.size_bytes for source in self.sources)


def usual_places(formats: Iterable[Format]) -> list[Place]:
    """Return the usual places of these formats that hold files, in the formats' order; each file in one place only."""
    seen: set[Path | None] = set()
    places = []
    for reader in formats:
        for pattern in reader.WHERE:
            found = [source for source in _matching(pattern) if source.path not in seen]
            seen |= {source.path for source in found}
            if found:
                places.append(Place(reader.TITLE, pattern, tuple(found)))
    return places


def _matching(pattern: str) -> list[Source]:
    whole = str(Path(pattern).expanduser())
    paths = sorted(glob.glob(whole, recursive=True, include_hidden=True))  # noqa: PTH207 - the pattern is absolute
    return [source for path in paths if (source := source_at(Path(path), is_named=False))]
