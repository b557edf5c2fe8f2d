"""Secrets taken out of the attributes of many records at once, at a fraction of a search per record.

A search costs some twenty nanoseconds a character, and records repeat themselves: texts that were
found clean are remembered, texts of a shape that no secret has are passed over, and the rest of a
batch is searched as one text, in halves only where something was found.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from collectors.otlp.model import AnyValue
from collectors.otlp.values import json_text
from collectors.redact import redact

_SHORTEST = 8
_LONGEST_REMEMBERED = 200
_MEMORY = 40_000
_MARK = "[redacted:attribute]"
_PROBE = "Zx9f4Kq2Lm8Rt5Wv"
# numbers, times, UUIDs and dotted or underscored words: what ids, names and codes look like
_PLAIN = re.compile(
    r"[0-9.+-]*+|\d{4}-\d\d-\d\dT[\d:.]{5,18}Z|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r"|[a-z]{1,15}+(?:[._][a-z]{1,15}+)*+|[a-z]{1,12}+[-_]\d{1,16}",
    re.ASCII,
)
# no secret holds a line break and a NUL: what a joined text hides, its parts hide as well
_SEPARATOR = "\n\0\n"

_NESTED = (dict, list)
_clean: set[str] = set()


@lru_cache(maxsize=4096)
def is_secret_name(key: str) -> bool:
    """Tell whether an attribute's name announces a secret (`password`, `api_key`, `authorization`)."""
    return redact(f"{key}={_PROBE}") != f"{key}={_PROBE}"


def suspects(attributes: dict[str, AnyValue]) -> list[str]:
    """Return the keys of the attributes that have to be searched, or have a name that announces a secret."""
    clean = _clean
    found = [
        key
        for key, value in attributes.items()
        if (value not in clean and is_suspect(value) if value.__class__ is str else value.__class__ in _NESTED)
    ]
    secret = _secret_names(tuple(attributes))
    return [*found, *(key for key in secret if key not in found)] if secret else found


def is_suspect(value: AnyValue) -> bool:
    """Tell whether a value has to be searched."""
    if not isinstance(value, str):
        return isinstance(value, _NESTED)
    if value in _clean:
        return False
    if len(value) >= _SHORTEST and not _PLAIN.fullmatch(value):
        return True
    _remember(value)
    return False


@lru_cache(maxsize=4096)
def _secret_names(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key for key in keys if is_secret_name(key))


def screened(pairs: Sequence[tuple[str, AnyValue]]) -> list[AnyValue]:
    """Return the values of suspect pairs without secrets; those that held none are the same objects.

    A list or map that held one becomes its JSON text.
    """
    texts = [value if isinstance(value, str) else json_text(value) for _, value in pairs]
    clean = redacted(texts)
    found: list[AnyValue] = []
    for (key, value), before, after in zip(pairs, texts, clean, strict=True):
        if is_secret_name(key) and value not in (None, "", True, False):
            found.append(_MARK)
        elif before == after:
            _remember(before)
            found.append(value)
        else:
            found.append(after)
    return found


def redacted(texts: Sequence[str]) -> Sequence[str]:
    """Return the texts without secrets."""
    if not texts:
        return texts
    joined = _SEPARATOR.join(texts)
    if redact(joined) == joined:
        return texts
    if len(texts) == 1:
        return [redact(texts[0])]
    middle = len(texts) // 2
    return [*redacted(texts[:middle]), *redacted(texts[middle:])]


def _remember(text: str) -> None:
    if len(text) <= _LONGEST_REMEMBERED:
        if len(_clean) >= _MEMORY:
            _clean.clear()
        _clean.add(text)
