"""Settings of the gate: `recoup.toml`, or `[tool.recoup]` of `pyproject.toml`, and the baseline file."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pipeline.config import OWN_FILE, find, stated
from pipeline.errors import RecoupError
from pipeline.report.gate import SEVERITIES, Limits, Rules

_LONGEST = 10_000_000
_FIELDS = {"min_maturity": (0, 3), "max_false_transient": (0, 1_000_000)}
_BASELINE_VERSION = "1"


def rules(config: Path | None, overrides: Mapping[str, Any]) -> Rules:
    """Return the limits: of the settings file, each overridden by what a flag says.

    Args:
        config: A TOML file whose table `check`, or `tool.recoup.check`, is read; None takes the nearest `recoup.toml`
            or `pyproject.toml`.
        overrides: Fields of `Limits` from flags; None where a flag was not given. They hold for every tool.

    Raises:
        RecoupError: CONFIG_INVALID.
    """
    path, table = _read(config)
    tools = table.pop("tools", {})
    if not isinstance(tools, dict):
        raise _invalid(path, "check.tools is a table of tools")
    given = {name: value for name, value in overrides.items() if value is not None}
    common = _fields(path, table, "check")
    each = {name: _fields(path, of_tool, f"check.tools.{name}") for name, of_tool in tools.items()}
    return Rules(Limits(**common | given), {name: Limits(**common | own | given) for name, own in each.items()})


def _read(config: Path | None) -> tuple[Path, dict[str, Any]]:
    path = config if config is not None else find(Path.cwd())
    if path is None:
        return Path(OWN_FILE), {}
    held = stated(path)
    table = held.get("check", {}) if isinstance(held, dict) else held
    if not isinstance(table, dict):
        raise _invalid(path, "check is a table")
    return path, dict(table)


def _fields(path: Path, table: object, place: str) -> dict[str, Any]:
    if not isinstance(table, dict):
        raise _invalid(path, f"{place} is a table")
    found: dict[str, Any] = {}
    for name, value in table.items():
        if name == "fail_on":
            found[name] = fail_on(value, lambda reason: _invalid(path, f"{place}.fail_on {reason}"))
        elif name not in _FIELDS:
            raise _invalid(path, f"{place} knows no {name}; it knows fail_on, {', '.join(_FIELDS)}")
        else:
            least, most = _FIELDS[name]
            if type(value) is not int or not least <= value <= most:
                raise _invalid(path, f"{place}.{name} is a whole number from {least} to {most}")
            found[name] = value
    return found


def fail_on(value: object, fault: Callable[[str], Exception]) -> tuple[str, ...]:
    """Return the names in `fail_on`, checked against severities and analyses.

    Args:
        value: What was given.
        fault: Makes the error to raise of a reason.
    """
    from pipeline.analyses import ANALYSES

    known = [*SEVERITIES, *(one.name for one in ANALYSES)]
    if not isinstance(value, list | tuple) or any(not isinstance(one, str) for one in value):
        raise fault("is a list of names")
    unknown = [one for one in value if one not in known]
    if unknown:
        raise fault(f"knows no {unknown[0]!r}; it knows {', '.join(known)}")
    return tuple(value)


def _invalid(path: Path, reason: str) -> RecoupError:
    return RecoupError("CONFIG_INVALID", f"{path}: {reason}", context={"path": str(path)})


def read_baseline(path: Path) -> frozenset[str]:
    """Return the ids of a baseline.

    Raises:
        RecoupError: CONFIG_INVALID.
    """
    try:
        if path.stat().st_size > _LONGEST:
            raise _invalid(path, "it is too large for a baseline")
        held = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise _invalid(path, f"it cannot be read as a baseline: {fault}") from fault
    ids = held.get("findings") if isinstance(held, dict) else None
    if not isinstance(ids, list) or any(not isinstance(one, str) for one in ids):
        raise _invalid(path, "it is no baseline: --write-baseline writes one")
    return frozenset(ids)


def baseline_text(ids: list[str]) -> str:
    """Return a baseline file: a line for each id, so that a difference can be read."""
    return json.dumps({"schema_version": _BASELINE_VERSION, "findings": sorted(ids)}, indent=2) + "\n"
