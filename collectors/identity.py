"""The identity of a call: its versioned keys, program, operation and target, and whose status it has."""

import shlex
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from posixpath import isabs, join, normpath

import msgspec

from collectors import operations, programs
from collectors.arguments import Arguments, digest
from collectors.commands import MAX_CACHED, Command, Run, parse, parse_argv, parse_once
from collectors.effects import is_read_only, is_viewer, is_wait
from collectors.exits import SIGPIPE, XARGS_FAILED, benign_exits
from collectors.rules import Rules, current
from collectors.runs import ASSIGNMENT
from collectors.shell import Dynamic
from collectors.targets import command_target, encode, encoded, hashed, normal_json, tool_target
from collectors.tool_names import shape_of
from collectors.walking import MAX_CHARACTERS

EXACT, INVOCATION, OPERATION, ARGV = "x1:", "i1:", "o1:", "a1:"
"""Prefixes of the keys; the number is the version of the algorithm."""


class Identity(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Who was called, about what, and whose status the call reports."""

    program: str | None
    """Program of the main run of a shell or argv call; None where unnamed or for a structured tool."""
    operation: str | None
    """Program or tool name and subcommand path, joined by blanks."""
    target: str
    """The target arguments as canonical JSON text, empty where there are none; not redacted."""
    exact_key: str
    """Hash of the tool name and the raw argument bytes."""
    invocation_key: str
    """Hash of program, path, canonical arguments, input and context: what *identical* means."""
    operation_key: str
    """Hash of program, path and target."""
    argv_key: str
    """Hash of the peeled words of the runs that matter, without context: recognises a fix command run verbatim."""
    command: str | None
    """The shell string, or the argument vector joined by shell rules; not redacted."""
    is_context_known: bool
    """Whether the directory is known, where it matters."""
    status_owner: str
    """`own`, `negated`, `echoed`, `masked`, `background` or `harness`."""
    status_reason: str | None
    benign_exits: tuple[int, ...]
    """Values of the reported exit status that are answers, ascending."""
    is_wait: bool
    is_read_only: bool
    is_viewer: bool
    idempotency_key: str | None
    flags: tuple[str, ...]


def of_shell(
    tool_name: str, command: str, *, cwd: str | None, raw: bytes = b"", rules: Rules | None = None
) -> Identity:
    """Return the identity of a shell call: `command` as given to the shell, `cwd` its directory where known.

    Here and below `rules` are those in force where none are given.
    """
    cached = _of_command if len(command) <= MAX_CACHED else _of_command.__wrapped__
    found = cached(command, cwd, rules or current())
    return _with_exact(found, tool_name, raw or command.encode("utf-8", "surrogatepass"))


def of_argv(
    tool_name: str,
    argv: Sequence[str],
    *,
    cwd: str | None,
    raw: bytes = b"",
    operation: str | None = None,
    rules: Rules | None = None,
) -> Identity:
    """Return the identity of a call by argument vector; shells and wrappers in it are unwrapped.

    A stated `operation` replaces program, path and target in the operation key.
    """
    words = tuple([str(word) for word in argv])
    cached = _of_vector if sum(map(len, words)) <= MAX_CACHED else _of_vector.__wrapped__
    found = cached(words, cwd, operation, rules or current())
    return _with_exact(found, tool_name, raw or encoded(words))


def of_tool(
    tool_name: str,
    arguments: Mapping[str, object] | None,
    *,
    cwd: str | None,
    raw: bytes = b"",
    operation: str | None = None,
    rules: Rules | None = None,
) -> Identity:
    """Return the identity of a structured call: a harness tool, an MCP tool or a function.

    The directory belongs to it only where a path among the targets is relative.
    """
    given, rules = arguments or {}, rules or current()
    shape = shape_of(tool_name, given, rules)
    kept = given if shape.kept is None else {name: given[name] for name in shape.kept}
    idempotency = given[shape.idempotency] if shape.idempotency is not None else None
    target = tool_target(given, shape.speaking)
    is_relative = any([isinstance(value := given[name], str) and value[:1] != "/" for name in shape.paths])
    canonical = hashed([tool_name, normal_json(kept), cwd if is_relative else None])
    return Identity(
        program=None,
        operation=operation or tool_name,
        target=target,
        exact_key=_exact_key(tool_name, raw or encoded(given)),
        invocation_key=INVOCATION + canonical,
        operation_key=OPERATION + (digest(operation) if operation else hashed([tool_name, target])),
        argv_key=ARGV + canonical,
        command=None,
        is_context_known=not is_relative or cwd is not None,
        status_owner="harness",
        status_reason=None,
        benign_exits=(),
        is_wait=False,
        is_read_only=shape.is_read_only,
        is_viewer=shape.is_viewer,
        idempotency_key=idempotency if isinstance(idempotency, str) else None,
        flags=(),
    )


@lru_cache(maxsize=4096)
def fix_key(fix_command: str) -> str | None:
    """Return the argv key of a declared fix command, None where it does not lex or is empty."""
    try:
        if not shlex.split(fix_command):
            return None
    except ValueError:
        return None
    found = parse(fix_command)
    return _argv_key(found) if found.main is not None else None


def _exact_key(tool_name: str, raw: bytes) -> str:
    return EXACT + blake2b(tool_name.encode("utf-8", "surrogatepass") + b"\0" + raw, digest_size=8).hexdigest()


def _with_exact(found: Identity, tool_name: str, raw: bytes) -> Identity:
    return msgspec.structs.replace(found, exact_key=_exact_key(tool_name, raw))


@lru_cache(maxsize=8192)
def _of_command(command: str, cwd: str | None, rules: Rules) -> Identity:
    return _identity(parse_once(command), cwd, command, None, rules)


@lru_cache(maxsize=8192)
def _of_vector(argv: tuple[str, ...], cwd: str | None, operation: str | None, rules: Rules) -> Identity:
    return _identity(parse_argv(argv), cwd, shlex.join(argv), operation, rules)


def _identity(found: Command, cwd: str | None, text: str, operation: str | None, rules: Rules) -> Identity:
    main = found.main
    directory, is_known = _directory(main, cwd)
    program = main.program if main is not None and main.program != ASSIGNMENT else None
    if main is None or program is None:
        name, target, idempotency = None, "", None
        invocation = hashed([text, directory])
        key = hashed([text])
        viewer = False
    else:
        arguments = main.arguments
        name = " ".join((program, *arguments.path))
        target = _target(main, arguments, rules)
        idempotency = _idempotency(arguments)
        before = [_canonical(run, run.arguments, rules) for run in found.before] if found.before else ()
        canonical = _canonical(main, arguments, rules)
        whole = text if len(text) > MAX_CHARACTERS else ""
        invocation = hashed(
            [canonical, before, directory, main.place, [_pair(pair) for pair in main.env] if main.env else (), whole]
        )
        key = hashed([name, target])
        viewer = is_viewer(main, arguments, rules)
    return Identity(
        program=program,
        operation=operation or name,
        target=target,
        exact_key="",
        invocation_key=INVOCATION + invocation,
        operation_key=OPERATION + (digest(operation) if operation else key),
        argv_key=_argv_key(found) if main is not None else ARGV + digest(text),
        command=text,
        is_context_known=is_known,
        status_owner=found.status_owner,
        status_reason=found.status_reason,
        benign_exits=_benign(found, rules),
        is_wait=is_wait(found.runs, found.status_owner),
        is_read_only=bool(found.runs) and all(is_read_only(run, rules) for run in found.runs),
        is_viewer=viewer,
        idempotency_key=idempotency,
        flags=found.flags,
    )


def _target(main: Run, arguments: Arguments, rules: Rules) -> str:
    if main.writes and (main.rank == 0 or main.program in programs.VIEWERS):
        return encode({">": list(main.writes)})  # what prints into a file is about the file
    return command_target(main.program or "", arguments, place=main.place, stdin=main.stdin, rules=rules)


def _idempotency(arguments: Arguments) -> str | None:
    for flag, value in arguments.flags:
        if flag.lstrip("-").replace("-", "_") in operations.IDEMPOTENCY_NAMES:
            return value
    return None


def _marked(word: str | None) -> str | None:
    """Return a word for hashing: what the shell would expand never equals plain text."""
    return "\0" + word if type(word) is Dynamic else word


def _all_marked(words: tuple[str, ...]) -> Sequence[str | None]:
    return [_marked(word) for word in words] if Dynamic in map(type, words) else words


def _pair(pair: tuple[str, str | None]) -> tuple[str, str | None]:
    return pair[0], _marked(pair[1])


def _canonical(run: Run, arguments: Arguments, rules: Rules) -> tuple[object, ...]:
    excluded = operations.EXCLUDED_FLAGS | rules.excluded if rules.excluded else operations.EXCLUDED_FLAGS
    flags = [_pair(pair) for pair in arguments.flags if pair[0] not in excluded] if arguments.flags else ()
    words = _all_marked(arguments.operands)
    files = run.writes if run.rank == 0 or run.program in programs.VIEWERS else ()
    return run.program, arguments.path, flags, words, _marked(run.stdin), run.reads, files


def _argv_key(found: Command) -> str:
    main = (found.main,) if found.main is not None else ()
    runs = (*[run for run in found.before if run.rank >= 3 or run is found.main], *main) if found.before else main
    return ARGV + hashed([_all_marked(run.argv) for run in runs])


def _directory(run: Run | None, cwd: str | None) -> tuple[str | None, bool]:
    """Return where the run works and whether that is known; elsewhere than here, the place stands for it."""
    moved = run.cwd if run is not None else None
    is_here = run is None or not run.place
    if moved is None:
        return (cwd, cwd is not None) if is_here else (None, True)
    if isinstance(moved, Dynamic):
        return f"{cwd}\0{moved}", False
    if isabs(moved) or moved.startswith("~") or not is_here:
        return moved, True
    return (normpath(join(cwd, moved)), True) if cwd is not None else (moved, False)


def _benign(found: Command, rules: Rules) -> tuple[int, ...]:
    if found.status_owner == "negated":
        return (1,)  # `! program`: the program exited 0
    # an echo tells the status of the main run
    run = found.main if found.status_owner == "echoed" else found.teller
    if run is None:
        return ()
    codes = benign_exits(run, rules)
    if found.status_reason == "pipefail":
        codes = (*codes, SIGPIPE)
    if codes and "xargs" in run.flags:
        codes = (*codes, XARGS_FAILED)
    return codes
