"""From a shell string to the program runs in it, the run that matters and whose status is reported."""

from functools import lru_cache
from typing import NamedTuple

import msgspec

from collectors import operations, programs
from collectors.arguments import reads_script
from collectors.ownership import Ownership, own
from collectors.runs import ASSIGNMENT, Block, Leaf, Listed, Piped, Run, Tree, all_runs, children
from collectors.shell import Simple
from collectors.shell_state import State
from collectors.walking import read, walk

__all__ = ["Command", "Run", "ends_in_echo", "parse", "parse_argv", "parse_once"]

MAX_CACHED = 2000
"""Characters of a command that is kept in caches; longer ones seldom come again."""
UNPARSED = "unparsed"
"""Flag of a string with a syntax error: what ran is a guess, and the shell itself may have failed."""

_KIND_FLAGS = frozenset({"loop", "background", UNPARSED})
_ECHOES = frozenset({"echo", "printf"})
_SILENT = frozenset({"exit", "return", "true", ":", "cd", "set"})
_CLOSERS = " \t\r\n.)]\"'"
_SETUP_FLAGS = frozenset({"cd", "pushd", "source", ".", "mkdir"})


class Command(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a shell string runs."""

    runs: tuple[Run, ...] = ()
    """All program runs in order; statements that only assign are left out."""
    main: Run | None = None
    """The run the call is about: the last of those that matter most."""
    before: tuple[Run, ...] = ()
    """Runs that belong to the call's identity: earlier ones that matter, and what feeds the main run by a pipe."""
    status_owner: str = "own"
    """`own`, `negated`, `echoed`, `masked` or `background`: what the reported status says of the main run's."""
    status_reason: str | None = None
    teller: Run | None = None
    """The run whose status is reported, where that is one."""
    echo: str | None = None
    """What an `echo` prints around the main run's status; `$?` stands for the number."""
    flags: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    """A run that may be the main one."""

    weight: float
    run: Run
    trail: tuple[int, ...] = ()
    """Its way through the tree, as `ownership.own` takes it."""
    flags: tuple[str, ...] = ()


def parse(command: str) -> Command:
    """Return what a bash string runs; nothing raises, what cannot be read gives a `Command` without runs."""
    return _cached(command) if len(command) <= MAX_CACHED else parse_once(command)


@lru_cache(maxsize=1024)
def _cached(command: str) -> Command:
    return parse_once(command)


def parse_once(command: str) -> Command:
    """Return what `parse` does, for callers that keep what they make of it."""
    found = _parsed(command)
    if UNPARSED not in found.flags:
        return found
    # A shell reads line by line: what stands before a syntax error still ran.
    first = _parsed(command.lstrip().partition("\n")[0])
    if first.main is not None and UNPARSED not in first.flags:
        found = msgspec.structs.replace(first, flags=(*first.flags, UNPARSED))
    return msgspec.structs.replace(found, status_owner="masked", status_reason=UNPARSED, teller=None)


def _parsed(command: str) -> Command:
    try:
        return _command(walk(read(command), State()))
    except RecursionError:  # nested deeper than anything a program understands
        return Command(flags=(UNPARSED,))


def ends_in_echo(found: Command) -> bool:
    """Return whether the status that a command echoes is the last thing it prints, so that its output ends in it."""
    echo, run = found.echo, found.teller
    if echo is None or run is None or run.program not in _ECHOES or run.writes:
        return False
    at = next((at for at, each in enumerate(found.runs) if each is run), len(found.runs))
    is_last = all(each.program in _SILENT for each in found.runs[at + 1 :])
    return is_last and echo.count("$?") == 1 and echo.rstrip(_CLOSERS).endswith("$?")


def parse_argv(argv: tuple[str, ...]) -> Command:
    """Return what an argument vector runs; `["bash", "-lc", "..."]` is unwrapped."""
    try:
        return _command(walk(Simple(argv), State())) if argv and argv[0] else Command()
    except RecursionError:
        return Command(flags=(UNPARSED,))


def _command(tree: Tree) -> Command:
    if isinstance(tree, Leaf) and not tree.inner and tree.run.program != ASSIGNMENT:
        run = tree.run
        return Command(runs=(run,), main=run, teller=run, flags=_flags(_Candidate(3.0, run), []))
    candidates: list[_Candidate] = []
    _weigh(tree, candidates, (), (), 3.0, 0.0)
    if not candidates:
        return Command(flags=(UNPARSED,) if isinstance(tree, Block) and tree.kind == UNPARSED else ())
    best = max([candidate.weight for candidate in candidates])
    main = next(candidate for candidate in reversed(candidates) if candidate.weight == best)
    found: Ownership = own(tree, main.trail)
    return Command(
        runs=tuple([each.run for each in candidates if each.run.program != ASSIGNMENT]),
        main=main.run,
        before=_before(tree, main, candidates),
        status_owner=found.owner,
        status_reason=found.reason,
        teller=found.teller,
        echo=found.echo,
        flags=_flags(main, candidates),
    )


def _weigh(
    tree: Tree, out: list[_Candidate], trail: tuple[int, ...], flags: tuple[str, ...], limit: float, less: float
) -> None:
    """Append the runs of a tree with their weights.

    A weight is the run's rank, at most `limit`, less half a point for an alternative (`||`) and in the background;
    what prepares weighs nothing.
    """
    if isinstance(tree, Leaf):
        for at, part in enumerate(tree.inner):
            _weigh(part, out, (*trail, at), flags, min(limit, 1.0), less)
        rank = tree.run.rank
        out.append(_Candidate((rank if rank < limit else limit) - less if rank else 0.0, tree.run, trail, flags))
    elif isinstance(tree, Listed):
        for at, (operator, item) in enumerate(tree.items):
            _weigh(item, out, (*trail, at), flags, limit, less + 0.5 if operator == "||" else less)
    elif isinstance(tree, Piped):
        has_upstream = False
        for at, stage in enumerate(tree.stages):
            is_shaping = _is_shaping(stage, at, has_upstream=has_upstream)
            _weigh(stage, out, (*trail, at), flags, min(limit, 1.0) if is_shaping else limit, less)
            has_upstream = has_upstream or out[-1].weight >= 2.0
    else:
        more = less + 0.5 if tree.kind == "background" else less
        kinds = (*flags, tree.kind) if tree.kind in _KIND_FLAGS else flags
        for at, part in enumerate(tree.parts):
            _weigh(part, out, (*trail, at), kinds, limit, more)


def _is_shaping(stage: Tree, at: int, *, has_upstream: bool) -> bool:
    """Return whether a stage of a pipe only feeds it or shapes what comes from upstream."""
    if not isinstance(stage, Leaf):
        return False
    run = stage.run
    if at == 0:
        return run.program == "cat" and run.stdin is None
    if "xargs" in run.flags:
        return False
    if run.program in programs.FILTERS:
        return True
    if run.program is None or not has_upstream or run.stdin is not None:
        return False
    is_script = operations.base_program(run.program) in programs.SCRIPT_FILTERS
    return is_script and run.argv[1:2] in (("-c",), ("-e",), ("-p",), ("-ne",), ("-pe",))


def _before(tree: Tree, main: _Candidate, candidates: list[_Candidate]) -> tuple[Run, ...]:
    if candidates[0] is main:
        return ()
    feeding = _feeding(tree, main.trail)
    found: list[Run] = []
    for candidate in candidates:
        if candidate.run is main.run:
            break
        if candidate.weight >= 2.5 or any(run is candidate.run for run in feeding):
            found.append(candidate.run)
    return tuple(found)


def _feeding(tree: Tree, trail: tuple[int, ...]) -> list[Run]:
    """Return the runs whose output the main run reads through pipes."""
    found: list[Run] = []
    for at in trail:
        parts = children(tree)
        if isinstance(tree, Piped):
            found.extend(run for part in parts[:at] for run in all_runs(part))
        tree = parts[at]
    return found


def _flags(main: _Candidate, candidates: list[_Candidate]) -> tuple[str, ...]:
    run = main.run
    flags = [*run.flags, *main.flags]
    if run.env:
        flags.append("env_assigned")
    if run.stdin is not None and reads_script(run.program or "", run.arguments):
        flags.append("heredoc_script")
    if sum(candidate.weight >= 2.5 for candidate in candidates) > 1:
        flags.append("multiple_programs")
    for candidate in candidates:
        other = candidate.run
        if other is run:
            continue
        if other.program == "sleep" and len(other.argv) == 2:
            flags.append(f"sleep:{other.argv[1]}")
        elif other.program in _SETUP_FLAGS:
            flags.append(f"setup:{other.program}")
    return tuple(dict.fromkeys(flags)) if flags else ()
