"""Writing what a command was asked for into files."""

from collections.abc import Iterable
from pathlib import Path

from pipeline.errors import RecoupError


def write(path: Path, text: str) -> None:
    """Write a text file, UTF-8.

    Raises:
        RecoupError: OUTPUT_UNWRITABLE.
    """
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as fault:
        raise _unwritable(path, fault) from fault


def write_folder(folder: Path, files: Iterable[tuple[str, str]]) -> list[str]:
    """Write files into a folder, which is made where it is missing, and return their names; others in it stay.

    Raises:
        RecoupError: OUTPUT_UNWRITABLE.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise _unwritable(folder, fault) from fault
    names = []
    for name, text in files:
        write(folder / name, text)
        names.append(name)
    return names


def _unwritable(path: Path, fault: OSError) -> RecoupError:
    return RecoupError("OUTPUT_UNWRITABLE", f"cannot write {path}: {fault.strerror}", context={"output": str(path)})
