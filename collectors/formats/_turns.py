"""What a message means for recovery; its text is read here and not kept."""

import re

MAX_MENTIONS = 20
_READ_LIMIT = 20_000
_TAIL = 1_000

_CAPITALS = re.compile(r"[A-Z][A-Z0-9_]{2,80}")
_QUOTES = frozenset("\"'`")
# `\b` before each alternative would cost more than the rest: the words are looked for first
_ASKING_WORDS = ("please", "you", "let me know", "hall i ", "hould i ", "may i ")
_ASKS = re.compile(
    r"\bplease\b(?! (?:note|see|be aware))|\b(?:could|can|would|will|do|did|should) you\b"
    r"|\byou(?:'ll| will)? (?:need to|must|should|have to)\b|\blet me know\b|\b(?:shall|should|may) i\b"
    r"|\bwaiting for you\b|\bup to you\b|\byour? (?:approval|confirmation|decision|input|permission)\b"
)


def mentions(text: str) -> tuple[str, ...] | None:
    """Return the words of an answer that look like error codes, in order, each once, at most 20; else None.

    A code is capitals and digits with an underscore between them, six capitals or more, or four in quotes.
    Words that are no codes do no harm: what counts is whether the code of an error is among them.
    """
    text = text[:_READ_LIMIT]
    found: dict[str, None] = {}
    for match in _CAPITALS.finditer(text):
        start, end = match.span()
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        word = match[0].rstrip("_")
        if before.isalnum() or before == "_" or after.isalnum():
            continue
        if "_" in word or len(word) >= (4 if before in _QUOTES and after in _QUOTES else 6):
            found[word] = None
            if len(found) == MAX_MENTIONS:
                break
    return tuple(found) or None


def is_question(text: str) -> bool:
    """Return whether an answer asks a person for something: it ends with a question, or with a request."""
    tail = text[-_TAIL:].rstrip(" \t\r\n*_`\"')").lower()
    if tail.endswith("?"):
        return True
    return any(map(tail.__contains__, _ASKING_WORDS)) and _ASKS.search(tail) is not None
