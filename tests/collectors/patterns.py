"""Every compiled pattern of the packages, and strings made to let each one backtrack.

    python -m tests.collectors.patterns SHARE OF

Prints the name of each pattern before it is tried, so that whoever waits knows which one hangs, and last how many
patterns and strings there were. The strings follow from the pattern: what stands before each repetition, the repeated
part over and over, and an end that nothing matches.
"""

import dataclasses
import importlib
import pkgutil
import re
import sys
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from re import _constants as ops
from re import _parser as parser

LENGTH = 100_000
METHODS = ("match", "search", "fullmatch", "sub", "subn", "finditer", "findall", "split")
PACKAGES = ("collectors", "pipeline")
# Patterns in tables are named by the table; the method is that of the loop over it.
TABLES: Mapping[str, tuple[str, ...]] = {
    "collectors.lifts": ("search",),
    "collectors.fingerprint": ("sub",),
}
"""How the patterns of a module's tables are used; `match` where it is not named."""
BOUNDS: Mapping[str, tuple[int, str]] = {
    "collectors.fingerprint:MASKS": (2_000, "`template` masks 1,200 characters"),
    "collectors.formats._opencode:_SHELL_NOTE": (2_500, "the reader looks at the last 2,500 characters"),
    "collectors.formats.pi:_ABORTED": (200, "the reader looks at the last 200 characters"),
    "collectors.formats.pi:_EXITED": (200, "as above"),
    "collectors.formats.pi:_TIMED_OUT": (200, "as above"),
    "collectors.formats.mini_swe_agent:_BLOCK": (10_000, "the reader ends the text behind the last end of a block"),
    "pipeline.report.escape:_SEQUENCES": (2_000, "`escape` cuts before it looks"),
}
"""Characters that a caller hands to a pattern at most, where it could not read 100,000 of them, and why."""
_END = "\x00"
_UNITS = ("a", "0", " ", "\n", '"', "\\", "(", "[", "a ", "a=", "-a", "/a", '\\"', "\x1b[")
_CATEGORIES = {
    ops.CATEGORY_DIGIT: "7",
    ops.CATEGORY_NOT_DIGIT: "x",
    ops.CATEGORY_SPACE: " ",
    ops.CATEGORY_NOT_SPACE: "x",
    ops.CATEGORY_WORD: "w",
    ops.CATEGORY_NOT_WORD: "!",
}
_CANDIDATES = "xw7 !\n-_./=:A\"'\\()[]{}<>@#é"


def modules() -> list[str]:
    """Return the names of all modules of the packages, those that run a program when imported left out."""
    found = []
    for package in map(importlib.import_module, PACKAGES):
        found += [module.name for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
    return sorted(name for name in found if not name.endswith("__main__"))


def patterns() -> Iterator[tuple[str, re.Pattern, tuple[str, ...]]]:
    """Yield name, pattern and the methods it is used with; a pattern that several modules hold comes once."""
    seen: set[tuple[object, int]] = set()
    for name in modules():
        module = importlib.import_module(name)
        source = Path(module.__file__).read_text(encoding="utf-8")
        for attribute, value in sorted(vars(module).items()):
            for place, pattern in _within(value, attribute, 0):
                key = (pattern.pattern, pattern.flags)
                if key not in seen:
                    seen.add(key)
                    yield f"{name}:{place}", pattern, _methods(source, attribute, name)


def _within(value: object, place: str, depth: int) -> Iterator[tuple[str, re.Pattern]]:
    if isinstance(value, re.Pattern):
        yield place, value
    elif depth > 5 or isinstance(value, str | bytes):
        return
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _within(inner, f"{place}[{key!r}]", depth + 1)
    elif isinstance(value, list | tuple | set | frozenset):
        for at, inner in enumerate(value):
            yield from _within(inner, f"{place}[{at}]", depth + 1)
    elif not isinstance(value, type) and dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from _within(getattr(value, field.name), f"{place}.{field.name}", depth + 1)


def _methods(source: str, attribute: str, module: str) -> tuple[str, ...]:
    used = [method for method in METHODS if re.search(rf"\b{attribute}\.{method}\b", source)]
    return tuple(used) or TABLES.get(module, ("match",))


def attacks(pattern: re.Pattern, length: int) -> Iterator[str]:
    """Yield strings of that many characters."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    units = [("", unit) for unit in _UNITS]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        units += _pumps(parser.parse(text, pattern.flags & ~re.UNICODE), "")
    for before, unit in dict.fromkeys(units):
        if unit:
            yield (before + unit * (length // len(unit) + 1))[: length - 1] + _END


def _pumps(tree: parser.SubPattern, before: str) -> list[tuple[str, str]]:
    """Return what stands before each repetition and a text it repeats."""
    found: list[tuple[str, str]] = []
    for op, value in tree:
        if op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            _, most, inner = value
            if most > 8:
                found += [(before, unit) for unit in _several(inner)]
            found += _pumps(inner, before)
        elif op is ops.BRANCH:
            for branch in value[1]:
                found += _pumps(branch, before)
        elif op is ops.SUBPATTERN:
            found += _pumps(value[3], before)
        elif op is ops.ATOMIC_GROUP:
            found += _pumps(value, before)
        before += _sample([(op, value)])
    # the whole as well: what a search finds over and over, or nearly
    return [*found, ("", before), ("", before[:-1])] if found else [("", before)]


def _several(tree: parser.SubPattern) -> list[str]:
    """Return texts that a repeated part matches: one for each branch and for each kind of character in a set."""
    [(op, value)] = [*tree] if len(tree) == 1 else [(None, None)]
    if op is ops.BRANCH:
        return [_sample(branch) for branch in value[1]]
    if op is ops.SUBPATTERN:
        return _several(value[3])
    if op is ops.IN:
        return _members(value)[:6]
    return [_sample(tree)]


def _sample(tree: object) -> str:
    text = ""
    for op, value in tree:
        if op is ops.LITERAL:
            text += chr(value)
        elif op is ops.NOT_LITERAL:
            text += next(char for char in _CANDIDATES if ord(char) != value)
        elif op is ops.ANY:
            text += "x"
        elif op is ops.IN:
            text += _members(value)[0]
        elif op is ops.BRANCH:
            text += _sample(value[1][0])
        elif op is ops.SUBPATTERN:
            text += _sample(value[3])
        elif op is ops.ATOMIC_GROUP:
            text += _sample(value)
        elif op in (ops.MAX_REPEAT, ops.MIN_REPEAT, ops.POSSESSIVE_REPEAT):
            text += _sample(value[2]) * max(1, min(value[0], 100))
    return text


def _members(items: list[tuple[object, object]]) -> list[str]:
    """Return characters of a set, the most different first."""
    named = {op: value for op, value in items if op is ops.NEGATE}
    if named:
        return [char for char in _CANDIDATES if not _is_in(char, items)] or ["\u20ac"]
    found = []
    for op, value in items:
        if op is ops.LITERAL:
            found.append(chr(value))
        elif op is ops.RANGE:
            found.append(chr(value[0]))
        elif op is ops.CATEGORY:
            found.append(_CATEGORIES[value])
    return found or ["x"]


def _is_in(char: str, items: list[tuple[object, object]]) -> bool:
    point = ord(char)
    return any(
        (op is ops.LITERAL and value == point)
        or (op is ops.RANGE and value[0] <= point <= value[1])
        or (op is ops.CATEGORY and re.fullmatch(_CLASS[value], char))
        for op, value in items
    )


_CLASS = {
    ops.CATEGORY_DIGIT: r"\d",
    ops.CATEGORY_NOT_DIGIT: r"\D",
    ops.CATEGORY_SPACE: r"\s",
    ops.CATEGORY_NOT_SPACE: r"\S",
    ops.CATEGORY_WORD: r"\w",
    ops.CATEGORY_NOT_WORD: r"\W",
}


def bound(name: str) -> int:
    """Return the length of the strings for a pattern."""
    return next((size for place, (size, _) in BOUNDS.items() if name == place or name.startswith(f"{place}[")), LENGTH)


def attempt(pattern: re.Pattern, method: str, text: str) -> None:
    """Run a pattern on a text to the end, by one method."""
    subject = text if isinstance(pattern.pattern, str) else text.encode("latin-1", "replace")
    if method in ("sub", "subn"):
        getattr(pattern, method)(subject[:0], subject)
    elif method == "finditer":
        for _ in pattern.finditer(subject):
            pass
    else:
        getattr(pattern, method)(subject)


def told(line: str) -> None:
    """Say a line at once, so that it is there when the next pattern hangs."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(share: int, of: int) -> None:
    """Try every `of`-th pattern, beginning with number `share`."""
    tried = strings = 0
    for number, (name, pattern, methods) in enumerate(patterns()):
        if number % of != share:
            continue
        tried += 1
        for method in methods:
            told(f"{name} {method}")
            for text in attacks(pattern, bound(name)):
                strings += 1
                attempt(pattern, method, text)
    told(f"done {tried} {strings}")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
