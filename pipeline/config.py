"""What a user states in `recoup.toml`, or in `[tool.recoup]` of a `pyproject.toml`, as frozen values.

The keys are described in `docs/configuration.md`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from collectors.rules import DEFAULT, Benign, Rules
from pipeline.errors import RecoupError
from pipeline.parameters import Additions, Parameters

OWN_FILE, SHARED_FILE = "recoup.toml", "pyproject.toml"
_MAX_BYTES = 1_000_000
_DEFAULT_PARAMETERS = Parameters()
_KEYS = (
    "benign_exits",
    "aliases",
    "excluded_arguments",
    "target_arguments",
    "viewers",
    "read_only",
    "companions",
    "destructive_commands",
    "parameters",
    # read by `analyze check`
    "check",
)
_BENIGN_KEYS = ("program", "code", "path", "flags", "source")
_EVERY_TOOL = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """One configuration; the default one states nothing."""

    path: Path | None = None
    """The file it was read from."""
    rules: Rules = DEFAULT
    """For imports."""
    parameters: Parameters = _DEFAULT_PARAMETERS
    """For analyses."""


class _Table:
    """A table of the file with its place in it, so that a fault can name both."""

    __slots__ = ("_file", "_place", "values")

    def __init__(self, file: Path, place: str, value: object) -> None:
        self._file, self._place = file, place
        if not isinstance(value, dict):
            raise self.fault("", "is a table")
        self.values: dict[str, Any] = value

    def fault(self, key: str, expected: str, *, meant: str | None = None) -> RecoupError:
        """Return the error for a key: what it has to be, and which one may have been meant."""
        name = ".".join(part for part in (self._place, key) if part)
        message = f"{self._file}: {name} {expected}" + (f"; did you mean {meant}?" if meant else "")
        context = {"file": str(self._file), "key": name} | ({"did_you_mean": meant} if meant else {})
        return RecoupError("CONFIG_INVALID", message, context=context)

    def check_keys(self, known: tuple[str, ...]) -> None:
        for key in self.values:
            if key not in known:
                from difflib import get_close_matches

                close = get_close_matches(key, known, n=1)
                raise self.fault(key, "is no known key", meant=close[0] if close else None)

    def table(self, key: str) -> "_Table":
        place = f"{self._place}.{key}" if self._place else key
        return _Table(self._file, place, self.values.get(key, {}))

    def tables(self, key: str) -> "list[_Table]":
        found = self.values.get(key, [])
        if not isinstance(found, list):
            raise self.fault(key, "is a list of tables")
        return [_Table(self._file, f"{key}[{at}]", value) for at, value in enumerate(found)]

    def word(self, key: str, default: str | None = None) -> str:
        value = self.values.get(key, default)
        if not isinstance(value, str) or (not value and default is None):
            raise self.fault(key, "is a text")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or any(not isinstance(one, str) or not one.strip() for one in value):
            raise self.fault(key, "is a list of texts")
        return tuple(value)


def load(path: Path | None = None, *, start: Path | None = None) -> Config:
    """Return the configuration of a file, else of the nearest at or above a folder, else the default one.

    Args:
        path: The file that was named.
        start: Where to look from; the working directory where None.

    Raises:
        RecoupError: CONFIG_INVALID, naming file and key.
    """
    file = path if path is not None else find(start or Path.cwd())
    if file is None:
        return Config()
    root = _Table(file, "", stated(file))
    root.check_keys(_KEYS)
    return Config(path=file, rules=_rules(root), parameters=_parameters(root.table("parameters"), _additions(root)))


def find(start: Path) -> Path | None:
    """Return the nearest `recoup.toml`, or `pyproject.toml` that speaks of recoup, at or above a folder."""
    folder = start.resolve()
    for place in (folder, *folder.parents):
        own, shared = place / OWN_FILE, place / SHARED_FILE
        if own.is_file():
            return own
        if shared.is_file() and "tool.recoup" in _text(shared):
            return shared
    return None


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > _MAX_BYTES:
            raise _unusable(file, "is larger than a megabyte")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "is no UTF-8"
        raise _unusable(file, f"cannot be read: {reason}") from fault


def stated(file: Path) -> object:
    """Return what a file states: all of a `recoup.toml`, the table `tool.recoup` of a `pyproject.toml`.

    Raises:
        RecoupError: CONFIG_INVALID.
    """
    import tomllib

    try:
        held: object = tomllib.loads(_text(file))
    except tomllib.TOMLDecodeError as fault:
        raise _unusable(file, f"is no TOML: {fault}") from fault
    for name in ("tool", "recoup") if file.name == SHARED_FILE else ():
        held = held.get(name, {}) if isinstance(held, dict) else held
    return held


def _unusable(file: Path, reason: str) -> RecoupError:
    return RecoupError("CONFIG_INVALID", f"{file} {reason}", context={"file": str(file)})


def _rules(root: _Table) -> Rules:
    targets = root.table("target_arguments")
    named: Mapping[str, frozenset[str]] = MappingProxyType(
        {"" if tool == _EVERY_TOOL else tool: frozenset(map(_plain, targets.words(tool))) for tool in targets.values}
    )
    names = frozenset(map(_plain, root.words("excluded_arguments")))
    return Rules(
        benign=tuple(map(_benign, root.tables("benign_exits"))),
        # flags are compared as written, arguments by name
        excluded=names | {name.replace("_", "-") for name in names} | {"--" + name.replace("_", "-") for name in names},
        targets=named,
        viewers=frozenset(root.words("viewers")),
        read_only=frozenset(root.words("read_only")),
    )


def _plain(name: str) -> str:
    return name.lstrip("-").replace("-", "_").lower()


def _benign(row: _Table) -> Benign:
    row.check_keys(_BENIGN_KEYS)
    code = row.values.get("code")
    if type(code) is not int or not 1 <= code <= 255:
        raise row.fault("code", "is an exit code from 1 to 255")
    return Benign(
        row.word("program"), code, row.words("path"), frozenset(row.words("flags")), row.word("source", "configuration")
    )


def _additions(root: _Table) -> Additions:
    aliases, companions = root.table("aliases"), root.table("companions")
    return Additions(
        aliases=tuple((alias, aliases.word(alias)) for alias in aliases.values),
        companions=tuple((tool, program) for tool in companions.values for program in companions.words(tool)),
        destructive=tuple(" ".join(command.split()) for command in root.words("destructive_commands")),
    )


def _parameters(table: _Table, additions: Additions) -> Parameters:
    known = Parameters().values()
    table.check_keys(tuple(known))
    given: dict[str, Any] = {name: _value(table, name, known[name]) for name in table.values}
    found = Parameters(**given, additions=additions)
    if not found.tau_low < found.tau_high:
        raise table.fault("tau_low" if "tau_low" in given else "tau_high", "leaves nothing between the two bounds")
    return found


def _value(table: _Table, name: str, default: float) -> int | float | bool:
    value = table.values[name]
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise table.fault(name, "is true or false")
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise table.fault(name, "is a number")
    if isinstance(default, float):
        if not 0 <= value <= 1:
            raise table.fault(name, "is a share from 0 to 1")
        return float(value)
    if not isinstance(value, int) or not 0 <= value < 2**53:
        raise table.fault(name, "is a whole number, 0 or more")
    return value
