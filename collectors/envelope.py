"""The recovery ladder out of a tool's output: find the error document, read it, check and cut every field."""

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from collectors import jsonscan, retry_after
from collectors.compact import compact_json, plain_json
from collectors.dialects import read as read_dialect
from collectors.http_head import Head, last_head
from collectors.redact import redact, storable
from collectors.said import Said
from collectors.text import clean, strip_ansi

# Without one of these, or `_TOOL_FAILURE`, no dialect recognises a document. The quote they share makes one
# search of them: 3 us a text, where one search for each took 17.
_MARKER = re.compile(
    r'"(?:ok"|error|retryable"|isRetryable"|is_retryable"|title"|Status"|__type"|Error"|documentation_url"'
    r'|\$metadata"|details")'
)
_TOOL_FAILURE = "toolFailure"
_MESSAGE_LIMIT = 2000
_LIMIT = 1000
_SHORT = 200
_INT64 = 2**63


class Ladder(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool said about one outcome; None where it said nothing. Slots are those of `events.Event`."""

    dialect: str
    envelope_ok: bool | None = None
    """False where the document is an error document of a foreign dialect."""
    schema_version: str | None = None
    request_id: str | None = None
    error_code: str | None = None
    """Verbatim; a number is written out, nothing else is made into a code."""
    code_source: str | None = None
    """`envelope`, or `dialect` for a foreign document."""
    message: str | None = None
    retryable: bool | None = None
    retryable_text: str | None = None
    """`maybe`, or any other value that is no boolean, verbatim."""
    retry_after_ms: int | None = None
    retry_strategy: str | None = None
    max_retries: int | None = None
    fix_required: str | None = None
    fix_command: str | None = None
    """Inert text, verbatim but redacted; nothing here ever runs it."""
    fix_source: str | None = None
    phase: str | None = None
    suggestion: str | None = None
    context: str | None = None
    """Compact JSON, at most 1,000 characters, always valid."""
    side_effects: str | None = None
    http_status: int | None = None
    internal_attempts: int | None = None
    tool_version: str | None = None
    duration_ms: int | None = None
    trace_id: str | None = None
    flags: tuple[str, ...] = ()

    @property
    def is_failure(self) -> bool:
        """Whether the document states a failure: it is not ok, or it holds an error beside ok."""
        return self.envelope_ok is False or "error_beside_ok" in self.flags


def find(text: str, *, received_unix_nano: int | None = None) -> Ladder | None:
    """Return the ladder in a tool's output; None where nothing in it can be read as one.

    An object counts as the envelope where its `ok` is a boolean, and the last one wins; else the last
    complete object is tried as a foreign dialect; else the head of a failed HTTP response, which also
    completes a document that states neither status nor wait. A value that broke off is not mended.

    Args:
        text: What the tool printed, polluted or not.
        received_unix_nano: When it arrived, nanoseconds since the Unix epoch, UTC; without it the date
            of a Retry-After header gives no wait.

    Source: the extraction rule of the envelope contract.
    """
    ladder = from_value(_object(text), received_unix_nano=received_unix_nano) if _may_hold(text) else None
    head = last_head(text)
    return ladder if head is None else _with_head(ladder, head, received_unix_nano)


def from_value(value: object, *, received_unix_nano: int | None = None) -> Ladder | None:
    """Return the ladder of an envelope or a foreign error document that is decoded already; None for anything else."""
    said = read_dialect(value) if isinstance(value, Mapping) else None
    return None if said is None else _checked(said, received_unix_nano)


def is_damaged(text: str) -> bool:
    """Return whether the text holds no envelope but a value that starts like one and does not decode."""
    if not _may_hold(text) or _whole(text) is not None:
        return False
    found = jsonscan.scan(strip_ansi(text))
    return found.is_damaged and found.with_ok is None


def _may_hold(text: str) -> bool:
    return "{" in text and (_MARKER.search(text) is not None or _TOOL_FAILURE in text)


def _object(text: str) -> object:
    whole = _whole(text)
    if whole is not None:
        return whole
    found = jsonscan.scan(strip_ansi(text))
    return found.last if found.with_ok is None else found.with_ok


def _whole(text: str) -> object:
    """Return the decoded text where it is one JSON object, as most output with one is; None where it is not."""
    if text[:1] != "{" or text.rstrip()[-1:] != "}":
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        return None  # the scan reads what this decoder refuses: lone surrogates, NaN, several values


def _with_head(ladder: Ladder | None, head: Head, received_unix_nano: int | None) -> Ladder | None:
    if head.status < 400 or (ladder is not None and not ladder.is_failure):
        return ladder
    said = Said(
        dialect="http", http_status=head.status, retry_after_header=head.retry_after, request_id=head.request_id
    )
    stated = _checked(said, received_unix_nano)
    if ladder is None:
        return stated
    is_silent = ladder.retry_after_ms is None and retry_after.INVALID not in ladder.flags
    return msgspec.structs.replace(
        ladder,
        http_status=ladder.http_status or stated.http_status,
        request_id=ladder.request_id or stated.request_id,
        retry_after_ms=stated.retry_after_ms if is_silent else ladder.retry_after_ms,
        flags=(*ladder.flags, *stated.flags) if is_silent else ladder.flags,
    )


def _checked(said: Said, received_unix_nano: int | None) -> Ladder:
    retryable, retryable_text = _retryable(said.retryable)
    wait, wait_flags = _wait(said, received_unix_nano)
    code = _code(said.code)
    fix_command = _text(said.fix_command) if isinstance(said.fix_command, str) else None
    is_zero = said.retry_after_ms == 0 and code == "RATE_LIMITED"
    meta = said.meta
    return Ladder(
        dialect=said.dialect,
        envelope_ok=said.ok,
        schema_version=_text(meta.get("schema_version") or said.schema_version),
        request_id=_text(meta.get("request_id") or said.request_id),
        error_code=code,
        code_source=None if code is None else "envelope",
        message=_prose(said.message, _MESSAGE_LIMIT),
        retryable=retryable,
        retryable_text=retryable_text,
        retry_after_ms=wait,
        retry_strategy=_text(said.retry_strategy),
        max_retries=_integer(said.max_retries),
        fix_required=None if said.fix_required is False else _prose(said.fix_required),
        fix_command=fix_command,
        fix_source=said.fix_source if fix_command else None,
        phase=_text(said.phase),
        suggestion=_prose(said.suggestion),
        context=compact_json(said.context, limit=_LIMIT),
        side_effects=_text(said.side_effects),
        http_status=_http_status(said.http_status),
        internal_attempts=_attempts(meta),
        tool_version=_text(meta.get("tool_version")),
        duration_ms=_integer(meta.get("duration_ms")),
        trace_id=_text(meta.get("trace_id")),
        flags=(*said.flags, *wait_flags, *(("zero_rate_limited",) if is_zero else ())),
    )


def _retryable(value: object) -> tuple[bool | None, str | None]:
    if isinstance(value, bool):
        return value, None
    if value in ("true", "false"):
        return value == "true", None
    return None, _text(value)


def _wait(said: Said, received_unix_nano: int | None) -> tuple[int | None, tuple[str, ...]]:
    """Return the declared wait in milliseconds, the longest of several, and flags about how it was stated."""
    stated: list[int | str | None] = []
    if said.retry_after_ms is not None:
        stated.append(retry_after.from_number(said.retry_after_ms, scale=1))
    if said.retry_after_seconds is not None:
        seconds = retry_after.from_number(said.retry_after_seconds, scale=1000)
        header = retry_after.from_header(said.retry_after_seconds, received_unix_nano=received_unix_nano)
        stated.append(header if seconds is None else seconds)
    if said.retry_after_header is not None:
        stated.append(retry_after.from_header(said.retry_after_header, received_unix_nano=received_unix_nano))
    if said.retry_after_duration is not None:
        stated.append(retry_after.from_duration(said.retry_after_duration))
    if said.retry_not_before is not None:
        stated.append(retry_after.from_instant(said.retry_not_before, received_unix_nano=received_unix_nano))
    flags = [wait or retry_after.INVALID for wait in stated if wait is None or isinstance(wait, str)]
    wait, is_mismatch = retry_after.agree([wait for wait in stated if isinstance(wait, int)])
    return wait, (*dict.fromkeys(flags), *((retry_after.MISMATCH,) if is_mismatch else ()))


def _code(value: object) -> str | None:
    """Return the code; objects, lists and booleans are none."""
    return None if isinstance(value, bool | Mapping | list) else _text(value)


def _text(value: object, limit: int = _LIMIT) -> str | None:
    """Return a string fit to be stored: valid Unicode, without secrets, cut; None for null and for empty."""
    if value is None or value == "":
        return None
    text = value if isinstance(value, str) else plain_json(value)
    return _short(text) if len(text) <= _SHORT else storable(clean(text)[0], limit)


@lru_cache(maxsize=4096)
def _short(text: str) -> str:
    """Return a short string fit to be stored; tools say the same few things over and over."""
    return redact(clean(text)[0])


def _prose(value: object, limit: int = _LIMIT) -> str | None:
    return _text(strip_ansi(value) if isinstance(value, str) else value, limit)


def _integer(value: object) -> int | None:
    """Return a count or a duration as a whole number; None for what is none or cannot be stored."""
    if isinstance(value, float) and -_INT64 < value < _INT64:
        return round(value)
    return value if isinstance(value, int) and not isinstance(value, bool) and -_INT64 <= value < _INT64 else None


def _http_status(value: object) -> int | None:
    status = int(value) if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) == 3 else value
    return status if isinstance(status, int) and not isinstance(status, bool) and 100 <= status <= 599 else None


def _attempts(meta: Mapping[str, object]) -> int | None:
    attempt = _integer(meta.get("attempt"))
    retries = _integer(meta.get("retries"))
    return attempt if attempt is not None else None if retries is None else 1 + retries
