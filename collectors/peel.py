"""The program inside its wrappers: one loop over the tables of `wrappers`, and shells by their own rules."""

import re
from itertools import pairwise
from typing import NamedTuple

from collectors.shell import Dynamic
from collectors.wrappers import (
    GLOBAL_VALUES,
    INTERPRETERS,
    POWERSHELLS,
    SHELLS,
    SSH_VALUES,
    WRAPPERS,
    Wrapper,
    basename,
    package_name,
)

MAX_LAYERS = 12
"""As deep as anybody stacks wrappers."""

_MULTI = frozenset(key[0] for key in WRAPPERS if len(key) > 1)
_SECOND = frozenset(key[1] for key in WRAPPERS if len(key) > 1)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(?!=)(.*)", re.DOTALL)
_POWERSHELL_VALUES = ("-executionpolicy", "-ep", "-version", "-inputformat", "-outputformat", "-windowstyle")


class Peeled(NamedTuple):
    """A command without its wrappers."""

    argv: tuple[str, ...]
    wrappers: tuple[str, ...] = ()
    """Names of what was peeled, outermost first."""
    assignments: tuple[tuple[str, str | None], ...] = ()
    """What `env` set; None where it unset."""
    flags: tuple[str, ...] = ()
    remote: tuple[str, ...] = ()
    """Where it runs, outermost first: `ssh:host`, `docker:web`, `k8s:pod-1`."""
    script: str | None = None
    """A shell string that runs instead of `argv` (`bash -c`, `eval`, `ssh host '...'`)."""
    language: str = "bash"
    """Of `script`: `bash`, `powershell` or `cmd`."""
    program: str | None = None
    """Name given by a package runner or `python -m` in place of the first word."""

    def inside(self, name: str, argv: tuple[str, ...] = (), *, flag: str = "", script: str | None = None) -> "Peeled":
        """Return what the wrapper `name` runs."""
        return Peeled(
            argv,
            (*self.wrappers, name),
            self.assignments,
            (*self.flags, flag) if flag else self.flags,
            self.remote,
            script,
        )


class _Own(NamedTuple):
    """A wrapper's own words: where they end, its operands, flags with values and assignments."""

    end: int
    operands: tuple[str, ...] = ()
    flags: tuple[tuple[str, str], ...] = ()
    assignments: tuple[tuple[str, str | None], ...] = ()


def is_peelable(name: str, words: tuple[str, ...]) -> bool:
    """Return whether a program of this name may be a wrapper in these words."""
    if name in _FIRST:
        return name not in _MULTI or not _SECOND.isdisjoint(words)
    return INTERPRETERS.match(name) is not None and "-m" in words


def peel(words: tuple[str, ...]) -> Peeled:
    """Return the command inside its wrappers; what is not known to be a wrapper stays the program."""
    peeled = Peeled(words)
    for _ in range(MAX_LAYERS):
        inner = _layer(peeled)
        if inner is None:
            break
        peeled = inner
        if peeled.script is not None:
            break
    return peeled


def _layer(outer: Peeled) -> Peeled | None:
    argv = outer.argv
    if not argv or isinstance(argv[0], Dynamic):
        return None
    name = basename(argv[0])
    if name in SPECIAL:
        return SPECIAL[name](outer, argv)
    if INTERPRETERS.match(name):
        return _module(outer, argv)
    if name in _MULTI:
        start, rule = _subcommand(name, argv)
    else:
        start, rule = 1, WRAPPERS.get((name,))
    return None if rule is None else _unwrapped(outer, argv, start, rule)


def _subcommand(name: str, argv: tuple[str, ...]) -> tuple[int, Wrapper | None]:
    """Return the rule of a wrapper with subcommands and where its own words begin: `kubectl -n x exec`."""
    found: tuple[int, Wrapper | None] = (1, WRAPPERS.get((name,)))
    key: tuple[str, ...] = (name,)
    position = 1
    while position < len(argv) and len(key) < 3:
        word = argv[position]
        position += 1
        if word[:1] == "-":
            position += int(word in GLOBAL_VALUES)
            continue
        key = (*key, word)
        if (rule := WRAPPERS.get(key)) is not None:
            found = position, rule
    return found


def _unwrapped(outer: Peeled, argv: tuple[str, ...], length: int, rule: Wrapper) -> Peeled | None:
    own = _after_marker(argv, length, rule) if rule.must_have else _own_words(argv, length, rule)
    name = basename(argv[0])
    flags = dict(own.flags)
    if rule.script_flags and (script := next((flags[flag] for flag in rule.script_flags if flags.get(flag)), None)):
        return outer.inside(name, flag=rule.flag, script=script)
    if own.end >= len(argv) or any(flag in rule.no_run for flag in flags):
        return None
    inner = outer.inside(name, argv[own.end :], flag=rule.flag)
    inner = inner._replace(assignments=inner.assignments + own.assignments)
    if rule.remote:
        inner = inner._replace(remote=(*outer.remote, f"{rule.remote}:{''.join(own.operands[:1])}"))
    if rule.is_package and not isinstance(argv[own.end], Dynamic):
        program = package_name(argv[own.end])
        return inner._replace(program=program, argv=(program, *argv[own.end + 1 :]))
    return inner


def _own_words(argv: tuple[str, ...], position: int, rule: Wrapper) -> _Own:
    operands: list[str] = []
    flags: list[tuple[str, str]] = []
    assignments: list[tuple[str, str | None]] = []
    while position < len(argv):
        word = argv[position]
        match = _ASSIGNMENT.match(word)
        if word[:1] == "-" and len(word) > 1:
            value = argv[position + 1] if word in rule.values and position + 1 < len(argv) else ""
            flags.append((word, value))
            if word in rule.unset_flags:
                assignments.append((value, None))
            position += int(word in rule.values)
        elif len(operands) < rule.skip:
            operands.append(word)
        elif match is not None:
            assignments.append((match[1], Dynamic(match[2]) if isinstance(word, Dynamic) else match[2]))
        else:
            break
        position += 1
    return _Own(position, tuple(operands), tuple(flags), tuple(assignments))


def _after_marker(argv: tuple[str, ...], position: int, rule: Wrapper) -> _Own:
    if rule.must_have not in argv[position:]:
        return _Own(len(argv))
    marker = argv.index(rule.must_have, position)
    own = _own_words(argv[:marker], position, rule)
    return own._replace(end=marker + 1)


def _module(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    """`python -m tool`."""
    position = 1
    while position + 1 < len(argv) and argv[position][:1] == "-":
        flag, following = argv[position], argv[position + 1]
        if flag == "-m" and not isinstance(following, Dynamic):
            inner = outer.inside(basename(argv[0]), argv[position + 1 :], flag="module")
            return inner._replace(program=following)
        if flag in ("-", "-c"):
            return None
        position += 2 if flag in ("-W", "-X") else 1
    return None


def _shell(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    """`bash -lc '...'`; options that change the status rules are put before the script as `set`."""
    options = ""
    position = 1
    while position < len(argv) and argv[position][:1] in ("-", "+") and len(argv[position]) > 1:
        word, following = argv[position], (*argv, "")[position + 1]
        position += 1
        if word.startswith("--"):
            position += int(word in ("--rcfile", "--init-file"))
            continue
        letters = word[1:]
        if "o" in letters:
            options += f"set -o {following}; " if following in ("pipefail", "errexit") else ""
            position += 1
            following = (*argv, "")[position]
        if "e" in letters:
            options += "set -e; "
        if "c" in letters:
            return outer.inside(basename(argv[0]), script=options + following)
    return None


def _eval(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    is_unknown = all(isinstance(word, Dynamic) for word in argv[1:])
    return None if is_unknown else outer.inside("eval", script=" ".join(argv[1:]))


def _ssh(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    own = _own_words(argv, 1, Wrapper(SSH_VALUES, skip=1))
    if own.end >= len(argv) or not own.operands:
        return None
    inner = outer.inside("ssh", flag="remote:ssh", script=" ".join(argv[own.end :]))
    return inner._replace(remote=(*outer.remote, f"ssh:{own.operands[0]}"))


def _su(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    script = next((value for flag, value in pairwise(argv) if flag in ("-c", "--command")), None)
    return None if script is None else outer.inside("su", flag="elevated", script=script)


def _powershell(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    position = 1
    while position < len(argv):
        word = argv[position].lower()
        if word in ("-file", "-f") or word.endswith(".ps1"):
            return None
        if word in ("-command", "-c"):
            position += 1
            break
        if word[:1] != "-":
            break
        position += 2 if word in _POWERSHELL_VALUES else 1
    script = " ".join(argv[position:])
    return outer.inside(basename(argv[0]), script=script)._replace(language="powershell") if script.strip() else None


def _cmd(outer: Peeled, argv: tuple[str, ...]) -> Peeled | None:
    for position, word in enumerate(argv[1:], 1):
        if word.lower() in ("/c", "/k", "//c"):
            script = " ".join(argv[position + 1 :])
            return outer.inside(basename(argv[0]), script=script)._replace(language="cmd") if script.strip() else None
    return None


SPECIAL = {
    **dict.fromkeys(SHELLS, _shell),
    **dict.fromkeys(POWERSHELLS, _powershell),
    "eval": _eval,
    "ssh": _ssh,
    "su": _su,
    "cmd": _cmd,
}
"""Wrappers whose inner part is a string in some shell's language."""
_FIRST = frozenset(SPECIAL) | frozenset(key[0] for key in WRAPPERS)
