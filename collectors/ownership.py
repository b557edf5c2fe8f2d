"""Whose exit status a shell string reports, seen from its main run."""

import re
from typing import NamedTuple

from collectors import programs
from collectors.runs import ASSIGNMENT, ERREXIT, Block, Leaf, Listed, Piped, Run, Tree, all_runs, children, teller

_STATUS = re.compile(r"\$\?|\$\{?PIPESTATUS(?:\[(\d+|@|\*)\])?\}?")
_CONDITIONAL = ("&&", "||", ERREXIT)
_FORMAT = re.compile(r"%\d*[sdi]")
_ECHO_FLAGS = ("-e", "-n", "-en", "-ne")


class Ownership(NamedTuple):
    """How the reported exit status of a tree relates to that of the main run in it."""

    owner: str = "own"
    reason: str | None = None
    teller: Run | None = None
    """The run whose status is reported; None where that hangs on what happened."""
    echo: str | None = None
    """The text that an `echo` prints around the main run's status, `$?` standing for it."""
    stage: int | None = None
    """The main run's place in the pipeline that hides its status."""


def own(tree: Tree, trail: tuple[int, ...]) -> Ownership:
    """Return how the status of `tree` relates to that of its main run, which lies at the end of `trail`.

    Args:
        tree: what the shell runs.
        trail: positions among `runs.children`, from `tree` down; a leaf's own run is at its end.
    """
    if isinstance(tree, Leaf):
        return Ownership("masked", "substitution", tree.run) if trail else Ownership(teller=tree.run)
    at = trail[0]
    inside = own(children(tree)[at], trail[1:])
    if isinstance(tree, Piped):
        return _piped(tree, at, inside)
    if isinstance(tree, Listed):
        return _listed(tree, at, inside)
    return _block(tree, at, inside)


def _block(block: Block, at: int, inside: Ownership) -> Ownership:
    kind = block.kind
    if kind == "background":
        return Ownership("background", "background")
    if kind == "negated":
        return inside._replace(owner="negated") if inside.owner == "own" else inside
    if kind == "assign":
        return inside if at == len(block.parts) - 1 else Ownership("masked", "substitution")
    if kind == "loop":
        return Ownership("masked", "loop")
    if kind in ("if", "case"):
        part = block.parts[at]
        if isinstance(part, Block) and part.kind == "condition":
            return Ownership("masked", "if")
        return (
            inside._replace(reason=inside.reason or f"guard:{_condition(block)}") if inside.owner == "own" else inside
        )
    return inside


def _condition(block: Block) -> str:
    runs = all_runs(block.parts[0]) if block.kind == "if" else []
    return (runs[-1].program or block.kind) if runs else block.kind


def _piped(tree: Piped, at: int, inside: Ownership) -> Ownership:
    is_last = at == len(tree.stages) - 1
    if tree.is_pipefail and not is_last and inside.owner == "own":
        return inside._replace(reason=inside.reason or "pipefail")
    if is_last or tree.is_pipefail or inside.owner == "background":
        return inside
    last = teller(tree.stages[-1])
    return Ownership("masked", f"pipe:{_name(last, tree.stages[-1])}", last, stage=at)


def _name(run: Run | None, tree: Tree | None = None) -> str:
    """Return a run's name; without one, the kind of compound that stands in its place."""
    if run is None:
        return tree.kind if isinstance(tree, Block) else "?"
    return run.program or "?"


def _listed(tree: Listed, at: int, inside: Ownership) -> Ownership:
    if inside.owner == "own" and tree.items[at][0] in _CONDITIONAL:
        inside = inside._replace(reason=_before(tree, at) or inside.reason)
    after = tree.items[at + 1 :]
    return _After(inside).all(after) if after else inside


def _before(tree: Listed, at: int) -> str | None:
    """Return why a failure of the list may not be the main run's: an earlier program or a guard."""
    reason: str | None = None
    for index in range(at - 1, -1, -1):
        runs = [run for run in all_runs(tree.items[index][1]) if run.rank > 0]
        if runs and (runs[-1].program in programs.GUARDS or tree.items[index + 1][0] == "||"):
            reason = reason or f"guard:{_name(runs[-1])}"
        elif runs:
            return "chain"
        if tree.items[index][0] not in _CONDITIONAL:
            break
    return reason


class _After:
    """The commands after the main run's: what becomes of its status."""

    __slots__ = ("captured", "current", "final", "is_fresh", "start")

    def __init__(self, start: Ownership) -> None:
        self.start = self.current = start
        self.is_fresh = True
        """`$?` is still what `start` says."""
        self.captured: set[str] = set()
        """Variables that hold the main run's status."""
        self.final: Ownership | None = None

    def all(self, items: tuple[tuple[str, Tree], ...]) -> Ownership:
        is_ended = False  # a failure of the main run has ended the shell before this item
        for operator, item in items:
            is_ended = is_ended or operator == ERREXIT
            if operator == "&&" or is_ended:
                self._on_success(item)
            elif operator == "||":
                self._on_failure(item)
            else:
                self._next(item)
            if self.final is not None:
                return self.final
        return self.current

    def _on_success(self, item: Tree) -> None:
        if self.current.owner == "own":
            if any(run.rank > 0 for run in all_runs(item)):
                self.current = self.current._replace(reason="chain")
        elif self.current.owner == "masked":
            self.current = self.current._replace(teller=teller(item))

    def _on_failure(self, item: Tree) -> None:
        last = teller(item)
        name = _name(last, item)
        if self.current.owner not in ("own", "negated"):
            self.current = self.current._replace(teller=last)
        elif name in ("true", ":"):
            self.current = Ownership("masked", "or_true", last)
        elif name not in ("exit", "return", "false") or (last is not None and last.argv[1:2] == ("0",)):
            self.current = Ownership("masked", f"or:{name}", last)
        elif not (isinstance(item, Leaf) and name != "false" and item.run.argv[1:2] in ((), ("$?",))):
            self.current = self.current._replace(reason="exit_replaced", teller=last)

    def _next(self, item: Tree) -> None:
        run = item.run if isinstance(item, Leaf) else None
        echo: str | None = None
        if run is not None and run.program in ("exit", "return"):
            self.final = self._exited(run)
            return
        if run is not None and run.program == ASSIGNMENT:
            self._capture(run)
        elif run is not None and run.program in ("echo", "printf", "Write-Output", "Write-Host"):
            echo = self._echoed(run)
        self.is_fresh = False
        if echo is not None:
            reason = self.start.reason if self.start.owner == "own" else None
            self.current = Ownership("echoed", reason or "echo", run, echo)
        elif self.current.owner == "background":
            self.current = Ownership("masked", "background", run) if _name(run) == "wait" else self.current
        elif self.current.owner != "echoed":
            last = teller(item)
            self.current = Ownership("masked", f"semicolon:{_name(last, item)}", last)

    def _says_status(self, text: str) -> str | None:
        """Return the token in `text` that stands for the main run's status."""
        match = _STATUS.search(text) if self.is_fresh else None
        if match is not None:
            stage = self.start.stage or 0
            if "PIPESTATUS" in match[0]:
                is_main = match[1] not in ("@", "*") and int(match[1] or 0) == stage
                is_main = is_main and (self.start.owner == "own" or self.start.stage is not None)
            else:
                is_main = self.start.owner == "own"
            if is_main:
                return match[0]
        for name in self.captured:
            found = re.search(rf"\$(?:{name}(?!\w)|\{{{name}\}})", text)
            if found is not None:
                return found[0]
        return None

    def _capture(self, run: Run) -> None:
        for word in run.argv:
            name, _, value = word.partition("=")
            if value and self._says_status(value) == value:
                self.captured.add(name)

    def _echoed(self, run: Run) -> str | None:
        words = [word for word in run.argv[1:] if word not in _ECHO_FLAGS]
        text = " ".join(words)
        token = self._says_status(text)
        if token is None:
            return None
        if run.program == "printf" and len(words) == 2 and words[1] == token:
            return _FORMAT.sub("$?", words[0], count=1)
        return text.replace(token, "$?", 1)

    def _exited(self, run: Run) -> Ownership:
        word = run.argv[1] if len(run.argv) > 1 else "$?"
        if self._says_status(word) == word:
            return self.start._replace(owner="own", reason=self.start.reason if self.start.owner == "own" else None)
        if word == "$?" and self.is_fresh:
            return self.current
        return self.current if self.current.owner == "echoed" else Ownership("masked", "semicolon:exit", run)
