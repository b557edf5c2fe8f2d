"""What a user adds to the built-in tables of attribution, as one value handed down."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NamedTuple

_NOTHING: Mapping[str, frozenset[str]] = MappingProxyType({})


class Benign(NamedTuple):
    """One exit code that answers the question asked; it opens no episode."""

    program: str
    code: int
    path: tuple[str, ...] = ()
    """Subcommand words the rule needs."""
    flags: frozenset[str] = frozenset()
    """One of these words must be among the arguments; empty: none is needed."""
    source: str = ""
    """Where the program states it."""


@dataclass(frozen=True, slots=True, eq=False)
class Rules:
    """Additions to the tables; compared by identity, so that one value serves one run."""

    benign: tuple[Benign, ...] = ()
    excluded: frozenset[str] = frozenset()
    """Names of arguments and flags (`--nonce`, `nonce`) that are no part of an invocation's identity."""
    targets: Mapping[str, frozenset[str]] = field(default_factory=lambda: _NOTHING)
    """Names of target arguments, lower case with underscores, by program or tool; under the empty name for all."""
    viewers: frozenset[str] = frozenset()
    """Programs and tools whose output is data."""
    read_only: frozenset[str] = frozenset()
    """Operations (`tool plan`) and tools that change nothing."""


DEFAULT = Rules()
_IN_FORCE: ContextVar[Rules] = ContextVar("rules", default=DEFAULT)


@contextmanager
def in_force(rules: Rules) -> Iterator[None]:
    """Let `current` return these rules inside the block, in this thread or task alone.

    Readers of all formats name calls through `collectors.identity` and have no other use for rules, so these
    are not handed down through each of them.
    """
    token = _IN_FORCE.set(rules)
    try:
        yield
    finally:
        _IN_FORCE.reset(token)


def current() -> Rules:
    """Return the rules in force; the built-in tables alone where nobody said otherwise."""
    return _IN_FORCE.get()
