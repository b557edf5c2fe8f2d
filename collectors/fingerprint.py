"""Groups of errors that carry no code: a stable code lifted from the text, else a hash of its masked template.

A lifted code or a fingerprint never enters a table of codes as if the tool had stated it: its
`code_source` says where it is from. Changing a mask changes fingerprints and needs a new `VERSION`.
"""

import re
from hashlib import blake2b

from collectors.lifts import GIT, GIT_LINE, GIT_TRIGGERS, LIFTS, Lift
from collectors.text import clean, excerpt, failed_line, strip_ansi

VERSION = "f1"
_CUT = 200
_READ = 1200
_MIN_ALPHANUMERICS = 8
_SEARCHED = 20_000

# (mask, characters without which nothing matches, pattern), in this order. `<n>` spares the codes of
# compilers and databases, and HTTP statuses: `TS2345`, `ORA-00942`, `HTTP 404` tell errors apart.
MASKS: tuple[tuple[str, str, re.Pattern[str]], ...] = (
    ("<uuid>", "-", re.compile(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b")),
    ("<url>", "://", re.compile(r"\b[a-z][a-z0-9+.-]{1,10}://[^\s'\"<>`]+")),
    ("<quoted>", "'", re.compile(r"(?<![A-Za-z0-9])'[^'\n]*+'(?![A-Za-z0-9])")),
    ("<quoted>", '"', re.compile(r"\"[^\"\n]*+\"")),
    ("<quoted>", "`", re.compile(r"`[^`\n]*+`")),
    ("<quoted>", "\u2018", re.compile(r"\u2018[^\u2019\n]*+\u2019")),
    ("<quoted>", "\u201c", re.compile(r"\u201c[^\u201d\n]*+\u201d")),
    ("<path>", ":\\", re.compile(r"\b[A-Za-z]:\\[^\s:*?\"<>|]*")),
    ("<path>", "/", re.compile(r"(?<![\w.@+~<>/-])[\w.@+~-]*+/[\w.@+~/-]*")),
    ("<hex>", "", re.compile(r"\b(?:0x[0-9a-fA-F]+|(?=[a-fA-F]{0,39}\d)(?=\d{0,63}[a-fA-F])[0-9a-fA-F]{7,64})\b")),
    (
        "<n>",
        "",
        re.compile(
            r"(?=[A-Z\dse])(?:\b(?:[A-Z]{1,6}-?\d{3,6}|\d\d[A-Z]\d\d"
            r"|(?:HTTP(?:/[\d.]{1,3})?|[Ss]tatus(?: code)?:?|error:) [1-5]\d\d)\b"
            r"|(?P<n>\d+(?:[.,:]\d+)*))"
        ),
    ),
)
_MASK = re.compile(r"<(?:uuid|url|quoted|path|hex|n)>")
_RAISED = re.compile(
    r"^(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception|Exit|Interrupt|Warning)?(?::|\s*$)", re.MULTILINE
)
_BLANKS = re.compile(r"\s+")


def template(text: str) -> str:
    """Return what is constant in an error text: masked from its first failing line on, at most 200 characters.

    A Python traceback begins at its last exception line; where no line reads like a failure the text
    begins at its start. Lines before may be a banner, a progress bar, anything.
    """
    text = strip_ansi(clean(excerpt(text, _SEARCHED))[0]).replace("\r\n", "\n")
    text = text[_beginning(text) :][:_READ]
    for name, needed, pattern in MASKS:
        if needed in text:
            text = pattern.sub(_masked if name == "<n>" else name, text)
    return _BLANKS.sub(" ", text).strip()[:_CUT].rstrip()


def fingerprint(text: str) -> str | None:
    """Return `f1:` and 16 hex digits of the template; None where fewer than 8 letters and digits of it remain."""
    masked = template(text)
    if sum(map(str.isalnum, _MASK.sub("", masked))) < _MIN_ALPHANUMERICS:
        return None
    return f"{VERSION}:{blake2b(masked.encode(), digest_size=8).hexdigest()}"


def lift(text: str) -> tuple[str, str] | None:
    """Return the first stable code of the table in the text and its `code_source`; None where it has none.

    Kinds are tried in the table's order, the most specific first; of exceptions the last one counts,
    since a traceback ends with what was raised.
    """
    text = strip_ansi(excerpt(text, _SEARCHED))
    if code := _git(text):
        return code, "lifted:git"
    for kind in LIFTS:
        if any(map(text.__contains__, kind.triggers)) and (found := _found(kind, text)):
            return kind.prefix + found["code"], kind.source
    return None


def _found(kind: Lift, text: str) -> re.Match[str] | None:
    if kind.needs is not None and kind.needs.search(text) is None:
        return None
    if kind.source != "lifted:exception":
        return kind.pattern.search(text)
    found = list(kind.pattern.finditer(text))
    return found[-1] if found else None


def _git(text: str) -> str | None:
    if not any(map(text.__contains__, GIT_TRIGGERS)) or GIT_LINE.search("\n" + text) is None:
        return None
    return next((code for code, pattern in GIT if pattern.search(text)), None)


def _masked(match: re.Match[str]) -> str:
    return "<n>" if match["n"] else match[0]


def _beginning(text: str) -> int:
    start = failed_line(text) or 0
    if text.startswith("Traceback (most recent call last)", start):
        ends = [match.start() for match in _RAISED.finditer(text, start)]
        return ends[-1] if ends else start
    return start
