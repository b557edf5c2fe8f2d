"""The report as JSON."""

import json
import re
from typing import Any

_SURROGATES = re.compile("[\ud800-\udfff]")


def render(report: dict[str, Any]) -> str:
    """Return the report as JSON in its own key order, indented, with a newline at its end; always valid UTF-8."""
    text = json.dumps(report, ensure_ascii=False, indent=2, allow_nan=False)
    # half of a surrogate pair cannot be written as UTF-8; JSON's own escape says the same
    return _SURROGATES.sub(lambda half: f"\\u{ord(half[0]):04x}", text) + "\n"
