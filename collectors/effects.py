"""Whether a run or a structured tool changes anything, only shows, or only waits."""

from collectors import operations, programs
from collectors.arguments import Arguments
from collectors.rules import DEFAULT, Rules
from collectors.runs import Run, edits

_HTTP_WRITES = ("-d", "--data", "-F", "--form", "-T", "--upload", "-o", "-O", "-X", "--request", "--post", "--method")
_ASKS = frozenset({"--help", "--version"})
_NOT_IDLE = frozenset({"mkdir", "eval", "exec"})


def is_viewer(run: Run, arguments: Arguments, rules: Rules = DEFAULT) -> bool:
    """Return whether a run prints data the caller asked for: an envelope in it is data."""
    program = run.program
    if program in programs.VIEWERS:
        return run.rank < 3 and not run.writes  # `sed -i` and `cat > file` print nothing
    if program in rules.viewers:
        return True
    if program == "git":
        return not programs.GIT_VIEWS.isdisjoint(arguments.path[:1])
    return " ".join((program or "", *arguments.path)) in programs.VIEW_OPERATIONS


def is_wait(runs: tuple[Run, ...], status_owner: str) -> bool:
    """Return whether the only program is a wait."""
    names = {run.program for run in runs}
    waits = names & programs.WAITS
    return bool(waits) and status_owner != "background" and names - waits <= programs.SETUP


def is_read_only(run: Run, rules: Rules = DEFAULT) -> bool:
    """Return whether a run changes no state as far as known; unknown programs may."""
    program, words = run.program, run.argv[1:]
    if program is None or any(not target.startswith("/tmp/") for target in run.writes):
        return False
    if not _ASKS.isdisjoint(words) or words == ("-h",):
        return True
    if program in programs.READ_ONLY or (program in programs.SETUP and program not in _NOT_IDLE):
        return not edits(program, run.argv)
    if program in programs.HTTP_PROGRAMS:
        return not any(word.startswith(_HTTP_WRITES) for word in words)
    if program in operations.NO_SUBCOMMANDS:
        return False
    return _is_read_operation(run, rules)


def _is_read_operation(run: Run, rules: Rules) -> bool:
    arguments = run.arguments
    path = arguments.path
    if not path:
        return False
    if run.program == "git":
        # `git branch new` and `git remote add` are no reads; one operand (`git show x`) is
        return path[0] in programs.GIT_VIEWS and len(path) == 1 and (path[0] != "branch" or not arguments.loose)
    if " ".join((run.program or "", *path)) in rules.read_only:
        return True
    verbs = programs.READ_VERBS
    return path[-1] in verbs or path[0] in verbs or path[-1].partition("-")[0] in programs.READ_PREFIXES


def is_read_tool(tool_name: str, rules: Rules = DEFAULT) -> bool:
    """Return whether a structured tool changes nothing as far as known, by table, else by the words of its name."""
    if tool_name in programs.READ_TOOLS or tool_name in rules.read_only:
        return True
    words = programs.name_words(tool_name)
    if tool_name in programs.WRITE_TOOLS or not words:
        return False
    if words[0] in programs.READ_VERBS:
        return True
    return words[0] not in operations.VERBS and words[-1] in programs.READ_VERBS


def is_view_tool(tool_name: str, rules: Rules = DEFAULT) -> bool:
    """Return whether what a structured tool returns is data the caller asked for."""
    return tool_name in programs.VIEW_TOOLS or tool_name in rules.viewers
