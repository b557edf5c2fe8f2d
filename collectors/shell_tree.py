"""The tree reader: any bash string to the tree of `shell`, by tree-sitter-bash."""

import re
from collections.abc import Callable, Iterator
from functools import cache, reduce
from typing import TYPE_CHECKING

from collectors.shell import (
    Background,
    Function,
    Group,
    Negated,
    Node,
    Redirect,
    Sequence,
    Simple,
    redirect,
)
from collectors.shell_join import fed, joined, piped, redirected
from collectors.shell_words import test_words, text_of, word

if TYPE_CHECKING:
    import tree_sitter

MAX_DEPTH = 40
"""Nesting below which a statement is dropped: log text is hostile."""

_TIMED_GROUP = re.compile(r"(^|[;&|\n({]|\bdo|\bthen)([ \t]*)time(?:[ \t]+-p)?[ \t]+(?=[({])")
_SUBSTITUTIONS = frozenset({"command_substitution", "process_substitution"})
_LOOPS = frozenset({"for_statement", "c_style_for_statement", "while_statement"})


@cache
def _parser() -> "tree_sitter.Parser":
    import tree_sitter
    import tree_sitter_bash

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def read(command: str) -> Node:
    """Return the tree of `command`; what the grammar cannot place is left out and the rest is marked `unparsed`."""
    # The grammar reads `time {` as a command with the argument `{`.
    source = _TIMED_GROUP.sub(r"\1\2", command).encode("utf-8", "replace")
    root = _parser().parse(source).root_node
    tree = _sequence(root, 0)
    return Group("unparsed", (tree,)) if root.has_error else tree


def _sequence(node: "tree_sitter.Node", depth: int) -> Node:
    items: list[Node] = []
    for child in node.children:
        if child.type == "&" and items:
            items[-1] = Background(items[-1])
        elif child.is_named:
            made = _statement(child, depth + 1)
            if made is not None:
                items.append(made)
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _statement(node: "tree_sitter.Node", depth: int) -> Node | None:
    make = _STATEMENTS.get(node.type)
    if make is None or depth > MAX_DEPTH:
        return None
    return make(node, depth)


def _named(node: "tree_sitter.Node", depth: int) -> list[Node]:
    made = (_statement(child, depth + 1) for child in node.named_children)
    return [item for item in made if item is not None]


def _list(node: "tree_sitter.Node", depth: int) -> Node | None:
    # `a && b && c` nests to the left, as deep as it is long: walked without recursion.
    pending: list[tree_sitter.Node] = list(reversed(node.children))
    left: Node | None = None
    operator = ""
    while pending:
        child = pending.pop()
        if child.type == "list":
            pending.extend(reversed(child.children))
        elif child.type in ("&&", "||", ";"):
            operator = child.type
        elif child.is_named and (made := _statement(child, depth + 1)) is not None:
            left = made if left is None else joined(left, operator, made)
    return left


def _pipeline(node: "tree_sitter.Node", depth: int) -> Node | None:
    stages = _named(node, depth)
    return reduce(piped, stages) if stages else None


def _negated(node: "tree_sitter.Node", depth: int) -> Node | None:
    inner = _named(node, depth)
    return Negated(inner[0]) if inner else None


def _group(kind: str) -> Callable[["tree_sitter.Node", int], Node]:
    def make(node: "tree_sitter.Node", depth: int) -> Node:
        return Group(kind, (_sequence(node, depth),))

    return make


def _loop(node: "tree_sitter.Node", depth: int) -> Node:
    conditions: list[Node] = []
    body: Node = Sequence(())
    for child in node.named_children:
        if child.type in ("do_group", "compound_statement"):
            body = _sequence(child, depth)
        elif node.type == "while_statement":
            made = _statement(child, depth + 1)
            if made is not None:
                conditions.append(made)
        else:  # the words a `for` runs over
            conditions.extend(_substituted(child, depth))
    return Group("loop", (body,), Sequence(tuple(conditions)) if conditions else None)


def _if(node: "tree_sitter.Node", depth: int) -> Node:
    conditions: list[Node] = []
    body: list[Node] = []
    branches: list[Node] = []
    is_condition = True
    for child in node.children:
        if child.type == "then":
            is_condition = False
        elif child.type in ("elif_clause", "else_clause"):
            branches.append(_if(child, depth + 1) if child.type == "elif_clause" else _sequence(child, depth + 1))
        elif child.is_named:
            made = _statement(child, depth + 1)
            if made is not None:
                (conditions if is_condition else body).append(made)
    condition = conditions[0] if len(conditions) == 1 else Sequence(tuple(conditions))
    then = body[0] if len(body) == 1 else Sequence(tuple(body))
    return Group("if", (then, *branches), condition)


def _case(node: "tree_sitter.Node", depth: int) -> Node:
    parts = tuple(_sequence(child, depth + 1) for child in node.named_children if child.type == "case_item")
    return Group("case", parts)


def _function(node: "tree_sitter.Node", depth: int) -> Node | None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    made = _statement(body, depth + 1) if body is not None else None
    return Function(text_of(name), made) if name is not None and made is not None else None


def _redirected(node: "tree_sitter.Node", depth: int) -> Node | None:
    body = node.child_by_field_name("body")
    made: Node | None = _statement(body, depth + 1) if body is not None else Simple(())
    end = body.end_byte if body is not None else node.start_byte
    for child in node.named_children:
        if made is not None and child.type in ("file_redirect", "herestring_redirect", "heredoc_redirect"):
            # The grammar gives no node to the last word of `python - <<EOF`.
            if isinstance(made, Simple) and _between(node, end, child.start_byte) == b"-":
                made = made._replace(words=(*made.words, "-"))
            made = _with_redirect(made, child, depth)
            end = child.end_byte
    return made


def _between(node: "tree_sitter.Node", start: int, end: int) -> bytes:
    return (node.text or b"")[start - node.start_byte : end - node.start_byte].strip()


def _with_redirect(made: Node, node: "tree_sitter.Node", depth: int) -> Node:
    if node.type == "file_redirect":
        return redirected(made, *_file_redirect(node, depth))
    if node.type == "herestring_redirect":
        text = word(node.named_children[-1]) if node.named_children else ""
        return fed(made, text, tuple(_substituted(node, depth)))
    return _heredoc(made, node, depth)


def _file_redirect(node: "tree_sitter.Node", depth: int) -> tuple[Redirect | None, tuple[Node, ...]]:
    descriptor = operator = ""
    target = ""
    for child in node.children:
        if child.type == "file_descriptor":
            descriptor = text_of(child)
        elif child.is_named:
            target = target or word(child)
        else:
            operator = text_of(child)
    return redirect(descriptor + operator, target), tuple(_substituted(node, depth))


def _heredoc(made: Node, node: "tree_sitter.Node", depth: int) -> Node:
    # The grammar puts what follows `<<EOF` on its line (`| bash`, `&& next`, `> file`) inside the redirect.
    parts = {child.type: child for child in node.named_children}
    start, body, end = parts.get("heredoc_start"), parts.get("heredoc_body"), parts.get("heredoc_end")
    is_quoted = start is not None and text_of(start)[:1] in "'\"\\"
    inner = tuple(_substituted(body, depth)) if body is not None and not is_quoted else ()
    made = fed(made, _heredoc_text(node, start, end) if body is not None else "", inner)
    operator = "&&"
    for child in node.children:
        if child.type == "file_redirect":
            made = redirected(made, *_file_redirect(child, depth))
        elif child.type in ("&&", "||", ";"):
            operator = child.type
        elif child.type == "pipeline":
            made = reduce(piped, _named(child, depth), made)
        elif child.type in _STATEMENTS:
            following = _statement(child, depth + 1)
            made = made if following is None else joined(made, operator, following)
    return made


def _heredoc_text(node: "tree_sitter.Node", start: "tree_sitter.Node | None", end: "tree_sitter.Node | None") -> str:
    """Return the lines after that of `<<EOF`; the grammar's own body lacks leading blanks."""
    source = node.text or b""
    first = source.find(b"\n", start.end_byte - node.start_byte if start is not None else 0) + 1
    last = end.start_byte - node.start_byte if end is not None else len(source)
    return source[first:last].decode("utf-8", "replace")


def _command(node: "tree_sitter.Node", depth: int) -> Node:
    words: list[str] = []
    assignments: list[tuple[str, str]] = []
    redirects: list[Redirect] = []
    inner: list[Node] = []
    stdin: str | None = None
    for child in node.children:
        inner.extend(_substituted(child, depth))
        if child.type == "variable_assignment":
            assignments.append(_assignment(child))
        elif child.type == "file_redirect":
            kept, _ = _file_redirect(child, depth)
            redirects.extend([kept] if kept is not None else [])
        elif child.type == "herestring_redirect":
            stdin = word(child.named_children[-1]) if child.named_children else ""
        elif child.type != "comment":
            words.append(word(child))
    return Simple(tuple(words), tuple(assignments), tuple(redirects), stdin, tuple(inner))


def _assignment(node: "tree_sitter.Node") -> tuple[str, str]:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    return (text_of(name) if name is not None else ""), (word(value) if value is not None else "")


def _assignments(node: "tree_sitter.Node", depth: int) -> Node:
    nodes = [node] if node.type == "variable_assignment" else node.named_children
    pairs = tuple(_assignment(child) for child in nodes if child.type == "variable_assignment")
    return Simple((), pairs, inner=tuple(_substituted(node, depth)))


def _declaration(node: "tree_sitter.Node", depth: int) -> Node:
    words = tuple(word(child) for child in node.children)
    return Simple(words, inner=tuple(_substituted(node, depth)))


def _test(node: "tree_sitter.Node", depth: int) -> Node:
    words = tuple(test_words(node))
    return Simple(words, inner=tuple(_substituted(node, depth)))


def _substituted(node: "tree_sitter.Node", depth: int) -> Iterator[Node]:
    """Yield what the substitutions in a word run, outermost only."""
    if depth > MAX_DEPTH or not node.child_count:
        return
    for child in (node,) if node.type in _SUBSTITUTIONS else node.named_children:
        if child.type in _SUBSTITUTIONS:
            yield _sequence(child, depth + 1)
        else:
            yield from _substituted(child, depth + 1)


_STATEMENTS: dict[str, Callable[["tree_sitter.Node", int], Node | None]] = {
    "command": _command,
    "list": _list,
    "pipeline": _pipeline,
    "redirected_statement": _redirected,
    "negated_command": _negated,
    "subshell": _group("subshell"),
    "compound_statement": _group("group"),
    "if_statement": _if,
    "case_statement": _case,
    "function_definition": _function,
    "variable_assignment": _assignments,
    "variable_assignments": _assignments,
    "declaration_command": _declaration,
    "unset_command": _declaration,
    "test_command": _test,
    **dict.fromkeys(_LOOPS, _loop),
}
