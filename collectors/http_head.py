"""The head of an HTTP response that a tool printed: its status and what it says about waiting."""

import re
from typing import NamedTuple

# A status line as `curl -i` prints it, or `curl -v` and httpie with a mark before (RFC 9112 section 4).
_STATUS = re.compile(r"^(?:< )?HTTP/[\d.]{1,3} (?P<status>[1-5]\d\d)\b", re.MULTILINE)
_HEADER = re.compile(r"(?:< )?(?P<name>[A-Za-z][\w-]{0,60}):[ \t]*(?P<value>[^\r\n]{0,200})\r?\n?")
_MAX_HEADERS = 100


class Head(NamedTuple):
    """The last response head in a text."""

    status: int
    retry_after: str | None
    request_id: str | None


def last_head(text: str) -> Head | None:
    """Return the last response head of the text; None where there is none. Earlier ones are redirects or retries."""
    if "HTTP/" not in text:
        return None
    found = list(_STATUS.finditer(text))
    if not found:
        return None
    status = found[-1]
    headers: dict[str, str] = {}
    position = text.find("\n", status.end()) + 1
    while position and len(headers) < _MAX_HEADERS and (header := _HEADER.match(text, position)):
        headers[header["name"].lower()] = header["value"].strip()
        position = header.end()
    return Head(
        int(status["status"]), headers.get("retry-after"), headers.get("x-request-id") or headers.get("request-id")
    )
