"""Reading JSON with places: where each value stands in the text, so that one can be changed and the rest kept.

`jsonc` is JSON with `//` and `/* */` comments and a comma after the last member, as the settings of VS Code and of
Gemini CLI are written.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

_SPACE = re.compile(r"[ \t\r\n]*")
_SPACE_AND_COMMENTS = re.compile(r"(?:[ \t\r\n]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_ATOM = re.compile(r"[^\s,\]}/]+")
_DEEPEST = 200


@dataclass(slots=True)
class Node:
    """A value, and where it stands in the text."""

    start: int
    end: int
    value: Any
    members: "dict[str, Node] | None" = None
    """Of an object; where a key stands twice the last one counts, as for every reader of JSON."""
    key_starts: list[int] = field(default_factory=list)
    last_end: int = 0
    """Where the last member's value ends."""
    has_comma: bool = False
    """Whether a comma follows the last member."""


class _Scanner:
    """Reads one text; raises ValueError that names the line of what is wrong."""

    def __init__(self, text: str, *, with_comments: bool) -> None:
        self.text, self.position = text, 0
        self._space = _SPACE_AND_COMMENTS if with_comments else _SPACE
        self._with_comments = with_comments

    def document(self) -> Node:
        node = self.value(0)
        self.skip()
        if self.position != len(self.text):
            raise self.fault("nothing may follow the value")
        return node

    def value(self, depth: int) -> Node:
        self.skip()
        start = self.position
        char = self.text[start : start + 1]
        if depth > _DEEPEST:
            raise self.fault("it is nested too deeply")
        if char == "{":
            return self.object(depth)
        if char == "[":
            return self.array(depth)
        if char == '"':
            read = self.string()
            return Node(start, self.position, read)
        return self.atom()

    def atom(self) -> Node:
        match = _ATOM.match(self.text, self.position)
        if match is None:
            raise self.fault("a value is missing")
        try:
            read = json.loads(match[0])
        except ValueError as fault:
            raise self.fault(f"{match[0][:40]} is no value") from fault
        start, self.position = self.position, match.end()
        return Node(start, self.position, read)

    def object(self, depth: int) -> Node:
        node = Node(self.position, 0, {}, members={})
        assert node.members is not None
        self.position += 1
        while not self.closes("}", node):
            node.key_starts.append(self.position)
            key = self.string()
            self.skip()
            self.expect(":")
            member = self.value(depth + 1)
            node.members[key], node.value[key], node.last_end = member, member.value, member.end
            node.has_comma = self.comma("}")
        node.end = self.position
        return node

    def array(self, depth: int) -> Node:
        node = Node(self.position, 0, [])
        self.position += 1
        while not self.closes("]", node):
            node.value.append(self.value(depth + 1).value)
            node.has_comma = self.comma("]")
        node.end = self.position
        return node

    def closes(self, bracket: str, node: Node) -> bool:
        self.skip()
        if self.text[self.position : self.position + 1] != bracket:
            return False
        if node.has_comma and not self._with_comments:
            raise self.fault("a comma stands before the end")
        self.position += 1
        return True

    def comma(self, bracket: str) -> bool:
        self.skip()
        char = self.text[self.position : self.position + 1]
        if char == ",":
            self.position += 1
            return True
        if char != bracket:
            raise self.fault(f"a comma or {bracket} is missing")
        return False

    def string(self) -> str:
        match = _STRING.match(self.text, self.position)
        if match is None:
            raise self.fault("a string is missing or has no end")
        try:
            read: str = json.loads(match[0])
        except ValueError as fault:
            raise self.fault("a string is damaged") from fault
        self.position = match.end()
        return read

    def expect(self, char: str) -> None:
        if self.text[self.position : self.position + 1] != char:
            raise self.fault(f"{char} is missing")
        self.position += 1

    def skip(self) -> None:
        match = self._space.match(self.text, self.position)
        assert match is not None
        self.position = match.end()

    def fault(self, reason: str) -> ValueError:
        return ValueError(f"line {self.text.count(chr(10), 0, self.position) + 1}: {reason}")


def parse(text: str, *, with_comments: bool) -> Node:
    """Return the object that a text is; a text of nothing but space is an empty one.

    Raises:
        ValueError: it is no JSON, or no object.
    """
    node = _Scanner(text if text.strip() else "{}", with_comments=with_comments).document()
    if node.members is None:
        raise ValueError("line 1: it is no object")
    return node
