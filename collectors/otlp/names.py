"""The name of the event that a log record states: in a field, an attribute or its body, by client.

Source: the semantic conventions put the name into the record's `event_name` and deprecate the
attribute `event.name`; Claude Code, Codex, Gemini CLI and Qwen Code send the attribute all the same.
"""

import re
from functools import lru_cache

from collectors.otlp.model import LogRecord

# what the Rust bridge of `tracing` sets: the place of the statement in its source, `event <file>:<line>`
_SOURCE_LINE = re.compile(r"event .+:\d+")
_BODY_PREFIXES = ("claude_code.", "codex.", "gemini_cli.", "qwen-code.")
_CLAUDE = "claude_code."
_CLAUDE_SCOPE = "com.anthropic.claude_code"
_MAX_LENGTH = 256


def resolve(record: LogRecord) -> str:
    """Return the full name of the event, at most 256 characters; empty where none is stated."""
    name = record.event_name
    if not name or _is_source_line(name):
        attributes = record.attributes
        name = attributes.get("otel.event.name") or attributes.get("event.name") or ""
    body = record.body
    if not name or not isinstance(name, str):
        return body if isinstance(body, str) and _is_name(body) else ""
    if not name.startswith(_CLAUDE) and (body == _CLAUDE + name or record.scope.name.startswith(_CLAUDE_SCOPE)):
        # the attribute is short and the body long
        return _CLAUDE + name
    return name[:_MAX_LENGTH]


@lru_cache(maxsize=1024)
def _is_source_line(event_name: str) -> bool:
    """Tell whether a bridge put a source line where the name belongs."""
    return _SOURCE_LINE.fullmatch(event_name) is not None


def _is_name(body: str) -> bool:
    return body.startswith(_BODY_PREFIXES) and len(body) <= _MAX_LENGTH and not any(map(str.isspace, body))
