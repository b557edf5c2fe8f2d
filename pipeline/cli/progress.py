"""The progress bar of long work."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.ingest import OnProgress


@contextmanager
def progress() -> "Iterator[OnProgress | None]":
    """Show a bar on a terminal's stderr; nothing when piped."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = ("reading", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task("", total=None)

    def show(done: int, total: int) -> None:
        bar.start()  # at the first call only, so that nothing moves before there is something to read
        bar.update(task, completed=done, total=max(done, total))

    try:
        yield show
    finally:
        bar.stop()
