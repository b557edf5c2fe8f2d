"""What a structured tool and the names of its arguments mean, whatever their values: worked out once for each shape."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from collectors import operations
from collectors.effects import is_read_tool, is_view_tool
from collectors.rules import Rules
from collectors.targets import is_target

_MAX_CACHED = 500
"""Characters of all names together; longer shapes seldom come again."""
_STATEMENTS = frozenset({"sql", "query", "statement"})


class Shape(NamedTuple):
    """A tool and the names of the arguments it is called with."""

    kept: tuple[str, ...] | None
    """Names that belong to the call's identity; None where all do."""
    idempotency: str | None
    """The first name that holds an idempotency key."""
    speaking: tuple[tuple[str, bool, bool], ...]
    """Kept names that say what the call is about: whether it may be an SQL statement, whether it is a target."""
    paths: tuple[str, ...]
    """Kept targets that hold paths."""
    is_read_only: bool
    is_viewer: bool


def shape_of(tool: str, arguments: Mapping[str, object], rules: Rules) -> Shape:
    """Return the shape of a call."""
    names = tuple(arguments)
    is_short = len(tool) + sum(map(len, names)) <= _MAX_CACHED
    return (_shape if is_short else _shape.__wrapped__)(tool, names, rules)


@lru_cache(maxsize=1024)
def _shape(tool: str, names: tuple[str, ...], rules: Rules) -> Shape:
    excluded = {name for name in names if name.lower() in operations.EXCLUDED_NAMES or name in rules.excluded}
    candidates = [name for name in names if name not in excluded]
    idempotency = next((name for name in candidates if name.lower() in operations.IDEMPOTENCY_NAMES), None)
    kept = tuple(name for name in candidates if name != idempotency)
    roles = ((name, name.lower() in _STATEMENTS, is_target(name, tool, rules)) for name in kept)
    return Shape(
        kept=None if len(kept) == len(names) else kept,
        idempotency=idempotency,
        speaking=tuple(role for role in roles if role[1] or role[2]),
        paths=tuple(name for name in kept if "path" in name.lower() and is_target(name)),
        is_read_only=is_read_tool(tool, rules),
        is_viewer=is_view_tool(tool, rules),
    )
