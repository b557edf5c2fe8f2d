"""The quick reader: shell strings without compound syntax, by one pass over segments.

It covers words, quotes, `$NAME`, redirections, heredocs, pipes and the operators `&& || ; & !`. Anything else
(substitutions, groups, loops) it declines, and `shell_tree` reads it; both give the same tree for what both can read.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from collectors.shell import AndOr, Background, Negated, Node, Pipeline, Redirect, Sequence, Simple, redirect, unquote

MAX_CACHED = 500
"""Characters of a segment that is kept in the cache; longer ones seldom come again."""

_SEGMENT = re.compile(
    r"""((?:
        [^\s;|&"'\\`$<>()\#]++ | [ \t\r]++
      | '[^']*+' | "(?:[^"\\`$]++|\\.|\$(?![({\[]))*+" | \\. | \$(?![({\['"])
      | [<>]& | &>>? (?!\() | >\|? (?!\() | <<(?![<(]) | <(?![<(])
      | (?<=[^\s;|&])\#
    )*+)
    (&&|\|\||\|&|;(?!;)|\||&|\n|\#[^\n]*+|)""",
    re.VERBOSE | re.DOTALL,
)
"""A simple command and what ends it; what neither part matches is left over, which the length tells.

What ends it may be nothing, so that a quote left open is met once and not from each place before it.
"""
_TOKEN = re.compile(
    r"""(?:[ \t\r]++|\\\n)*+(?:
      (\d{0,2}(?:>>|>\||[<>]&|<<-?|>|<)|&>>?)                          # a redirection
    | ((?:[^\s"'\\<>&]++|\\.|'[^']*+'|"(?:[^"\\]++|\\.)*+")++)        # a word
    |)                                                               # nothing: blanks at the end are read once
    """,
    re.VERBOSE | re.DOTALL,
)
_HEREDOC = re.compile(r"(?<!<)<<(-?)[ \t]*+(?:'([^'\s]+)'|\"([^\"\s]+)\"|([\w.-]+))")
_SUBSTITUTION = re.compile(r"\$\(|`|\$\{")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\+?=")
_PLAIN = re.compile(
    r" *+(?!(?:if|for|while|until|case|select|function|coproc|time|then|do) )"
    r"[\w./@%+:,^-]++(?: ++[\w./@%+:,=^-]++)*+ *+"
)
"""One simple command without quotes, expansions, assignments and redirections."""
_PLAIN_SEGMENT = re.compile(rf"({_PLAIN.pattern})(?:2>&1|2>/dev/null)? *+")
COMPOUND = frozenset(
    {"if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac", "select", "function"}
    | {"coproc", "{", "}", "[[", "]]", "time"}
)
"""Words that start or end compound commands where a command may start.

`time` is among them since it also times groups; the tree reader peels it before those.
"""

_EMPTY = Simple(())


def quick(command: str) -> Node | None:
    """Return the tree of a command without compound syntax, None where the quick reader declines."""
    if _PLAIN.fullmatch(command):
        return Simple(tuple(command.split()))
    bodies: Iterator[str] = iter(())
    if "<<" in command:
        cut = _without_heredocs(command)
        if cut is None:
            return None
        command, bodies = cut[0], iter(cut[1])
    segments = _SEGMENT.findall(command)
    if sum([len(text) + len(sign) for text, sign in segments]) != len(command):
        return None
    tree = _tree(segments, bodies)
    return tree if next(bodies, None) is None else None


def _tree(segments: list[tuple[str, str]], bodies: Iterator[str]) -> Node | None:
    items: list[Node] = []
    chain: list[tuple[str, Node]] = []
    stages: list[Node] = []
    operator = ""
    is_negated = is_open = False  # open: the last operator waits for a command
    node: Node | None
    for text, sign in segments:
        node = _segment(text) if len(text) <= MAX_CACHED else _segment.__wrapped__(text)
        is_line_end = sign == "\n" or sign[:1] == "#"
        if node is None or (node is _EMPTY and not is_line_end and (sign or is_open)):
            return None
        if node is _EMPTY and is_open:
            continue
        if node is not _EMPTY:
            if isinstance(node, Negated):
                is_negated, node = True, node.node
            if "<<" in text and isinstance(node, Simple):
                node = _fed(node, bodies)
                if node is None:
                    return None
            stages.append(node)
            is_open = False
        if sign[:1] == "#":
            continue
        is_open = sign in ("&&", "||", "|", "|&")
        if sign in ("|", "|&"):
            continue
        if stages:
            whole = stages[0] if len(stages) == 1 else Pipeline(tuple(stages))
            chain.append((operator, Negated(whole) if is_negated else whole))
            stages, operator, is_negated = [], "", False
        if is_open:
            operator = sign
        elif chain:
            whole = chain[0][1] if len(chain) == 1 else AndOr(chain[0][1], tuple(chain[1:]))
            items.append(Background(whole) if sign == "&" else whole)
            chain = []
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _fed(node: Simple, bodies: Iterator[str]) -> Simple | None:
    """Return a command with the body of its heredoc; None where there is not exactly one."""
    body = next(bodies, None)
    kept = tuple(item for item in node.redirects if item.operator != "<<")
    if body is None or len(kept) != len(node.redirects) - 1:
        return None
    return node._replace(redirects=kept, stdin=body)


@lru_cache(maxsize=4096)
def _segment(text: str) -> Simple | Negated | None:
    """Return one simple command; `_EMPTY` for blanks, None where a compound begins."""
    plain = _PLAIN_SEGMENT.fullmatch(text)
    if plain is not None:
        return Simple(tuple(plain[1].split()))
    words: list[str] = []
    assignments: list[tuple[str, str]] = []
    redirects: list[Redirect] = []
    pending = ""
    is_negated = False
    for sign, word in filter(any, _TOKEN.findall(text)):
        if pending:
            if sign:
                return None
            kept = Redirect("<<", word) if pending.startswith("<<") else redirect(pending, unquote(word))
            redirects.extend([kept] if kept is not None else [])
            pending = ""
        elif sign:
            pending = sign
        elif words:
            words.append(unquote(word))
        elif word == "!" and not (is_negated or assignments or redirects):
            is_negated = True
        elif word in COMPOUND or word == "!":
            return None
        elif (match := _ASSIGNMENT.match(word)) is not None:
            assignments.append((match[1], unquote(word[match.end() :])))
        else:
            words.append(unquote(word))
    is_empty = not (words or assignments or redirects)
    if pending or (is_empty and is_negated):
        return None
    simple = _EMPTY if is_empty else Simple(tuple(words), tuple(assignments), tuple(redirects))
    return Negated(simple) if is_negated else simple


def _without_heredocs(command: str) -> tuple[str, list[str]] | None:
    """Return a command without the bodies of its heredocs, and those; None where one does not end or expands."""
    kept: list[str] = []
    bodies: list[str] = []
    position = 0
    while (match := _HEREDOC.search(command, position)) is not None:
        line_end = command.find("\n", match.end())
        word = match[2] or match[3] or match[4]
        tabs = r"\t*+" if match[1] else ""
        end = (
            re.compile(rf"^{tabs}{re.escape(word)}$", re.MULTILINE).search(command, line_end + 1)
            if line_end > 0
            else None
        )
        if end is None or "<<" in command[match.end() : line_end]:
            return None
        body = command[line_end + 1 : end.start()]
        if match[4] and _SUBSTITUTION.search(body):
            return None
        kept.append(command[position:line_end])
        bodies.append(body)
        position = end.end()
    kept.append(command[position:])
    return "".join(kept), bodies
