"""Reading one source: its lines to a format's reader, the records to the shipment, and the count of both."""

import io
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath

from collectors import Format
from collectors.events import Event, Record, Reject, Skipped
from pipeline.errors import RecoupError
from pipeline.raw import FileState
from pipeline.shipment import Shipment
from pipeline.sources import said
from pipeline.streams import MAX_DOCUMENT_BYTES, MAX_LINE_BYTES, UNREADABLE, is_whole

REPAIRED = "text_repaired"
"""Flag that readers set on events of a record whose text was damaged."""
_NEWLINE = b"\n"[0]
_PROGRESS_BYTES = 1024 * 1024
_UNSAID_BYTES = 16 * 1024 * 1024


@dataclass(slots=True)
class Reading:
    """One pass over a source.

    Readers keep nothing between lines that they cannot do without, so a defect in one costs the line it failed on:
    that line is a reject, and a fresh reader goes on behind it.
    """

    format: Format
    start: FileState
    """What is known of the source, and where to begin; counts go on from there."""
    shipment: Shipment
    is_new: bool
    """Whether none of the events that this pass can find was shipped before."""
    on_bytes: Callable[[int], None]
    """Told how many bytes were read since it was last told."""
    read_bytes: int = 0
    read_lines: int = 0
    record_count: int = 0
    """Lines that are not blank, or what a document holds."""
    event_count: int = 0
    repaired_count: int = 0
    rejects: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    is_torn: bool = False
    is_broken: bool = False
    """The source could not be read to its end."""
    _unsaid: list[bytes] = field(default_factory=list)
    """Lines handed over since the reader last said something."""
    _untold: int = 0
    _position: int | None = None

    def run(self, stream: io.BufferedIOBase) -> FileState:
        """Read the stream to its end and return the state to remember.

        Raises:
            RecoupError: as `open_store`, from commits on the way.
        """
        lines = self._parts(stream)
        first: int | None = self.start.read_lines + 1
        while first is not None:
            fault = self._read(lines, first)
            first = None if fault is None else self._read_singly(fault)
        self.on_bytes(self._untold)
        return self._state(is_complete=not self.is_broken)

    def _read(self, lines: Iterable[bytes], first: int) -> Exception | None:
        """Take what the reader finds from line `first` on; return the defect that stopped it."""
        try:
            for record in self.format.read(lines, self.start.path, first):
                self._take(record)
        except RecoupError:
            raise
        except Exception as fault:  # noqa: BLE001 - whatever a reader raises costs one record, not the import
            return fault
        return None

    def _read_singly(self, fault: Exception) -> int | None:
        """Read the lines that a failed reader took in silence again, each for itself; return the line to go on with.

        A reader may hold back what it found, so its defect could take good records with it.
        """
        last, unsaid = self._line, list(self._unsaid)
        if self.format.UNIT == "document" or not unsaid:
            self.is_broken = True
            self._reject_at(last, "unreadable", _defect(fault))
            return None
        for number, line in enumerate(unsaid, last - len(unsaid) + 1):
            single = self._read([line], number)
            if single is not None:
                self._reject_at(number, "unreadable", _defect(single))
        self._unsaid.clear()
        return last + 1

    def _parts(self, stream: io.BufferedIOBase) -> Iterator[bytes]:
        """Yield what the reader reads; a source that cannot be read on ends here."""
        try:
            yield from self._lines(stream) if self.format.UNIT == "line" else self._document(stream)
        except EOFError:  # packed data that ends too early is still being written
            self.is_torn = True
        except UNREADABLE as fault:
            self.is_broken = True
            self._reject_at(self._line, "unreadable", said(fault))

    def _lines(self, stream: io.BufferedIOBase) -> Iterator[bytes]:
        unsaid = self._unsaid
        while line := stream.readline(MAX_LINE_BYTES):
            if line[-1] != _NEWLINE:
                if len(line) == MAX_LINE_BYTES:
                    line = self._refused(stream)
                elif not is_whole(line):
                    self.is_torn = True
                    return
            unsaid.append(line)
            yield line
            size = len(line)
            self.read_bytes += size
            self.read_lines += 1
            self.record_count += not line.isspace()
            self._untold += size
            if self._untold >= _PROGRESS_BYTES:
                self._tell()

    def _document(self, stream: io.BufferedIOBase) -> Iterator[bytes]:
        content = stream.read(MAX_DOCUMENT_BYTES + 1)
        if len(content) <= MAX_DOCUMENT_BYTES:
            yield content
        else:
            self._reject_at(1, "too_large", "")
        self.read_bytes = self._untold = len(content)

    def _tell(self) -> None:
        """Report progress; and let go of lines that have been silent for long."""
        self.on_bytes(self._untold)
        self._untold = 0
        while len(self._unsaid) > 1 and sum(map(len, self._unsaid)) > _UNSAID_BYTES:
            del self._unsaid[: len(self._unsaid) // 2 + 1]

    def _refused(self, stream: io.BufferedIOBase) -> bytes:
        """Pass over the rest of a line that is too long and reject it; return the blank line that takes its place."""
        self.read_bytes += MAX_LINE_BYTES - len(b"\n")
        more = b""
        while not more.endswith(b"\n") and (more := stream.readline(MAX_LINE_BYTES)):
            self.read_bytes += len(more)
        self.record_count += 1
        self._reject_at(self._line, "too_large", "")
        return b"\n"

    def _take(self, record: Record) -> None:
        if isinstance(record, Event):
            self.event_count += 1
            self.shipment.add(record)
            if record.position != self._position:
                self._note_record(record)
            if self.shipment.is_due:
                self.shipment.state(self._state(is_complete=False), is_new=self.is_new)
                self.shipment.commit()
        elif isinstance(record, Skipped):
            self.skipped[record.kind] += record.count
            if self.format.UNIT == "document":
                self.record_count += record.count
        elif record.is_torn:
            self.is_torn = True
        else:
            self._reject(record)

    def _note_record(self, event: Event) -> None:
        """Count the record that an event is the first of, and whether it was repaired."""
        self._position = event.position
        self._unsaid.clear()
        if self.format.UNIT == "document":
            self.record_count += 1
        if event.flags and REPAIRED in event.flags:
            self.repaired_count += 1

    @property
    def _line(self) -> int:
        """The line that was handed over last, or is about to be: it is counted once the reader asks for another."""
        return self.start.read_lines + self.read_lines + 1

    def _reject_at(self, line: int, reason: str, excerpt: str) -> None:
        self._reject(Reject(path=self.start.path, position=line, reason=reason, excerpt=excerpt))

    def _reject(self, reject: Reject) -> None:
        self.rejects[reject.reason] += 1
        self._unsaid.clear()
        if self.format.UNIT == "document":
            self.record_count += 1
        self.shipment.reject(reject)

    def _state(self, *, is_complete: bool) -> FileState:
        start = self.start
        return FileState(
            path=start.path,
            format=self.format.NAME,
            head_hash=start.head_hash,
            size_bytes=start.size_bytes,
            modified_ns=start.modified_ns,
            read_bytes=start.read_bytes + self.read_bytes,
            read_lines=start.read_lines + self.read_lines,
            record_count=start.record_count + self.record_count,
            event_count=start.event_count + self.event_count,
            reject_count=start.reject_count + self.rejects.total(),
            repaired_count=start.repaired_count + self.repaired_count,
            is_complete=is_complete,
            is_torn=self.is_torn,
            skipped=dict(Counter(start.skipped) + self.skipped),
        )


def _defect(fault: Exception) -> str:
    """Return the kind and place of a defect in a reader; never the text that caused it, which is not redacted."""
    place = traceback.extract_tb(fault.__traceback__)[-1]
    return f"defect in a reader: {type(fault).__name__} at {PurePath(place.filename).name}:{place.lineno}"
