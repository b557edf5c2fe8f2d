"""What a shell carries from one command to the next, and the builtins that change it."""

import re
from functools import lru_cache
from posixpath import join, normpath

from collectors.shell import Dynamic, Node

MAX_COMMANDS = 2000
"""Commands of one string that are looked at, functions called counted each time."""
UNKNOWN_DIRECTORY = Dynamic("?")

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_OPTION_WORDS = ("--", "-P", "-L", "-e")


class State:
    """Directory, environment, options, functions; dictionaries are replaced, never changed, so copies are cheap."""

    def __init__(self) -> None:
        self.budget = [MAX_COMMANDS]
        self.cwd: str | None = None
        self.env: dict[str, str | None] = {}
        self.variables: dict[str, str] = {}
        self.functions: dict[str, Node] = {}
        self.aliases: frozenset[str] = frozenset()
        self.is_errexit = self.is_pipefail = False
        self.place: tuple[str, ...] = ()
        self.wrappers: tuple[str, ...] = ()
        self.flags: tuple[str, ...] = ()
        self.depth = 0

    def copy(self) -> "State":
        """Return the state of a subshell; the budget is shared."""
        other = State.__new__(State)
        other.__dict__.update(self.__dict__)
        return other


def _cd(words: tuple[str, ...], state: State) -> None:
    places = [word for word in words if word not in _OPTION_WORDS]
    target = places[0] if places else "~"
    is_rooted = target.startswith(("/", "~"))
    if target == "-" or (state.cwd is UNKNOWN_DIRECTORY and not is_rooted):
        state.cwd = UNKNOWN_DIRECTORY
    elif isinstance(target, Dynamic):
        state.cwd = Dynamic(target)
    else:
        moved = _moved("" if is_rooted else state.cwd or "", target)
        state.cwd = Dynamic(moved) if isinstance(state.cwd, Dynamic) and not is_rooted else moved


@lru_cache(maxsize=1024)
def _moved(start: str, target: str) -> str:
    return normpath(join(start, target))


def _popd(words: tuple[str, ...], state: State) -> None:
    state.cwd = UNKNOWN_DIRECTORY


def _export(words: tuple[str, ...], state: State) -> None:
    for word in words:
        match = _ASSIGNED.match(word)
        if match is not None:
            value = Dynamic(match[2]) if isinstance(word, Dynamic) else match[2]
            state.env = {**state.env, match[1]: value}
        elif word in state.variables:
            state.env = {**state.env, word: state.variables[word]}


def _unset(words: tuple[str, ...], state: State) -> None:
    names = [word for word in words if word[:1] != "-"]
    state.variables = {name: value for name, value in state.variables.items() if name not in names}
    state.env = {**state.env, **dict.fromkeys(names)}


def _set(words: tuple[str, ...], state: State) -> None:
    for word, following in zip(words, (*words[1:], ""), strict=True):
        if word[:1] not in ("-", "+") or len(word) < 2:
            continue
        is_on = word[0] == "-"
        named = following if "o" in word[1:] else ""
        if "e" in word[1:] or named == "errexit":
            state.is_errexit = is_on
        if named == "pipefail":
            state.is_pipefail = is_on


def _alias(words: tuple[str, ...], state: State) -> None:
    state.aliases |= {word.partition("=")[0] for word in words if "=" in word}


BUILTINS = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _cd,
    "Set-Location": _cd,
    "Push-Location": _cd,
    "popd": _popd,
    "Pop-Location": _popd,
    "export": _export,
    "declare": _export,
    "typeset": _export,
    "unset": _unset,
    "set": _set,
    "alias": _alias,
}
"""Commands that change the shell's state, and how."""
