"""Who&When failure logs: one document a run, `{question, ground_truth, mistake_agent, mistake_step, history}`.

The history is what agents said to each other, `{content, role, name?}`, with no calls: tools appear in prose only, so
nothing can be told about their outcomes. The messages are counted by role, and no event is made of them. Source: the
published data set.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from msgspec import Struct

from collectors.events import Record
from collectors.formats._documents import read_document
from collectors.formats._heads import fields
from collectors.formats._skipped import count, counted

NAME = "who_and_when"
TITLE = "Who&When failure log"
WHERE: tuple[str, ...] = ()
UNIT = "document"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = (
    "any call or its outcome: it is free text, recognised so that it is not taken for a loss",
)


class Message(Struct, gc=False):
    """One message."""

    role: str | None = None
    name: str | None = None


class Document(Struct, gc=False):
    """One run."""

    history: list[Message] | None = None


def looks_like(head: bytes, path: str) -> bool:
    """Return whether the document has a history of roles and contents without actions, or names the mistake."""
    seen = fields(head)
    if {"mistake_agent", "mistake_step"} <= seen.keys():
        return True
    others = ("history[].action", "history[].agent", "trajectory", "messages", "info")
    return {"history[].content", "history[].role"} <= seen.keys() and not any(name in seen for name in others)


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield how many messages each role has."""
    return read_document(lines, path, Document, _records)


def _records(found: Document, flags: tuple[str, ...]) -> Iterator[Record]:
    skipped: Counter[str] = Counter()
    for message in found.history or ():
        count(skipped, f"message:{(message.role or message.name or 'untold').partition(' (')[0]}")
    yield from counted(skipped)
