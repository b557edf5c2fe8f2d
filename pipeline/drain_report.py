"""What the writer tells the receiver after each commit."""

import msgspec


class Report(msgspec.Struct, kw_only=True):
    """What the writer tells after a commit, or when it could not make one."""

    counts: dict[str, int] = {}
    commit_seconds: float = 0.0
    drained_bytes: int = 0
    """Bytes in the own directory that are stored already."""
    oldest_ns: int | None = None
    """When the oldest record that is not stored came; None where all are."""
    failure: str | None = None
    """The code of what prevented the commit."""
