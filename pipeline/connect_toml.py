"""Setting keys of a TOML file by editing its text: only our keys change, comments and order stay.

A file is taken apart into statements - a header, a key with its value, or a line of nothing - each of which TOML's own
parser understands alone, so no grammar is written twice.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

_LONGEST = 10_000
"""Lines of one value; a longer one is no setting."""


class Statement(NamedTuple):
    """Some whole lines of a file."""

    text: str
    path: tuple[str, ...]
    """From the file's top; empty for a comment or a blank line."""
    is_header: bool
    table: tuple[str, ...]
    """In which table it stands; of a header, the table that it begins."""


def set_key(text: str, path: tuple[str, ...], value: object) -> str:
    """Return the text in which a key of a table has a value; the same text where it has it already.

    Args:
        text: TOML.
        path: A table and a key in it.
        value: A truth value, a text, or a table of them, which is written in one line.

    Raises:
        ValueError: it is no TOML, or the key cannot be set without rewriting more than our table.
    """
    if _value_at(tomllib.loads(text), path) == value:
        return text
    newline = "\r\n" if "\r\n" in text else "\n"
    table, line = path[:-1], f"{path[-1]} = {literal(value)}{newline}"
    statements = list(_statements(text))
    place = next((at for at, one in enumerate(statements) if _is_ours(one, path) and one.table == table), None)
    if place is None:
        place = max((at + 1 for at, one in enumerate(statements) if one.table == table and one.path), default=None)
    kept = [("" if _is_ours(one, path) else one.text) for one in statements]
    if place is None:
        before = "".join(kept)
        gap = "" if not before else newline if before.endswith("\n") else newline * 2
        changed = f"{before}{gap}[{'.'.join(table)}]{newline}{line}"
    else:
        before = "".join(kept[:place])
        if place < len(statements) and _is_ours(statements[place], path):
            line = line.removesuffix(newline) + _comment(statements[place].text) + newline
        changed = before + ("" if before.endswith("\n") or not before else newline) + line + "".join(kept[place:])
    if not _is_only_change(text, changed, path, value):
        raise ValueError(f"{'.'.join(path)} cannot be set without rewriting other lines")
    return changed


def literal(value: object) -> str:
    """Return a value as TOML in one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {literal(part)}" for name, part in value.items()) + " }"
    return json.dumps(value, ensure_ascii=False)


def _is_ours(one: Statement, path: tuple[str, ...]) -> bool:
    return one.path[: len(path)] == path


def _comment(text: str) -> str:
    """Return the comment behind the value of a statement, with the space before it."""
    line, whole = text.rstrip("\r\n"), tomllib.loads(text)
    for at in (at for at, char in enumerate(line) if char == "#"):
        try:
            if tomllib.loads(line[:at]) == whole:
                return line[len(line[:at].rstrip()) :]
        except tomllib.TOMLDecodeError:
            continue  # it stands in a string
    return ""


def _value_at(held: object, path: tuple[str, ...]) -> object:
    for key in path:
        held = held.get(key) if isinstance(held, dict) else None
    return held


def _is_only_change(before: str, after: str, path: tuple[str, ...], value: object) -> bool:
    try:
        held = tomllib.loads(after)
    except tomllib.TOMLDecodeError:
        return False
    wanted = tomllib.loads(before)
    table = wanted
    for key in path[:-1]:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            return False
    table[path[-1]] = value
    return held == wanted


def _statements(text: str) -> Iterator[Statement]:
    table: tuple[str, ...] = ()
    held = ""
    for count, line in enumerate(text.splitlines(keepends=True)):
        held += line
        if held.count("\n") > _LONGEST:
            raise ValueError(f"line {count + 1}: the value is too long")
        try:
            found = tomllib.loads(held)
        except tomllib.TOMLDecodeError:
            continue  # a value goes on in the next line
        path = tuple(_path(found))
        is_header = bool(path) and held.lstrip().startswith("[")
        table = path if is_header else table
        yield Statement(held, path if is_header or not path else (*table, *path), is_header, table)
        held = ""
    if held:
        yield Statement(held, (), False, table)


def _path(found: object) -> Iterator[str]:
    """Yield the keys that a statement names: those of tables with one key, which is how it is read alone."""
    while isinstance(found, dict | list) and len(found) == 1:
        [step] = found
        if isinstance(found, list):
            found = step
            continue
        yield step
        found = found[step]
