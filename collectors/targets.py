"""What a call is about: target arguments as canonical JSON text, and JSON arguments in canonical form."""

import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b

import msgspec

from collectors import operations, programs
from collectors.arguments import Arguments, digest, normal_path, reads_script
from collectors.rules import DEFAULT, Rules

MAX_VALUE = 300
"""Characters of one target value kept as text; longer ones are hashed."""
MAX_STATEMENT = 10_000
"""Characters of an SQL statement searched for tables."""
MAX_DEPTH = 60
"""Nesting of JSON arguments below which data is compared as its text."""

_SUFFIXES = ("_id", "_path", "_url", "_name", "_uri")
_TABLE = re.compile(r"\b(?:from|into|update|join|table(?: +if(?: +not)? +exists)?)\s+([\w.\"`\[\]]+)", re.IGNORECASE)
_STATEMENT = re.compile(r"\s*(?:with|select|insert|update|delete|create|drop|alter|truncate)\b", re.IGNORECASE)
_QUERY = re.compile(r"[?#]")
_SCALARS = frozenset({str, int, bool, type(None)})
_ENCODER = msgspec.json.Encoder(order="sorted")


def is_target(name: str, tool: str = "", rules: Rules = DEFAULT) -> bool:
    """Return whether a flag or argument of this name says what the call is about."""
    plain = name.lstrip("-").replace("-", "_").lower()
    if plain in rules.targets.get(tool, ()) or plain in rules.targets.get("", ()):
        return True
    return plain in operations.TARGET_NAMES or (plain.endswith(_SUFFIXES) and plain not in operations.EXCLUDED_NAMES)


def command_target(
    program: str, arguments: Arguments, *, place: tuple[str, ...] = (), stdin: str | None = None, rules: Rules = DEFAULT
) -> str:
    """Return the target of a command as canonical JSON text, empty where it has none.

    A list of operands where there are only those; else an object: flags by name, operands under the empty name,
    `on` for another place, `stdin` for the hash of a script read from there.
    """
    named = _named_targets(program, arguments, rules)
    operands = _operand_targets(program, arguments.loose)
    if stdin is not None and reads_script(program, arguments):
        named["stdin"] = [digest(stdin)]
    if place:
        named["on"] = list(place)
    if not named:
        return encode(operands) if operands else ""
    return encode(named | {"": operands} if operands else named)


def _named_targets(program: str, arguments: Arguments, rules: Rules) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    if not arguments.flags:
        return named
    inline = programs.INLINE_CODE.get(program, frozenset())
    own = operations.target_flags(program)
    for name, value in arguments.flags:
        if value is None:
            continue
        if name in inline:
            named.setdefault(name, []).append(_code_target(program, value))
        elif name in own or (name[:2] == "--" and is_target(name, program, rules)):
            named.setdefault(name, []).append(target_value(value))
    return named


def _operand_targets(program: str, words: tuple[str, ...]) -> list[str]:
    if program in programs.HTTP_PROGRAMS:
        return [without_query(word) for word in words]
    if program in programs.SQL_PROGRAMS:
        return [_code_target(program, word) if " " in word else word for word in words]
    if program in programs.PATTERN_PROGRAMS:
        return [word if len(word) <= MAX_VALUE else digest(word) for word in words[:1]] + _values(words[1:])
    return _values(words)


def _values(words: tuple[str, ...]) -> list[str]:
    return [target_value(word) for word in words]


def _code_target(program: str, text: str) -> str:
    tables = sql_tables(text) if program in programs.SQL_PROGRAMS else []
    return ",".join(tables) if tables else digest(text)


def sql_tables(statement: str) -> list[str]:
    """Return the tables an SQL statement names, sorted; empty where it is none."""
    if not _STATEMENT.match(statement):
        return []
    return sorted({match.strip('"`[]') for match in _TABLE.findall(statement[:MAX_STATEMENT])} - {""})


def target_value(text: str) -> str:
    """Return a target value as compared: paths normalised, URLs without query, long texts hashed."""
    if len(text) > MAX_VALUE:
        return digest(text)
    return without_query(text) if "://" in text else normal_path(text)


def without_query(url: str) -> str:
    """Return a URL without query, fragment and user info."""
    url = _QUERY.split(url, maxsplit=1)[0]
    scheme, separator, rest = url.partition("://")
    if not separator:
        return url
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def tool_target(arguments: Mapping[str, object], speaking: Iterable[tuple[str, bool, bool]]) -> str:
    """Return the target of a structured call as canonical JSON text, empty where it has none.

    Args:
        arguments: all of them.
        speaking: names, whether each may be an SQL statement, and whether it is a target (`tool_names.Shape`).
    """
    found: dict[str, object] = {}
    for name, may_be_statement, is_named in speaking:
        value = arguments[name]
        tables = sql_tables(value) if may_be_statement and isinstance(value, str) else []
        if tables:
            found["table"] = tables
        elif value is not None and is_named:
            found[name] = target_value(value) if isinstance(value, str) else value
    return encode(found) if found else ""


def normal_json(value: object, depth: int = 0) -> object:
    """Return JSON data with whole floats as integers; data nested deeper than `MAX_DEPTH` becomes its text."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if not isinstance(value, (dict, list, tuple)):
        return value
    if depth > MAX_DEPTH:
        return repr(value)
    if isinstance(value, dict):
        if _SCALARS.issuperset(map(type, value.values())):
            return value
        return {str(key): normal_json(item, depth + 1) for key, item in value.items()}
    return [normal_json(item, depth + 1) for item in value]


def encode(value: object) -> str:
    """Return canonical JSON text: keys sorted, no blanks."""
    return encoded(value).decode()


def hashed(value: object) -> str:
    """Return the 16 hex digits of the hash of data's canonical JSON."""
    return blake2b(encoded(value), digest_size=8).hexdigest()


def encoded(value: object) -> bytes:
    """Return canonical JSON as UTF-8."""
    try:
        return _ENCODER.encode(value)
    except (UnicodeEncodeError, TypeError, ValueError, OverflowError):
        import json  # lone surrogates and integers beyond 64 bits: only the standard library writes them

        return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), default=repr).encode()
