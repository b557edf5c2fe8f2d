"""The words after a program sorted into subcommand path, flags and operands."""

import re
from hashlib import blake2b
from operator import itemgetter
from posixpath import normpath
from typing import NamedTuple

from collectors import operations, programs
from collectors.shell import Dynamic

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?[smhdkMGKB%]?$")
_NO_WORDS: frozenset[str] = frozenset()
_NAME = itemgetter(0)


class Arguments(NamedTuple):
    """The words after the program, sorted out."""

    path: tuple[str, ...]
    """The subcommand words."""
    flags: tuple[tuple[str, str | None], ...]
    """Flags by name, repeated ones as given; the value is None where there is none."""
    operands: tuple[str, ...]
    """Words after the path, in order, without those that may be a flag's value."""
    loose: tuple[str, ...]
    """Operands as the target sees them: a word after an unknown short flag (`rm -r build`) counts as one."""


def sort_out(program: str, words: tuple[str, ...]) -> Arguments:
    """Return path, flags and operands of the words after `program`.

    `--a=b` equals `--a b`. A word after a flag that is not known to be a switch belongs to the flag, so that two
    commands are equal only where every flag has the same neighbour; flags are ordered by name.
    """
    flags: list[tuple[str, str | None]] = []
    plain: list[str] = []
    loose: list[str] = []
    takes = operations.value_flags(program)
    has_long_dash = program in operations.SINGLE_DASH_LONG
    held: str | None = None  # a flag that waits for its value
    rest: tuple[str, ...] = ()
    if "--" in words:
        end = words.index("--")
        words, rest = words[:end], words[end + 1 :]
    for word in words:
        if word[:1] != "-" or len(word) == 1:
            if held is None:
                plain.append(word)
                loose.append(word)
                continue
            is_long = has_long_dash or held[:2] == "--"
            if is_long and not plain and word in operations.VERBS and held not in takes:
                flags.append((held, None))  # `tool --some-switch deploy`: a verb where the path may still begin
                plain.append(word)
                loose.append(word)
            else:
                flags.append((held, word))
                if not (is_long or held in takes or _NUMBER.match(word)):
                    loose.append(word)
            held = None
            continue
        if held is not None:
            if held in takes:
                flags.append((held, word))
                held = None
                continue
            flags.append((held, None))
            held = None
        name, sign, value = word.partition("=")
        if sign:
            flags.append((name, Dynamic(value) if isinstance(word, Dynamic) else value))
        elif word in operations.BOOLEAN_FLAGS and word not in takes:
            flags.append((word, None))
        else:
            held = word
    if held is not None:
        flags.append((held, None))
    if len(flags) > 1:
        flags.sort(key=_NAME)
    return _with_path(program, tuple(flags), (*plain, *rest), (*loose, *rest))


def _with_path(
    program: str, flags: tuple[tuple[str, str | None], ...], plain: tuple[str, ...], loose: tuple[str, ...]
) -> Arguments:
    if operations.SCRIPT_PROGRAMS.match(program):
        return _of_script(program, flags, plain, loose)
    count = operations.path_length(program, plain)
    if not count:
        return Arguments((), flags, plain, loose)
    path = plain[:count]
    return Arguments(path, flags, plain[count:], loose[count:] if loose[:count] == path else _without(loose, path))


def _of_script(
    program: str, flags: tuple[tuple[str, str | None], ...], plain: tuple[str, ...], loose: tuple[str, ...]
) -> Arguments:
    """Return the arguments of an interpreter: the script is the first word of the path, the rest as for any program."""
    inline = programs.INLINE_CODE.get(program, _NO_WORDS)
    if not loose or loose[0] == "-" or any(name in inline for name, _ in flags):
        return Arguments((), flags, plain, _without(loose, tuple(value for name, value in flags if name in inline)))
    script, rest = loose[0], loose[1:]
    count = operations.path_length("", rest)
    path = (normal_path(script), *rest[:count])
    return Arguments(path, flags, _without(plain, (script, *rest[:count])), rest[count:])


def _without(words: tuple[str, ...], taken: tuple[str | None, ...]) -> tuple[str, ...]:
    rest = list(words)
    for word in taken:
        if word in rest:
            rest.remove(word)
    return tuple(rest)


def reads_script(program: str, arguments: Arguments) -> bool:
    """Return whether the program is an interpreter that takes its script from standard input."""
    is_interpreter = operations.SCRIPT_PROGRAMS.match(program) is not None
    return is_interpreter and not arguments.path and arguments.loose in ((), ("-",))


def normal_path(word: str) -> str:
    """Return a word with `./`, `//`, `..` and trailing slashes removed where it looks like a path."""
    if "/" not in word or "://" in word or isinstance(word, Dynamic):
        return word
    path = normpath(word)
    return path[1:] if path.startswith("//") else path


def digest(text: str) -> str:
    """Return the 16 hex digits of a text's blake2b hash; lone surrogates are kept apart."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
