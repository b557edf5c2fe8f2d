"""How many shell calls of real logs name no program, and why; prints one JSON object.

A call that runs no program at all (`x=1`, a comment, nothing) needs no name and is counted apart.
Usage: `python tests/benchmarks/attribution_coverage.py [FOLDER]`; FOLDER defaults to `RECOUP_DATA`.
"""

import json
import os
import sys
from collections import Counter
from pathlib import Path

from collectors import HEAD_BYTES, sniff
from collectors.commands import UNPARSED, parse
from collectors.conventions import CALL
from collectors.events import Event
from collectors.runs import ASSIGNMENT

DATA = Path(os.environ.get("RECOUP_DATA", Path(__file__).parents[3] / "shared" / "data"))
EXAMPLES = 5


def shell_calls(folder: Path) -> list[tuple[str, Event]]:
    """Return the format and the call of every shell call below a folder."""
    found: list[tuple[str, Event]] = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        form = sniff(content[:HEAD_BYTES], str(path))
        if form is None:
            continue
        lines = content.splitlines(keepends=True) if form.UNIT == "line" else [content]
        records = form.read(lines, str(path))
        found += [(form.NAME, one) for one in records if isinstance(one, Event) and one.command is not None
                  and one.event_name == CALL]  # fmt: skip
    return found


def why(command: str) -> str:
    """Return why a command names no program."""
    found = parse(command)
    if found.main is None:
        return "unparsed" if UNPARSED in found.flags else "runs_nothing"
    if found.main.program == ASSIGNMENT:
        return "runs_nothing"
    return "program_is_a_variable" if found.main.argv else "other"


def main() -> None:
    """Count and print."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    if not folder.exists():
        print(json.dumps({"skipped": "there are no real logs to read"}))
        return
    calls = shell_calls(folder)
    unnamed = [(name, call.command or "") for name, call in calls if call.program is None]
    reasons = Counter(why(command) for _, command in unnamed)
    needed = len(calls) - reasons["runs_nothing"]
    examples: dict[str, list[str]] = {}
    for _, command in unnamed:
        kept = examples.setdefault(why(command), [])
        if len(kept) < EXAMPLES and command[:120] not in kept:
            kept.append(command[:120])
    told = {
        "shell_calls": dict(Counter(name for name, _ in calls)),
        "unnamed": dict(reasons),
        "unnamed_share": round((len(unnamed) - reasons["runs_nothing"]) / needed, 5) if needed else None,
        "examples": examples,
    }
    print(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
