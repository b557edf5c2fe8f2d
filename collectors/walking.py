"""From a shell tree to the program runs in it: wrappers peeled, directory and environment carried along."""

import re

from collectors import shell_quick, shell_tree, windows
from collectors.peel import Peeled, is_peelable, peel
from collectors.runs import ASSIGNMENT, ERREXIT, NOTHING, Block, Leaf, Listed, Piped, Run, Tree, rank
from collectors.shell import (
    AndOr,
    Background,
    Dynamic,
    Function,
    Group,
    Negated,
    Node,
    Pipeline,
    Redirect,
    Sequence,
    Simple,
)
from collectors.shell_state import BUILTINS, State
from collectors.wrappers import SHELLS, basename

MAX_CHARACTERS = 100_000
"""Longer strings are cut before reading; what runs is at their start."""
NAME_MAX = 255
"""No file's name is longer (POSIX `NAME_MAX` on the usual systems), so no program's."""
MAX_NESTING = 8
"""Scripts inside scripts (`bash -c`, `eval`, functions) below which nothing is looked for."""

_VARIABLE = re.compile(r"\$\{?([A-Za-z_]\w*)\}?$")
_NOT_A_NAME = re.compile(r"[$`{}()*?]")
_STDIN_FLAGS = ("-s", "-", "-e", "-x", "-l", "-se", "-es")


def read(command: str, language: str = "bash") -> Node:
    """Return the shell tree of a string in `bash`, `powershell` or `cmd`."""
    command = command[:MAX_CHARACTERS]
    if language != "bash":
        return windows.read(command, language)
    quick = shell_quick.quick(command)
    return shell_tree.read(command) if quick is None else quick


def walk(node: Node, state: State) -> Tree:
    """Return the tree of runs of a shell tree; `state` holds what later commands see."""
    if isinstance(node, Simple):
        return _simple(node, state)
    if isinstance(node, AndOr):
        rest = [(operator, walk(item, state)) for operator, item in (("", node.first), *node.rest)]
        return Listed(tuple(rest))
    if isinstance(node, Pipeline):
        return _pipeline(node, state)
    if isinstance(node, Sequence):
        return _sequence(node, state)
    return _compound(node, state)


def _compound(node: Background | Negated | Function | Group, state: State) -> Tree:
    if isinstance(node, Background):
        return Block("background", (walk(node.node, state.copy()),))
    if isinstance(node, Negated):
        return Block("negated", (walk(node.node, state),))
    if isinstance(node, Function):
        state.functions = {**state.functions, node.name: node.body}
        return NOTHING
    inside = state.copy() if node.kind == "subshell" else state
    condition = () if node.condition is None else (Block("condition", (walk(node.condition, inside),)),)
    return Block(node.kind, (*condition, *(walk(part, inside) for part in node.parts)))


def _pipeline(node: Pipeline, state: State) -> Tree:
    stages: list[Tree] = []
    before: Node | None = None
    for stage in node.stages:
        script = _script_of(before, stage) if before is not None else None
        if script is not None and isinstance(stage, Simple):
            stages.pop()  # what it prints is the script: it is no run beside it
            stage = stage._replace(stdin=script)
        stages.append(walk(stage, state.copy()))
        before = stage
    return stages[0] if len(stages) == 1 else Piped(tuple(stages), state.is_pipefail)


def _script_of(before: Node, stage: Node) -> str | None:
    """Return the script that a shell reads from the command before it: `cat <<EOF | bash`, `echo '...' | sh`."""
    if not (isinstance(stage, Simple) and _reads_script(stage.words)) or stage.stdin is not None:
        return None
    if not isinstance(before, Simple):
        return None
    if before.words == ("cat",):
        return before.stdin
    return before.words[1] if len(before.words) == 2 and before.words[0] in ("echo", "printf") else None


def _reads_script(words: tuple[str, ...]) -> bool:
    if not words or words[0][-2:] not in ("sh", "xe"):  # every shell's name ends so, `bash.exe` too
        return False
    return basename(words[0]) in SHELLS and all(word in _STDIN_FLAGS for word in words[1:])


def _sequence(node: Sequence, state: State) -> Tree:
    items: list[tuple[str, Tree]] = []
    operator = ""
    for item in node.items:
        tree = walk(item, state)
        if tree is not NOTHING:
            items.append((operator, tree))
            operator = ERREXIT if state.is_errexit and not isinstance(item, Background) else ";"
    return items[0][1] if len(items) == 1 else Listed(tuple(items))


def _simple(node: Simple, state: State) -> Tree:
    state.budget[0] -= 1
    if state.budget[0] < 0:
        return NOTHING
    inner = tuple([walk(part, state.copy()) for part in node.inner]) if node.inner else ()
    if not node.words:
        return _assignment(node, state, inner)
    words = _resolved(node.words, state)
    head = words[0]
    if head in state.functions and state.depth < MAX_NESTING:
        return _called(state.functions[head], state)
    if head in BUILTINS:
        BUILTINS[head](words[1:], state)
    elif isinstance(head, Dynamic) or head in state.aliases:
        return Leaf(_run(node, words, _named(head, state), state), inner)
    name = basename(head)
    if not is_peelable(name, words):
        return Leaf(_run(node, words, name, state), inner)
    return _wrapped(node, peel(words), state, inner)


def _wrapped(node: Simple, peeled: Peeled, state: State, inner: tuple[Tree, ...]) -> Tree:
    script = peeled.script
    if script is None and node.stdin is not None and _reads_script(peeled.argv):
        script, peeled = node.stdin, peeled._replace(wrappers=(*peeled.wrappers, basename(peeled.argv[0])))
    if script is not None and state.depth < MAX_NESTING:
        return _script(node, peeled, script, state)
    program = peeled.program
    if program is None:
        program = _named(peeled.argv[0], state) if peeled.argv else peeled.wrappers[-1]
    return Leaf(_run(node, peeled.argv, program, state, peeled), inner)


def _resolved(words: tuple[str, ...], state: State) -> tuple[str, ...]:
    """Return the words with a leading `$NAME` replaced where the same string assigned it plain text."""
    if not state.variables or not isinstance(words[0], Dynamic):
        return words
    match = _VARIABLE.match(words[0])
    value = state.variables.get(match[1]) if match else None
    return (*value.split(), *words[1:]) if value and value.split() else words


def _named(word: str, state: State) -> str | None:
    """Return the program of a command word; where it has variables, known if only its directory is one."""
    if word in state.aliases:
        return None
    if not isinstance(word, Dynamic):
        return basename(word)
    name = word.rpartition("/")[2]
    return basename(name) if name and "/" in word and not _NOT_A_NAME.search(name) else None


def _limited(name: str | None) -> str | None:
    return name if name is None or 0 < len(name) <= NAME_MAX else None


def _script(node: Simple, peeled: Peeled, script: str, state: State) -> Tree:
    """Return the tree of a script run by a shell: in a subshell, but for `eval`."""
    is_eval = peeled.wrappers[-1:] == ("eval",)
    inside = state.copy()
    if not is_eval:
        inside.is_errexit = inside.is_pipefail = False
    inside.depth += 1
    inside.env = {**inside.env, **dict(node.assignments), **dict(peeled.assignments)}
    inside.place += peeled.remote
    inside.wrappers += peeled.wrappers
    inside.flags += peeled.flags
    inside.cwd = None if peeled.remote else inside.cwd
    found = read(script, peeled.language)
    if isinstance(found, Simple) and found.stdin is None and script is not node.stdin:
        found = found._replace(stdin=node.stdin)
    tree = walk(found, inside)
    if is_eval:
        state.cwd, state.env, state.variables = inside.cwd, inside.env, inside.variables
    return Block("subshell", (tree,))


def _called(body: Node, state: State) -> Tree:
    state.depth += 1
    tree = Block("group", (walk(body, state),))
    state.depth -= 1
    return tree


def _assignment(node: Simple, state: State, inner: tuple[Tree, ...]) -> Tree:
    known = {name: value for name, value in node.assignments if not isinstance(value, Dynamic)}
    unknown = {name for name, value in node.assignments if isinstance(value, Dynamic)}
    state.variables = {name: value for name, value in state.variables.items() if name not in unknown} | known
    if inner and node.assignments:  # its status is the last substitution's
        return Block("assign", inner)
    argv = tuple(f"{name}={value}" for name, value in node.assignments)
    return Leaf(Run(program=ASSIGNMENT, argv=argv, cwd=state.cwd, writes=_writes(node.redirects)), inner)


def _writes(redirects: tuple[Redirect, ...]) -> tuple[str, ...]:
    return tuple(item.target for item in redirects if item.operator != "<" and not item.target.startswith("/dev/"))


def _run(node: Simple, argv: tuple[str, ...], program: str | None, state: State, peeled: Peeled | None = None) -> Run:
    env: dict[str, str | None] = state.env
    wrappers, place, flags = state.wrappers, state.place, state.flags
    if node.assignments:
        env = {**env, **dict(node.assignments)}
    if peeled is not None:
        env = {**env, **dict(peeled.assignments)} if peeled.assignments else env
        wrappers, place, flags = wrappers + peeled.wrappers, place + peeled.remote, flags + peeled.flags
    writes = _writes(node.redirects) if node.redirects else ()
    program = _limited(program)
    return Run(
        program=program,
        argv=argv,
        cwd=None if peeled is not None and peeled.remote else state.cwd,
        env=tuple(sorted(env.items())) if env else (),
        wrappers=wrappers,
        place=place,
        flags=flags,
        stdin=node.stdin,
        reads=tuple([item.target for item in node.redirects if item.operator == "<"]) if node.redirects else (),
        writes=writes,
        rank=rank(program, argv, writes),
    )
