"""Words of a tree-sitter-bash tree as shell words: quotes removed, expansions marked."""

import codecs
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from collectors.shell import Dynamic, unquote

if TYPE_CHECKING:
    import tree_sitter

_EXPANDING = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})


def text_of(node: "tree_sitter.Node") -> str:
    """Return the source text of a node."""
    return (node.text or b"").decode("utf-8", "replace")


def test_words(node: "tree_sitter.Node") -> Iterator[str]:
    """Yield the words of a test command, brackets and operators included."""
    for child in node.children:
        if child.type.endswith("_expression") and child.type != "brace_expression":
            yield from test_words(child)
        else:
            yield word(child)


def word(node: "tree_sitter.Node") -> str:
    """Return the value of a word, by its quoting; `Dynamic` where only the running shell knows it."""
    make = _WORDS.get(node.type)
    if make is not None:
        return make(node)
    text = text_of(node)
    if node.type in _EXPANDING or node.type == "process_substitution":
        return Dynamic(text)
    if node.child_count or node.type == "word":
        return unquote(text) if not _has_expansion(node) else Dynamic(text)
    return text


def _has_expansion(node: "tree_sitter.Node") -> bool:
    return any(child.type in _EXPANDING or _has_expansion(child) for child in node.named_children)


def _string(node: "tree_sitter.Node") -> str:
    value = unquote(text_of(node)[1:-1].join('""'))
    return Dynamic(value) if _has_expansion(node) else str(value)


def _raw_string(node: "tree_sitter.Node") -> str:
    return text_of(node)[1:-1]


def _ansi_string(node: "tree_sitter.Node") -> str:
    text = text_of(node)[2:-1]
    try:
        with warnings.catch_warnings(action="ignore"):  # an escape that Python does not know stays as it is
            return codecs.decode(text.encode("latin-1", "backslashreplace"), "unicode_escape")
    except UnicodeDecodeError:
        return text


def _concatenation(node: "tree_sitter.Node") -> str:
    parts = [word(child) for child in node.children]
    value = "".join(parts)
    return Dynamic(value) if any(isinstance(part, Dynamic) for part in parts) else value


def _command_name(node: "tree_sitter.Node") -> str:
    return word(node.children[0]) if node.child_count == 1 else unquote(text_of(node))


_WORDS: dict[str, Callable[["tree_sitter.Node"], str]] = {
    "string": _string,
    "raw_string": _raw_string,
    "ansi_c_string": _ansi_string,
    "concatenation": _concatenation,
    "command_name": _command_name,
}
