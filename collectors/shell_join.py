"""Shell trees put together: lists, pipes and what binds to the last command only."""

from collections.abc import Callable

from collectors.shell import AndOr, Group, Negated, Node, Pipeline, Redirect, Sequence, Simple


def joined(left: Node, operator: str, right: Node) -> Node:
    """Return `left <operator> right`, flat: `&&` and `||` bind equally and to the left."""
    if operator == ";":
        return Sequence((left, right))
    first, rest = (left.first, left.rest) if isinstance(left, AndOr) else (left, ())
    if isinstance(right, AndOr):
        return AndOr(first, (*rest, (operator, right.first), *right.rest))
    return AndOr(first, (*rest, (operator, right)))


def piped(left: Node, right: Node) -> Node:
    """Return `left | right`, binding tighter than `&&`: the grammar nests them wrongly after a redirection."""
    if isinstance(left, AndOr):
        operator, last = left.rest[-1]
        front = AndOr(left.first, left.rest[:-1]) if len(left.rest) > 1 else left.first
        return joined(front, operator, piped(last, right))
    if isinstance(right, AndOr):
        return AndOr(piped(left, right.first), right.rest)
    if isinstance(left, Negated):  # `! a | b` negates the pipeline
        return Negated(piped(left.node, right))
    before = left.stages if isinstance(left, Pipeline) else (left,)
    after = right.stages if isinstance(right, Pipeline) else (right,)
    return Pipeline((*before, *after))


def redirected(node: Node, kept: Redirect | None, inner: tuple[Node, ...]) -> Node:
    """Return `node` with a redirection on its last command; `inner` runs to make the file's name."""

    def change(last: Node) -> Node:
        if isinstance(last, Simple):
            redirects = (*last.redirects, kept) if kept is not None else last.redirects
            return last._replace(redirects=redirects, inner=(*last.inner, *inner))
        if isinstance(last, Group) and kept is not None:
            return last._replace(redirects=(*last.redirects, kept))
        return last

    return _on_last(node, change)


def fed(node: Node, text: str, inner: tuple[Node, ...]) -> Node:
    """Return `node` with `text` as the input of its last command; `inner` runs to make the text."""

    def change(last: Node) -> Node:
        if isinstance(last, Simple):
            return last._replace(stdin=text, inner=(*last.inner, *inner))
        return last

    return _on_last(node, change)


def _on_last(node: Node, change: Callable[[Node], Node]) -> Node:
    if isinstance(node, AndOr):
        operator, last = node.rest[-1]
        return AndOr(node.first, (*node.rest[:-1], (operator, _on_last(last, change))))
    if isinstance(node, Pipeline):
        return Pipeline((*node.stages[:-1], _on_last(node.stages[-1], change)))
    if isinstance(node, Negated):
        return Negated(_on_last(node.node, change))
    if isinstance(node, Sequence) and node.items:
        return Sequence((*node.items[:-1], _on_last(node.items[-1], change)))
    return change(node)
