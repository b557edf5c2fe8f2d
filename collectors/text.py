"""Text of strangers made fit to be stored: repaired, without terminal escapes, cut to size, and judged cheaply."""

import re
from collections.abc import Iterator

_ANSI = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*+[ -/]*+[@-~]"  # control sequences: colours, cursor (ECMA-48 5.4)
    r"|\x1b[\]PX^_][^\x07\x1b]*+(?:\x07|\x1b\\)?"  # titles, hyperlinks, device strings (ECMA-48 5.6)
    r"|\x1b[ -/]*+[0-~]?"  # the other two-character escapes, and a bare ESC
)
_OMITTED = "\n[... {count} characters omitted ...]\n"


def clean(text: str) -> tuple[str, bool]:
    """Return the text as valid Unicode, and whether it had to be repaired.

    A surrogate pair written as two halves becomes its character; a lone half becomes U+FFFD (DuckDB
    and Arrow refuse it). NUL stays: the store keeps it and it is what the tool printed.
    """
    if text.isascii():
        return text, False
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), True
    return text, False


def strip_ansi(text: str) -> str:
    """Return the text without terminal escape sequences."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    return _ANSI.sub("", text)


def excerpt(text: str, limit: int = 4000) -> str:
    """Return at most `limit` characters: head and tail, with a marker that names the count left out."""
    return text if len(text) <= limit else joined(text, text, limit=limit, count=len(text))


def joined(head: str, tail: str, *, limit: int, count: int) -> str:
    """Return the start of one text and the end of another, of `count` characters together, as an excerpt."""
    room = limit - len(_OMITTED.format(count=count))
    if room < 2:
        return head[:limit]
    first, last = room - room // 2, room // 2
    return head[:first] + _OMITTED.format(count=count - first - last) + tail[-last:]


# Only a line that holds one of these, or begins like `_BEGINS`, is looked at: literals are searched for
# at a gigabyte a second, and so are line ends, an expression over the whole output at a twentieth of it.
_TRIGGERS = ("rror", "RROR", "xception", "ot found", "o such file", "ermission denied", "ould not ")
_BEGINS = (
    r"(?:[Ff](?:atal|ail|AIL)|[Pp]anic|[Tt]raceback|[Tt]hread '|[Uu]n(?:able|caught|handled)|[Cc](?:annot|ould not)"
    r"|make|npm |Segm|Bus |Abort|---|[=\d]|\[?FATAL|\[?CRIT|[Bb]uild|BUILD|[Cc]om"
    r"|[Ee]xec|[Oo]per|[Rr]eq|[Dd]epl|[Ii]nst)"
)
_FIRST_LINE = re.compile(_BEGINS)
_LATER_LINE = re.compile("\n" + _BEGINS)
_NOTHING = r"""\s*(?:0|no|none|null|nil|false|\[\s*\]|\{\s*\}|\"\"|'')\s*,?\s*$"""
# A line states a failure where one of these matches at its start, unindented: an indented `ValueError:`
# is a docstring, an indented `error:` a member of some document.
_FAILED_LINES = (
    # `error:`, `fatal: ...`, `a.c:3:4: error: ...`, `a.ts(3,4): error TS2345: ...`, `error[E0308]: ...`,
    # `ERROR 1146 (42S02) at line 1: ...`, `ListServices error: ...`, `npm ERR! ...`
    r"(?:\S{1,160}[:)]\ )?(?:(?!(?:no|zero|without|if|elif|while|on|the|of|for|in|return)\b)[\w-]{1,40}\ )?"
    r"(?:error|fatal|panic|err|failure|exception)"
    rf"(?:\[\w{{1,40}}\]|\ [A-Z]{{1,6}}\d{{1,6}}|\ \d{{1,6}}\ \(\w{{1,8}}\)[^:\n]{{0,40}})?[:!](?!{_NOTHING})",
    r"npm\ error\ ",
    # `error executing query`, `An error occurred (AccessDenied) when`, `Error from server (NotFound)`
    r"(?:an?\ )?(?:[\w-]{1,30}\ )?error\ (?:executing|from|occurred|while|when|reading|writing|opening|loading|parsing"
    r"|running|creating|processing)\b",
    # `2026-05-04 10:00:00,123 ERROR ...`, `[ERROR] ...`, `CRITICAL:root:...`
    r"(?-i:\[?[\dT:.,Z+/\ -]{8,40}\]?\s{1,4})?\[?(?-i:ERROR|FATAL|CRITICAL|SEVERE)\]?(?:[:\s]|$)",
    # Exception classes as Python, Java and JavaScript print them, and `E   AssertionError` of pytest
    r"(?:E\s{1,8}|Caused\ by:\ |Uncaught\ |Unhandled\ )?"
    r"(?-i:(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{0,60}(?:Error|Exception))(?::\s|\s*$)",
    r"traceback\ \(most\ recent\ call\ last\)|(?:uncaught|unhandled)\ |exception\ in\ thread\ ",
    r"thread\ '[^'\n]{0,60}'\ (?:\(\d+\)\ )?panicked",
    # Tests and builds
    r"(?-i:FAILED|FAIL)[:\s]\s{0,4}\S|(?-i:---\ FAIL:)",
    r"[=\s]{0,80}(?:tests?:\s{1,8})?(?:\d{1,6}\ \w{1,12},\ ){0,4}[1-9]\d{0,6}\ (?:failed|failing|errors?)\b",
    r"(?:the\ )?(?:build|compilation|command|execution|operation|request|deployment|installation)\ failed\b",
    r"make(?:\[\d+\])?:\ \*\*\*|segmentation\ fault|bus\ error|aborted\ \(core",
    # The shell and the C library, at the end of a `program: subject: reason` line
    r"(?=\S)[^:\n]{1,80}:\ (?:[^\n]{0,200}:\ )?(?:\(\d+\)\ )?(?:command\ not\ found|no\ such\ file\ or\ directory"
    r"|permission\ denied|not\ found|connection\ refused|(?:cannot|could\ not|unable\ to)\ [a-z]+\ [^\n]{1,300}"
    r"|(?:unrecognized|unknown)\ [a-z]+[^\n]{0,200})(?::\ [^\n]{0,200})?\s*$",
    r"(?=\S)[^\n]{1,200}is\ not\ recognized\ as\ an\ internal\ or\ external\ command",
    r"(?:failed|unable|cannot|could\ not)\ (?:to\ )?[a-z]+\ ",
)
_FAILED_LINE = re.compile("|".join(f"(?:{pattern})" for pattern in _FAILED_LINES), re.IGNORECASE | re.VERBOSE)
# What a tool answers in one line, where there is no other: `missing required parameter: id`.
_FAILED_ANSWER = re.compile(
    r"(?:missing|invalid|unknown|unsupported|unexpected|unauthorized|forbidden|cannot|can't|could not|couldn't"
    r"|unable to|failed to|no such|not found|access denied|permission denied|timed out|timeout|bad request"
    r"|internal server error)(?:[\s:,]|$)",
    re.IGNORECASE,
)
_ANSWER = 300
_HEAD, _TAIL = 500, 1000
_LINE = 400


def looks_failed(text: str) -> bool:
    """Return whether the text reads like a failure; used only to *suspect* one, never to count it.

    Of a long text the first 500 and the last 1,000 characters are read, where tools put their errors.
    Positive: `error: x`, `fatal: x`, `bash: x: command not found`, `ValueError: x`, `npm ERR! x`,
    `FAILED tests/a.py::b`, `2 failed, 3 passed`, `[ERROR] x`. Negative: `0 errors`, `error: null`,
    `errors.log`, `def test_error():`, `no error: x`, an indented `ValueError: if ...` of a docstring.
    """
    if len(text) <= _HEAD + _TAIL:
        return _has_failed_line(text) or _is_failed_answer(text)
    tail = text.find("\n", len(text) - _TAIL) + 1
    return _has_failed_line(text[:_HEAD]) or (tail > 0 and _has_failed_line(text[tail:]))


def failed_line(text: str) -> int | None:
    """Return where the first line that reads like a failure begins; None where no line does."""
    first = min(_failed_lines(text), default=None)
    return 0 if first is None and _is_failed_answer(text) else first


def _is_failed_answer(text: str) -> bool:
    return len(text) <= _ANSWER and "\n" not in (line := text.strip()) and _FAILED_ANSWER.match(line) is not None


def _has_failed_line(text: str) -> bool:
    return next(_failed_lines(text), None) is not None


def _failed_lines(text: str) -> Iterator[int]:
    """Yield, for each way of beginning, the start of the first line that states a failure."""
    if _FIRST_LINE.match(text) and _FAILED_LINE.match(text, 0, _line_end(text, 0)):
        yield 0
    for begin in _LATER_LINE.finditer(text):
        start = begin.start() + 1
        if _FAILED_LINE.match(text, start, _line_end(text, start)):
            yield start
            break
    for trigger in _TRIGGERS:
        if trigger in text and (start := _triggered_line(text, trigger)) >= 0:
            yield start


def _triggered_line(text: str, trigger: str) -> int:
    position = text.find(trigger)
    while position >= 0:
        start = text.rfind("\n", max(0, position - _LINE), position) + 1
        end = _line_end(text, position)
        if (start or position < _LINE) and _FAILED_LINE.match(text, start, end):
            return start
        position = text.find(trigger, end)
    return -1


def _line_end(text: str, position: int) -> int:
    end = text.find("\n", position, position + _LINE)
    return end if end >= 0 else min(len(text), position + _LINE)
