"""OTLP/JSON lines: one export request of logs or spans a line, as file exporters and collectors write them.

What a record means is decided where it arrives over the network too: in `collectors.otlp.clients`. Records that state
no event are counted by name.

Source: specification/protocol/file-exporter.md.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from collectors.events import Record, Skipped
from collectors.formats._lines import complete
from collectors.otlp.files import request_events, signal_of

NAME = "otlp"
TITLE = "OTLP/JSON lines"
WHERE: tuple[str, ...] = ()
UNIT = "line"
RESUMABLE = True
CANNOT_TELL: tuple[str, ...] = (
    "exit codes and outputs that the client keeps out of its telemetry",
    "retries of the client's own that succeeded",
    "directories, unless the client states them",
)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file's first line is a whole request, or begins one that is too long to see its end."""
    first = next(iter(complete(head)), b"")
    is_line = first.endswith(b"}") or (first[:1] == b"{" and b"\n" not in head)
    return first[:1] == b"{" and is_line and signal_of(first[:4096]) is not None


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of each request in its order, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    for number, line in enumerate(lines, first_line):
        if line.strip():
            yield from request_events(line.strip(), path, number, skipped)
    for kind, count in skipped.items():
        if count:
            yield Skipped(kind=kind, count=count)
