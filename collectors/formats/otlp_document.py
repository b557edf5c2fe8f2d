"""One OTLP export request a file, in protobuf or pretty-printed JSON; and the telemetry file of Gemini CLI.

See `otlp` for what a record means, and `collectors.otlp.outfile` for the telemetry file.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from collectors.events import Record, Skipped
from collectors.formats import otlp
from collectors.otlp import outfile
from collectors.otlp.files import is_protobuf, outfile_events, request_events, signal_of

NAME = "otlp_document"
TITLE = "OTLP request (protobuf, JSON), Gemini CLI telemetry file"
WHERE: tuple[str, ...] = ()
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = otlp.CANNOT_TELL


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file begins as a request in either encoding, or as a telemetry file."""
    if is_protobuf(head) or outfile.looks_like(head):
        return True
    if otlp.looks_like(head, path):
        return False
    return head.lstrip()[:1] == b"{" and signal_of(head[:4096]) is not None


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield the events of the document, rejects, and at the end what was skipped."""
    skipped: Counter[str] = Counter()
    for content in lines:
        if outfile.looks_like(content[:4096]):
            yield from outfile_events(content.decode("utf-8", "replace"), path, skipped)
        elif content.strip():
            yield from request_events(content, path, first_line, skipped)
    for kind, count in skipped.items():
        if count:
            yield Skipped(kind=kind, count=count)
