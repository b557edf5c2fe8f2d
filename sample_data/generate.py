"""Write the sample world, the same bytes each time: `python sample_data/generate.py [FOLDER]`."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from builder_writer import BuilderSession
from cast import CAST, SESSIONS, Row
from catalogue import Json
from claude_writer import ClaudeSession
from stories.common import routine
from world import digest, line

FIRST_MORNING = datetime(2026, 3, 2, 8, 30, tzinfo=UTC).timestamp()
BETWEEN_SESSIONS = 12.5 * 3600
BUILDER_IS_LATER = 5 * 3600
RELEASES = ("1.4.0", "1.5.0")


def release(number: int) -> str:
    """Return the release of the tool that session `number` (from 1) starts with."""
    return RELEASES[number > SESSIONS // 2]


def deal(agent: str) -> dict[int, list[Row]]:
    """Return the stories of each session of `agent`: groups kept apart, sessions evenly filled, last ones last."""
    plan: dict[int, list[Row]] = defaultdict(list)
    for row in CAST:
        free = [number for number in range(1, SESSIONS + 1) if _fits(row, plan[number], release(number))]
        free.sort(key=lambda number: (len(plan[number]), digest(row.group, agent, number)))
        wanted = row.claude if agent == "claude" else row.builder
        if wanted > len(free):
            raise SystemExit(f"{row.group}: {wanted} sessions of {agent} wanted, {len(free)} free")
        for number in free[:wanted]:
            plan[number].append(row)
    for number, rows in plan.items():
        rows.sort(key=lambda row: (row.is_last, digest(row.group, agent, number, "order")))
    return dict(sorted(plan.items()))


def _fits(row: Row, rows: list[Row], version: str) -> bool:
    is_taken = any(other.group == row.group or (row.is_last and other.is_last) for other in rows)
    return not is_taken and row.version in (None, version)


def live_claude(number: int, rows: list[Row]) -> ClaudeSession:
    """Return the session of Claude Code after its stories."""
    tail = digest("session", number).hex()
    session_id = f"{number:08d}-{tail[:4]}-4{tail[4:7]}-a{tail[7:10]}-{tail[10:22]}"
    session = ClaudeSession(number, FIRST_MORNING + number * BETWEEN_SESSIONS, release(number), session_id)
    routine(session)
    for row in rows:
        row.story(session)
    return session


def live_builder(number: int, rows: list[Row]) -> BuilderSession:
    """Return the session of builder-bot after its stories; two sessions run side by side."""
    start = FIRST_MORNING + BUILDER_IS_LATER + (number - number % 2) * BETWEEN_SESSIONS + 240 * (number % 2)
    session = BuilderSession(number, start, release(number))
    routine(session)
    for row in rows:
        row.story(session)
    session.finish()
    return session


def write_lines(path: Path, records: Iterable[Json]) -> None:
    """Write `records`, one a line."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(line(record) + "\n" for record in records), encoding="utf-8")


def write_claude(folder: Path, session: ClaudeSession) -> str:
    """Write one transcript and those of its sub-agents; return its path below `folder`."""
    name = f"claude_code/{session.session_id}.jsonl"
    snapshot = {
        "messageId": session.records[0]["uuid"],
        "trackedFileBackups": {},
        "timestamp": session.records[0]["timestamp"],
    }
    first = {"type": "file-history-snapshot", "messageId": snapshot["messageId"], "snapshot": snapshot}
    write_lines(folder / name, [{**first, "isSnapshotUpdate": False}, *session.records])
    for child in session.children:
        write_lines(folder / name.removesuffix(".jsonl") / "subagents" / f"agent-{child.agent_id}.jsonl", child.records)
    return name


def write_builder(folder: Path, sessions: list[BuilderSession]) -> dict[int, str]:
    """Write the log of builder-bot, a file a week in the order of time; return the file of each session."""
    weeks: dict[str, list[Json]] = defaultdict(list)
    files = {}
    for session in sessions:
        week = datetime.fromisoformat(session.records[0]["ts"]).isocalendar().week
        files[session.number] = name = f"envelope_log/builder-bot-2026-w{week}.ndjson"
        weeks[name] += session.records
    for name, records in weeks.items():
        write_lines(folder / name, sorted(records, key=lambda record: str(record["ts"])))
    return files


def index_line(session: ClaudeSession | BuilderSession, name: str, rows: list[Row]) -> str:
    """Return the index's row of one session."""
    told = ", ".join(row.story.__name__ for row in rows)
    which = f"bb-{session.number:02d}" if isinstance(session, BuilderSession) else f"cc-{session.number:02d}"
    return f"| {which} | {release(session.number)} | `{name}` | {told} |\n"


def story_lines() -> str:
    """Return the index's row of each story: sessions of each agent, and what happens."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    sentences = {row.story.__name__: str(row.story.__doc__) for row in CAST}
    for row in CAST:
        counts[row.story.__name__] += Counter(claude=row.claude, builder=row.builder)
    return "".join(f"| {name} | {n['claude']} | {n['builder']} | {sentences[name]} |\n" for name, n in counts.items())


def main(folder: Path) -> None:
    """Write everything below `folder` and print what was written."""
    index = "# Which story each session tells\n\nWritten by `generate.py`; a story is the function of that name.\n\n"
    index += "| session | tool | file | stories |\n|---|---|---|---|\n"
    dealt = deal("claude")
    claude = [live_claude(number, rows) for number, rows in dealt.items()]
    index += "".join(index_line(session, write_claude(folder, session), dealt[session.number]) for session in claude)
    dealt = deal("builder")
    builder = [live_builder(number, rows) for number, rows in dealt.items()]
    files = write_builder(folder, builder)
    index += "".join(index_line(session, files[session.number], dealt[session.number]) for session in builder)
    index += "\n| story | Claude Code | builder-bot | what happens |\n|---|---|---|---|\n" + story_lines()
    (folder / "INDEX.md").write_text(index, encoding="utf-8")
    written = Counter(path.suffix for path in folder.rglob("*") if path.suffix in (".jsonl", ".ndjson"))
    print(f"{len(claude)} + {len(builder)} sessions in {sum(written.values())} files below {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
