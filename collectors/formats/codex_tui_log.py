"""The log that Codex's terminal program writes: lines of text with a time and a level, in colours.

It tells of each call that it was made, without an id, and nothing of its end; the rollout of the same session tells
both. Its records are counted by kind, so that the file is not taken for a loss. Lines without a time go on with the
text before them. Source: a real log of 0.57.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from collectors.events import Record
from collectors.formats._lines import complete, rejected
from collectors.formats._skipped import count, counted

NAME = "codex_tui_log"
TITLE = "Codex terminal log"
WHERE: tuple[str, ...] = ("~/.codex/log/codex-tui.log",)
UNIT = "line"
RESUMABLE = False
CANNOT_TELL: tuple[str, ...] = ("how any call ended, or which one it was: read the rollout of the session",)

_RECORD = re.compile(
    rb"(?:\x1b\[\d{0,3}m)*\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z(?:\x1b\[\d{0,3}m)*\s"
    rb"(?:\x1b\[\d{0,3}m)*\s{0,2}(TRACE|DEBUG|INFO|WARN|ERROR)(?:\x1b\[\d{0,3}m)*\s(?:\x1b\[\d{0,3}m)*(.{0,60})"
)
_LOOK = 10
_OWN = (
    b"ToolCall: ",
    b"FunctionCall: ",
    b"codex_core",
    b"Selected model: ",
    b"Resuming rollout",
    b"waiting for tool gate",
)


def looks_like(head: bytes, path: str) -> bool:
    """Return whether a file starts with records of that log; other programs write the same lines about other things."""
    return any(sign in head for sign in _OWN) and any(_RECORD.match(line) for line in complete(head, _LOOK))


def read(lines: Iterable[bytes], path: str, first_line: int = 1) -> Iterator[Record]:
    """Yield how many records of each kind there are, and one reject for what stands before the first."""
    skipped: Counter[str] = Counter()
    is_begun = False
    for number, line in enumerate(lines, first_line):
        match = _RECORD.match(line)
        if match is not None:
            is_begun = True
            words = match[2].decode("utf-8", "replace")
            count(
                skipped,
                words.partition(":")[0] if words.startswith(("ToolCall:", "FunctionCall:")) else match[1].decode(),
            )
        elif not is_begun and line.strip():
            is_begun = True
            yield rejected(path, number, line, "not_a_record", torn=not line.endswith(b"\n"))
    yield from counted(skipped)
