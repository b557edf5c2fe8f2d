"""Setting members of a JSON file by editing its text: everything else keeps its bytes, its order and its comments."""

import json
import re
from collections.abc import Mapping

from pipeline.connect_scan import Node, parse


def set_member(text: str, path: tuple[str, ...], value: object, *, with_comments: bool) -> str:
    """Return the text in which the member at a path has a value; the same text where it has it already.

    Raises:
        ValueError: it is no JSON, or what stands on the way to the member is no object.
    """
    if not text.strip():
        text = "{}\n"
    node = parse(text, with_comments=with_comments)
    for depth, key in enumerate(path):
        if node.members is None:
            raise ValueError(f"{'.'.join(path[:depth])} is no object")
        found = node.members.get(key)
        if found is None:
            held = value
            for name in reversed(path[depth + 1 :]):
                held = {name: held}
            return _checked(text, _inserted(text, node, key, held), path, value, with_comments=with_comments)
        node = found
    if _is_same(node.value, value):
        return text
    changed = text[: node.start] + json.dumps(value) + text[node.end :]
    return _checked(text, changed, path, value, with_comments=with_comments)


def _checked(before: str, after: str, path: tuple[str, ...], value: object, *, with_comments: bool) -> str:
    """Return the text after an edit, having read it: what it says is what it said, and the one member."""
    wanted = parse(before, with_comments=with_comments).value
    held = wanted
    for key in path[:-1]:
        held = held.setdefault(key, {})
    held[path[-1]] = value
    if parse(after, with_comments=with_comments).value != wanted:
        raise ValueError(f"{'.'.join(path)} cannot be set without rewriting other lines")
    return after


def _is_same(held: object, value: object) -> bool:
    return type(held) is type(value) and held == value


def _inserted(text: str, node: Node, key: str, value: object) -> str:
    outer = _indent_at(text, node.start)
    unit = _unit(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    # where the last of what it holds ends, comments included
    tail = node.start + len(text[node.start : node.end - 1].rstrip())
    if not node.key_starts:
        member = _member(key, value, outer + unit, newline, unit)
        return f"{text[:tail]}{newline}{outer}{unit}{member}{newline}{outer}{text[node.end - 1 :]}"
    first, held = node.key_starts[0], text[node.last_end : tail]
    if "\n" in text[node.start : first] or "//" in held:
        indent = _indent_at(text, first)
        member = newline + indent + _member(key, value, indent, newline, unit)
    else:
        member = f" {json.dumps(key)}: {json.dumps(value)}"
    if node.has_comma:
        return text[:tail] + member + "," + text[tail:]
    return text[: node.last_end] + "," + held + member + text[tail:]


def _member(key: str, value: object, indent: str, newline: str, unit: str) -> str:
    is_nested = isinstance(value, Mapping)
    held = json.dumps(value, indent=unit).replace("\n", newline + indent) if is_nested else json.dumps(value)
    return f"{json.dumps(key)}: {held}"


def _indent_at(text: str, position: int) -> str:
    """Return the space at the start of the line in which a position is."""
    line = text[text.rfind("\n", 0, position) + 1 : position]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _unit(text: str) -> str:
    match = re.search(r"\n([ \t]+)\S", text)
    return match[1] if match else "  "
