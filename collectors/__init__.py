"""Readers: what one record of a log says, as events."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from collectors.events import Record

if TYPE_CHECKING:
    from collectors.table import FORMATS

__all__ = ["FORMATS", "HEAD_BYTES", "Format", "read", "sniff"]

HEAD_BYTES = 65_536
"""How much of a file's beginning `sniff` is given."""


class Format(Protocol):
    """One kind of log; a module of `collectors.formats` is its implementation.

    `read` is a generator without input or output of its own and without state between files. It never
    raises for what a record holds: what cannot be read is a `Reject`, and the well-formed records
    that hold no call are counted in one `Skipped` a kind at the end.
    """

    NAME: str
    """The value of the `format` column, and of `--format`."""
    TITLE: str
    WHERE: tuple[str, ...]
    """Patterns of the places where such files lie; empty where there is no usual place."""
    UNIT: str
    """`line`: `lines` yields lines with their ends; `document`: it yields the whole content once."""
    RESUMABLE: bool
    """Whether a file that grew can be read on from its last whole line; else it is read again."""
    CANNOT_TELL: tuple[str, ...]
    """What these records do not say, for whoever wonders about a null."""

    def looks_like(self, head: bytes, path: str) -> bool:
        """Return whether a file begins as this format does; the head may end in the middle of a line."""

    def read(self, lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
        """Yield what the records say, in their order; a last line without an end may be unfinished."""


def __getattr__(name: str) -> object:
    """Load the table of formats when it is asked for: readers and their patterns take a tenth of a second."""
    if name != "FORMATS":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from collectors import table

    return table.FORMATS


def sniff(head: bytes, path: str) -> Format | None:
    """Return the format of a file from its first 64 KiB; None where it is none of ours."""
    from collectors.table import FORMATS

    return next((found for found in FORMATS if found.looks_like(head, path)), None)


def read(name: str, lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the records of a file in the format of that name.

    Raises:
        KeyError: there is no such format.
    """
    from collectors.table import FORMATS

    return {found.NAME: found for found in FORMATS}[name].read(lines, path, first_line)
