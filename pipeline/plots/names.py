"""What a row is called: its code, and what else it takes to tell it from the others."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.plots.text import plain, tail

Record = Mapping[Hashable, Any]


@dataclass(frozen=True, slots=True)
class Name:
    """Raw text of logs."""

    name: str
    below: str
    """The tool where there are several; what differs where a code stands in two rows; "" for nothing."""

    def told(self) -> str:
        """Return the name for a text alternative."""
        return plain(f"{self.name} ({self.below})" if self.below else self.name, limit=90)


def names(records: Sequence[Record]) -> list[Name]:
    """Return the names of the rows of one table, in its order.

    Args:
        records: Rows with tool, error_code, declared_class or fix_command, as far as the table has them.
    """
    has_tools = len({record.get("tool") for record in records}) > 1
    pairs = [(record.get("tool"), record.get("error_code")) for record in records]
    counts = Counter(pairs)
    return [_name(record, has_tools, counts[pair] > 1) for record, pair in zip(records, pairs, strict=True)]


def _name(record: Record, has_tools: bool, is_repeated: bool) -> Name:
    tool, code = record.get("tool"), record.get("error_code")
    # what tells two fixes of one code apart stands at their ends
    difference = tail(record.get("fix_command") or record.get("declared_class") or "") if is_repeated else ""
    if code is None:
        return Name(str(tool), difference)
    return Name(str(code), ", ".join(part for part in (str(tool) if has_tools else "", difference) if part))
