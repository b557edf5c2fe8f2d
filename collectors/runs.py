"""Program runs and the trees they stand in: values only."""

from typing import NamedTuple

import msgspec

from collectors import programs
from collectors.arguments import Arguments, sort_out

ASSIGNMENT = "="
"""Program of a statement that only assigns variables or opens files."""
ERREXIT = "set -e"
"""Operator between two statements where a failure of the first ends the shell."""


class Run(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One program started by a shell string, without its wrappers."""

    program: str | None
    """Its name; None where it cannot be told (a variable, an alias)."""
    argv: tuple[str, ...]
    """The words of the run, the program's as written; unknown values are `shell.Dynamic`."""
    cwd: str | None = None
    """Directory by `cd` and the like, relative or absolute; None where none was changed."""
    env: tuple[tuple[str, str | None], ...] = ()
    """Variables set for it (`VAR=x`, `env`, `export`), by name; None where unset."""
    wrappers: tuple[str, ...] = ()
    """What was peeled off, outermost first."""
    place: tuple[str, ...] = ()
    """Where it runs, outermost first: `ssh:host`, `docker:web`; empty: here."""
    flags: tuple[str, ...] = ()
    stdin: str | None = None
    """The text it reads: a heredoc or here-string."""
    reads: tuple[str, ...] = ()
    """Files its input comes from."""
    writes: tuple[str, ...] = ()
    """Files its output is redirected to, without devices."""
    rank: int = 0
    """How much it matters alone: 0 setup, 1 guard, 2 view, 3 everything else."""

    @property
    def arguments(self) -> Arguments:
        """Path, flags and operands of `argv`; kept by hand, since `cached_property` takes a lock before Python 3.12."""
        found: Arguments | None = self.__dict__.get("_arguments")
        if found is None:
            found = self.__dict__["_arguments"] = sort_out(self.program or "", self.argv[1:])
        return found

    @property
    def path(self) -> tuple[str, ...]:
        """The subcommand words."""
        return self.arguments.path


class Leaf(NamedTuple):
    """A run in its tree, with what the substitutions in its words run."""

    run: Run
    inner: "tuple[Tree, ...]" = ()


class Piped(NamedTuple):
    """A pipeline of trees."""

    stages: "tuple[Tree, ...]"
    is_pipefail: bool = False


class Listed(NamedTuple):
    """Trees joined by `&&`, `||`, `;` or, where `set -e` ends the shell in between, `ERREXIT`; the first has none."""

    items: "tuple[tuple[str, Tree], ...]"


class Block(NamedTuple):
    """A tree under a compound: the kinds of `shell.Group`, and `background`, `negated`, `assign`, `condition`."""

    kind: str
    parts: "tuple[Tree, ...]"


Tree = Leaf | Piped | Listed | Block
NOTHING = Listed(())


def children(tree: Tree) -> "tuple[Tree, ...]":
    """Return the trees directly inside `tree`, in the order they start."""
    if isinstance(tree, Leaf):
        return tree.inner
    if isinstance(tree, Piped):
        return tree.stages
    if isinstance(tree, Listed):
        return tuple(item for _, item in tree.items)
    return tree.parts


def all_runs(tree: Tree) -> list[Run]:
    """Return the runs of a tree in order; those in a word's substitutions come before the word's."""
    if isinstance(tree, Leaf) and not tree.inner:
        return [tree.run]
    runs = [run for part in children(tree) for run in all_runs(part)]
    return [*runs, tree.run] if isinstance(tree, Leaf) else runs


def teller(tree: Tree) -> Run | None:
    """Return the run whose status a tree reports when all of it ran, None where there is no single one."""
    if isinstance(tree, Leaf):
        return tree.run
    parts = children(tree)
    is_branching = isinstance(tree, Block) and tree.kind in ("loop", "if", "case")
    return teller(parts[-1]) if parts and not is_branching else None


def rank(program: str | None, argv: tuple[str, ...], writes: tuple[str, ...]) -> int:
    """Return how much a run matters where it stands alone.

    0: it prepares or announces (`cd`, `export`, `echo`). 1: its status is a condition (`test`), or it copies (`tee`).
    2: it shows (`cat`, `ls`, `git log`). 3: everything else, and what shows into a file.
    """
    if program is None:
        return 3
    if program in programs.SETUP:
        return 0
    if program in programs.CONDITIONS:
        return 1
    if program in programs.VIEWERS:
        return 3 if writes or edits(program, argv) else 2
    if program == "git":
        return 2 if not programs.GIT_VIEWS.isdisjoint(_first_word(argv)) else 3
    return 3


def _first_word(argv: tuple[str, ...]) -> tuple[str, ...]:
    is_plain = len(argv) < 2 or argv[1][:1] != "-"
    return argv[1:2] if is_plain else sort_out("git", argv[1:]).path[:1]


def edits(program: str, argv: tuple[str, ...]) -> bool:
    """Return whether a viewer's flags make it change something: `sed -i`, `find -delete`, `sort -o`."""
    starts = programs.EDIT_FLAGS.get(program)
    return starts is not None and any(word.startswith(starts) for word in argv[1:])
