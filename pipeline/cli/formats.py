"""`collector formats`, and the format that an option names."""

from typing import TYPE_CHECKING, Any

from pipeline.cli.main import Answer, Json
from pipeline.errors import RecoupError

if TYPE_CHECKING:
    from collectors import Format


def formats(json: Json = False) -> Answer:
    """List the formats that can be read, where their files lie, and what they cannot tell."""
    from collectors import FORMATS

    data = [
        {
            "name": reader.NAME,
            "title": reader.TITLE,
            "where": list(reader.WHERE),
            "cannot_tell": list(reader.CANNOT_TELL),
        }
        for reader in FORMATS
    ]
    return Answer({"formats": data}, "\n".join(map(_format_text, data)))


def _format_text(reader: dict[str, Any]) -> str:
    lines = [f"{reader['name']}  {reader['title']}"]
    lines += [f"  in {place}" for place in reader["where"]]
    lines += [f"  cannot tell {what}" for what in reader["cannot_tell"]]
    return "\n".join(lines) + "\n"


def format_named(name: str) -> "Format":
    """Return the format of that name; raise ARGUMENT_INVALID with the names there are."""
    from collectors import FORMATS

    for reader in FORMATS:
        if name == reader.NAME:
            return reader
    names = [reader.NAME for reader in FORMATS]
    raise RecoupError(
        "ARGUMENT_INVALID", f"no format is named {name}; there are {', '.join(names)}", context={"formats": names}
    )
