"""Merging settings into a client's own file: the change first, and nothing is written that it does not show."""

import contextlib
import difflib
import os
import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

from collectors.connect import Client, Setting
from collectors.redact import redact
from pipeline.connect_json import set_member
from pipeline.connect_scan import parse
from pipeline.connect_toml import literal, set_key
from pipeline.errors import RecoupError

_LARGEST = 10_000_000
_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Change:
    """What a file holds, and what it would hold."""

    path: Path
    before: str | None
    """None where there is no file."""
    after: str

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to change."""
        return self.before == self.after

    @property
    def diff(self) -> str:
        """The change, line by line; secrets that stand near it are not shown."""
        lines = difflib.unified_diff(
            (self.before or "").splitlines(), self.after.splitlines(), str(self.path), str(self.path), lineterm=""
        )
        return "".join(redact(line) + "\n" for line in lines)


def place_of(client: Client) -> Path:
    """Return where the client's settings lie on this machine."""
    return Path(client.places.get(sys.platform) or client.places[""]).expanduser()


def planned(client: Client, path: Path, settings: tuple[Setting, ...]) -> Change:
    """Return the change that merges settings into a file.

    Raises:
        RecoupError: SETTINGS_UNUSABLE.
    """
    before = _read(path)
    mark = _MARK if before is not None and before.startswith(_MARK) else ""
    text = (before or "").removeprefix(mark)
    try:
        for setting in settings:
            text = merged(client.kind, text, setting)
    except (ValueError, RecursionError) as fault:
        raise _unusable(path, f"it cannot be merged: {fault}") from fault
    return Change(path, before, mark + text)


def merged(kind: str, text: str, setting: Setting) -> str:
    """Return the text of a settings file in which one setting has its value.

    Raises:
        ValueError: the text is not of that kind, or the setting cannot be merged into it.
    """
    if kind == "toml":
        return set_key(text, setting.path, setting.value)
    return set_member(text, setting.path, setting.value, with_comments=kind == "jsonc")


def blocked_by(client: Client, text: str) -> list[str]:
    """Return the settings in a text of JSON under which the client sends nothing."""
    found = []
    for path in client.blockers:
        held = parse(text.removeprefix(_MARK), with_comments=client.kind == "jsonc").value
        for key in path:
            held = held.get(key) if isinstance(held, dict) else None
        if held:
            found.append(".".join(path))
    return found


def snippet(client: Client, settings: tuple[Setting, ...]) -> str:
    """Return the settings as a file that holds nothing else."""
    if client.kind == "toml":
        tables: dict[str, list[str]] = {}
        for setting in settings:
            lines = tables.setdefault(".".join(setting.path[:-1]), [])
            lines.append(f"{setting.path[-1]} = {literal(setting.value)}\n")
        return "\n".join(f"[{table}]\n{''.join(lines)}" for table, lines in tables.items())
    text = ""
    for setting in settings:
        text = merged(client.kind, text, setting)
    return text


def write(change: Change) -> Path | None:
    """Write a change in one step; return where the file's former content lies, None where there was no file.

    A link stays a link: what it leads to is replaced.

    Raises:
        RecoupError: SETTINGS_CHANGED where the file is no longer what the change was made from; OUTPUT_UNWRITABLE.
    """
    path = change.path.resolve()
    if _read(path) != change.before:
        raise RecoupError("SETTINGS_CHANGED", f"{change.path} changed meanwhile", context={"path": str(change.path)})
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        backup = _backup(path, change.before) if change.before is not None else None
        mode = path.stat().st_mode & 0o7777 if change.before is not None else 0o600
        _write_new(temporary, change.after, mode)
        temporary.replace(path)
    except OSError as fault:
        with contextlib.suppress(OSError):
            temporary.unlink()
        reason = fault.strerror or str(fault)
        raise RecoupError(
            "OUTPUT_UNWRITABLE", f"cannot write {change.path}: {reason}", context={"output": str(change.path)}
        ) from fault
    return backup


def _backup(path: Path, text: str) -> Path:
    """Keep the former content under a name that nothing has yet."""
    for number in range(1000):
        backup = path.with_name(f"{path.name}.bak{number or ''}")
        with contextlib.suppress(FileExistsError):
            _write_new(backup, text, path.stat().st_mode & 0o7777)
            return backup
    raise OSError(f"there are a thousand backups of {path.name}")


def _write_new(path: Path, text: str, mode: int) -> None:
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(file, "wb") as stream:
        stream.write(text.encode())
        stream.flush()
        os.fsync(stream.fileno())
    path.chmod(mode)


def _read(path: Path) -> str | None:
    try:
        if path.stat().st_size > _LARGEST:
            raise _unusable(path, "it is too large for settings")
        return path.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as fault:
        raise _unusable(path, "it is no UTF-8") from fault
    except OSError as fault:
        raise _unusable(path, f"it cannot be read: {fault.strerror}") from fault


def _unusable(path: Path, reason: str) -> RecoupError:
    return RecoupError("SETTINGS_UNUSABLE", f"{path}: {reason}", context={"path": str(path)})
