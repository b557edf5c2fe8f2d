"""Records that are well formed and hold no call, counted by kind."""

from collections import Counter
from collections.abc import Iterator

from collectors.events import Skipped

_MAX_KINDS = 200
_LONGEST_KIND = 60


def count(skipped: Counter[str], kind: str) -> None:
    """Count a record that holds no call, under at most 200 kinds of at most 60 characters."""
    kind = kind[:_LONGEST_KIND]
    skipped[kind if len(skipped) < _MAX_KINDS or kind in skipped else "other"] += 1


def counted(skipped: Counter[str]) -> Iterator[Skipped]:
    """Yield what was counted."""
    for kind, number in skipped.items():
        yield Skipped(kind=kind, count=number)
