"""What is known of a rollout while it is read: whose history a line is, and the calls that wait for their output."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import NamedTuple
from uuid import UUID

from collectors import times
from collectors.events import Event
from collectors.formats._codex_records import Line, Payload, Source, Sub, Usage
from collectors.formats._outcomes import Outcome

NAME = "codex"
AGENT = "codex"
MAIN = "main"
COPIED = "copied"
"""Flag: the record was replayed from the session that this one is a fork of."""

_MILLISECOND = 1_000_000
_REPLAY_NS = 5_000_000_000
"""A replay is written in one go: what is later than this after the fork's start happened in the fork."""
_MAX_LINEAGE = 100


class Thread(NamedTuple):
    """A session of the lineage of a fork."""

    id: str
    born_ms: int | None
    """Milliseconds since the Unix epoch."""


class Pending(NamedTuple):
    """A call that has no output yet, and what of it the output is read with."""

    call: Event
    echo: str | None
    session: str | None = None
    """The running process that a `write_stdin` writes to, or the cell that a `wait` waits for."""


class Running(NamedTuple):
    """A call whose program went on in the background."""

    call_id: str
    uid: str
    texts: list[str]
    echo: str | None


@dataclass(slots=True)
class Rollout:
    """One file."""

    path: str
    own: Thread
    session_id: str
    actor_id: str = MAIN
    version: str | None = None
    model: str | None = None
    cwd: str | None = None
    is_begun: bool = False
    is_exec: bool = False
    """Whether the session ends with its one turn (`codex exec`)."""
    begun_ns: int | None = None
    lineage: list[Thread] = field(default_factory=list)
    """The own thread and those whose history is replayed."""
    replayed: Thread | None = None
    """The thread that the present turn ran in; None for the own one."""
    current: Thread | None = None
    """The same for the present line: what is written later than the replay can be, is the file's own."""
    step: str | None = None
    """The model's response that calls belong to."""
    prompt: str | None = None
    """The last prompt: it is written twice, as an item and as an event."""
    latest_ns: int | None = None
    """The time of the last output."""
    usage: Usage | None = None
    total: int | None = None
    has_usage_records: bool = False
    pending: dict[str, Pending] = field(default_factory=dict)
    running: dict[str, Running] = field(default_factory=dict)
    ended: dict[str, Outcome] = field(default_factory=dict)
    """Ends that were told before the output, by call."""
    skipped: Counter[str] = field(default_factory=Counter)

    @property
    def scope(self) -> str:
        """The thread within which the ids of calls are unique."""
        return (self.current or self.own).id


def opened(path: str) -> Rollout:
    """Return the state at a file's start; the name of a file without `session_meta` ends in the id of its session."""
    stem = PurePath(path).stem
    name = stem[-36:] if _born(stem[-36:]) is not None else stem or path
    return Rollout(path=path, own=Thread(name, None), session_id=name)


def begin(file: Rollout, line: Line, meta: Payload) -> None:
    """Take a `session_meta`: the first is the file's own, later ones are those of replayed sessions."""
    name = meta.id or meta.session_id
    if not name:
        return
    if file.is_begun:
        # a session that was resumed states itself again
        if all(name != each.id for each in file.lineage) and len(file.lineage) < _MAX_LINEAGE:
            file.lineage.append(Thread(name, _born(name) or _stated_ms(meta)))
            _choose(file, None)
        return
    file.is_begun = True
    file.begun_ns = times.parse(line.timestamp).unix_nano
    file.own = Thread(name, _born(name) or _stated_ms(meta))
    file.version, file.cwd = meta.cli_version, meta.cwd
    file.is_exec = meta.source == "exec" or (meta.originator or "").startswith("codex_exec")
    parent = _parent(meta)
    root = meta.session_id if meta.session_id != name else None
    file.session_id = root or parent or name
    file.actor_id = MAIN if root is None and parent is None else name
    file.lineage = [file.own]
    if meta.forked_from_id and meta.forked_from_id != name:
        file.lineage.append(Thread(meta.forked_from_id, _born(meta.forked_from_id)))
        _choose(file, None)


def enter_turn(file: Rollout, turn_id: str | None) -> None:
    """Take the start of a turn: its id tells when it first ran, and so which session of the lineage it belongs to."""
    file.prompt = None
    born = _born(turn_id)
    if born is not None and len(file.lineage) > 1:
        _choose(file, born)


def base_event(file: Rollout, line: Line, position: int, flags: tuple[str, ...]) -> Event:
    """Return an event of no kind yet; replayed lines carry the time of the replay, which is not theirs."""
    nano, flag = times.usual_nano(line.timestamp), None
    if nano is None:
        nano, flag = times.parse(line.timestamp)
    is_late = nano is not None and file.begun_ns is not None and nano > file.begun_ns + _REPLAY_NS
    file.current = None if is_late else file.replayed
    if file.current is not None:
        nano, flag, flags = None, times.MISSING, (*flags, COPIED)
    return Event(
        event_name="",
        uid="",
        session_id=file.session_id if file.current is None else file.scope,
        time_unix_nano=nano,
        format=NAME,
        path=file.path,
        position=position,
        actor_id=file.actor_id if file.current is None else MAIN,
        agent_name=AGENT,
        agent_version=file.version,
        model=file.model,
        flags=(*flags, flag) if flag is not None else flags or None,
    )


def is_sub_agent(file: Rollout) -> bool:
    """Return whether the prompts of the file are those of an agent."""
    return file.actor_id != MAIN


def _choose(file: Rollout, turn_ms: int | None) -> None:
    """Let the lines belong to the youngest session that is not younger than the turn; without one, to the oldest."""
    known = [each for each in file.lineage if each.born_ms is not None]
    older = [each for each in known if turn_ms is not None and each.born_ms is not None and each.born_ms <= turn_ms]
    if older:
        chosen = max(older, key=lambda each: each.born_ms or 0)
    else:
        ancestors = [each for each in file.lineage if each is not file.own]
        chosen = min(ancestors, key=lambda each: each.born_ms or 0) if ancestors else file.own
    file.replayed = None if chosen is file.own else chosen


def _parent(meta: Payload) -> str | None:
    spawned = meta.source.subagent if isinstance(meta.source, Source) else None
    if isinstance(spawned, Sub) and spawned.thread_spawn is not None and spawned.thread_spawn.parent_thread_id:
        return spawned.thread_spawn.parent_thread_id
    return meta.parent_thread_id if spawned is not None else None


def _stated_ms(meta: Payload) -> int | None:
    nano = times.parse(meta.timestamp).unix_nano
    return None if nano is None else nano // _MILLISECOND


def _born(name: str | None) -> int | None:
    """Return the time that a UUID of version 7 was made at; None for any other text."""
    if name is None or len(name) != 36:
        return None
    try:
        found = UUID(name)
    except ValueError:
        return None
    return found.int >> 80 if found.version == 7 else None
