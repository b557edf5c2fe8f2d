"""Shell strings as trees of simple commands: the values, and the values of words."""

import re
from typing import NamedTuple


class Dynamic(str):
    """A word whose value only the running shell knows: its source text, quotes removed."""

    __slots__ = ()


class Redirect(NamedTuple):
    """A redirection of standard input or output from or to a file; other descriptors are dropped."""

    operator: str
    """`<`, `>` or `>>`."""
    target: str


class Simple(NamedTuple):
    """One simple command: assignments, words and where its input comes from."""

    words: tuple[str, ...]
    assignments: tuple[tuple[str, str], ...] = ()
    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    """The body of a heredoc or here-string."""
    inner: "tuple[Node, ...]" = ()
    """What command and process substitutions inside the words run."""


class Pipeline(NamedTuple):
    """Commands joined by `|` or `|&`."""

    stages: "tuple[Node, ...]"


class AndOr(NamedTuple):
    """Commands joined by `&&` and `||`, left to right."""

    first: "Node"
    rest: "tuple[tuple[str, Node], ...]"


class Sequence(NamedTuple):
    """Commands that run one after another whatever each returns (`;`, newline)."""

    items: "tuple[Node, ...]"


class Background(NamedTuple):
    """A command started with `&`."""

    node: "Node"


class Negated(NamedTuple):
    """A command after `!`."""

    node: "Node"


class Group(NamedTuple):
    """A compound command: `subshell`, `group`, `loop`, `if`, `case`; `unparsed` is put round a string with errors."""

    kind: str
    parts: "tuple[Node, ...]"
    condition: "Node | None" = None
    redirects: tuple[Redirect, ...] = ()


class Function(NamedTuple):
    """A function definition; its body runs where its name is called."""

    name: str
    body: "Node"


Node = Simple | Pipeline | AndOr | Sequence | Background | Negated | Group | Function

_QUOTED = re.compile(r"['\"\\$]")
_PIECE = re.compile(r"'([^']*+)'|\"((?:[^\"\\]++|\\.)*+)\"|\\(.)|([^'\"\\]++)", re.DOTALL)
_ESCAPE = re.compile(r'\\(["\\$`\n])')
_EXPANSION = re.compile(r"\$[A-Za-z_0-9?!#@*$-]")
_UNESCAPED_EXPANSION = re.compile(r"(?<!\\)(?:\\\\)*+\$[A-Za-z_0-9?!#@*$-]")


def unquote(text: str) -> str:
    """Return the value of a shell word by POSIX quoting rules; `Dynamic` where it holds an expansion."""
    if not _QUOTED.search(text):
        return text
    out: list[str] = []
    dynamic = False
    for single, double, escaped, plain in _PIECE.findall(text):
        if plain:
            dynamic = dynamic or _EXPANSION.search(plain) is not None
            out.append(plain)
        elif double:
            dynamic = dynamic or _UNESCAPED_EXPANSION.search(double) is not None
            out.append(_ESCAPE.sub(_unescape, double))
        elif escaped:
            out.append("" if escaped == "\n" else escaped)
        else:
            out.append(single)
    value = "".join(out)
    return Dynamic(value) if dynamic else value


def _unescape(match: re.Match[str]) -> str:
    return "" if match[1] == "\n" else match[1]


def redirect(operator: str, target: str) -> Redirect | None:
    """Return the redirection to keep: input and standard output, from or to files."""
    sign = operator.lstrip("0123456789")
    descriptor = operator[: len(operator) - len(sign)]
    if sign in ("<&", ">&") and (target.isdigit() or target == "-"):
        return None
    if sign == "<":
        return Redirect("<", target) if descriptor in ("", "0") else None
    if descriptor in ("", "1"):
        return Redirect(">>" if sign.endswith(">>") else ">", target)
    return None
