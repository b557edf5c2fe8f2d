"""What the beginning of a JSON file shows: its keys, even where the file is one document that is cut in the middle."""

import re
from functools import lru_cache

_LOOKED_AT = 65_536
_DEEPEST = 5
_LONGEST = 120
_BOM = b"\xef\xbb\xbf"
# a string that is not closed ends with the text, so no position is tried twice
_TOKEN = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?\Z)|[{}\[\],:]|[\w.+-]+', re.DOTALL)


@lru_cache(maxsize=4)
def fields(head: bytes) -> dict[str, str]:
    """Return the paths of a JSON text's beginning and the first scalar at each: `{"info.id": "x", "steps[].id": "1"}`.

    Objects and arrays are there with an empty text. At most 64 KiB and five levels are looked at; of several texts
    one after another the paths are merged.
    """
    seen: dict[str, str] = {}
    path: list[str] = []
    key = ""
    text: str | None = None
    for match in _TOKEN.finditer(head[:_LOOKED_AT].removeprefix(_BOM)):
        token = match[0]
        if token == b":":
            key, text = text or "", None
        elif token in (b"{", b"["):
            _note(seen, path, key, "")
            path.append(f"{key}[]" if token == b"[" else key)
            key, text = "", None
        elif token in (b",", b"}", b"]"):
            if text is not None:
                _note(seen, path, key, text)
            key, text = "", None
            if token != b"," and path:
                path.pop()
        else:
            text = (match[1] if match[1] is not None else token)[:_LONGEST].decode("utf-8", "replace")
    if key and text is not None:
        _note(seen, path, key, text)
    return seen


def _note(seen: dict[str, str], path: list[str], key: str, text: str) -> None:
    if len(path) <= _DEEPEST:
        seen.setdefault(".".join(part for part in (*path, key) if part), text)
