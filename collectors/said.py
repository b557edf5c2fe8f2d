"""What an error document says, as it is written there, before anything is checked, cut or redacted."""

from collections.abc import Mapping

import msgspec

Document = Mapping[str, object]

# Names under which tools say the same thing; the envelope contract's own name comes first.
CODE = ("code", "error_code", "errorCode")
MESSAGE = ("message", "detail", "cause", "summary", "error_description")
RETRYABLE = ("retryable", "isRetryable", "is_retryable")
RETRY_MS = ("retry_after_ms", "retryAfterMs")
RETRY_SECONDS = ("retry_after", "retryAfter", "retry_after_seconds", "retryAfterSeconds")
RETRY_HEADER = ("retry_after_header", "retry-after", "Retry-After")
SUGGESTION = ("suggestion", "hint", "suggested_action", "suggestedAction", "next_action", "agentGuidance")
HTTP_STATUS = ("http_status", "httpStatus", "status_code", "statusCode", "status")
CONTEXT = ("context", "details", "data")
FIXES = ("fix_command", "refresh_command", "reauth_command")
# Beside an error object these speak of other things than the failure.
_ASIDE = frozenset({"data", "results", "meta", "warnings", "status", "context", "details", "error", "errors"})


class Said(msgspec.Struct, kw_only=True):
    """What a document says; None where it says nothing."""

    dialect: str = ""
    ok: bool | None = False
    """None would mean that the document does not tell; an error document tells that it is one."""
    code: object = None
    message: object = None
    retryable: object = None
    retry_after_ms: object = None
    retry_after_seconds: object = None
    retry_after_header: object = None
    """A Retry-After value: whole seconds or an HTTP date."""
    retry_after_duration: object = None
    """A protobuf JSON duration: `1.5s`."""
    retry_not_before: object = None
    """An RFC 3339 instant."""
    retry_strategy: object = None
    max_retries: object = None
    fix_required: object = None
    fix_command: object = None
    fix_source: str | None = None
    phase: object = None
    suggestion: object = None
    context: object = None
    side_effects: object = None
    http_status: object = None
    request_id: object = None
    meta: Document = {}
    schema_version: object = None
    flags: tuple[str, ...] = ()


def child(document: Document, *path: str) -> Document:
    """Return the object at the path; empty where there is none."""
    for key in path:
        inner = document.get(key)
        if not isinstance(inner, Mapping):
            return {}
        document = inner
    return document


def objects(value: object) -> list[Document]:
    """Return the members of a list that are objects; empty for anything else."""
    return [item for item in value if isinstance(item, Mapping)] if isinstance(value, list) else []


def first(keys: tuple[str, ...], *documents: Document) -> object:
    """Return the first value that is not null under any of the keys, nearest document first."""
    for document in documents:
        for key in keys:
            if (value := document.get(key)) is not None:
                return value
    return None


def members(document: Document, *keys: str) -> Document | None:
    """Return the named members that are there and not null; None where there are none."""
    return {key: document[key] for key in keys if document.get(key) is not None} or None


def around(document: Document) -> Document:
    """Return the members around an error object that may speak of the failure."""
    return {key: value for key, value in document.items() if key not in _ASIDE}


def ladder(error: Document, *outer: Document) -> Said:
    """Read the fields that many tools share: from the error object, then from what is around it."""
    context = child(error, "context")
    headers = [child(document, "headers") for document in (error, *outer)]
    fix_source, fix_command = _fix(error, *outer)
    return Said(
        code=first(CODE, error, *outer),
        message=first(MESSAGE, error, *outer),
        retryable=first(RETRYABLE, error, *outer),
        retry_after_ms=first(RETRY_MS, error, *outer),
        retry_after_seconds=first(RETRY_SECONDS, error, *outer),
        retry_after_header=first(RETRY_HEADER, context, error, *outer, *headers),
        retry_strategy=first(("retry_strategy", "retryStrategy"), error, *outer),
        max_retries=first(("max_retries", "maxRetries"), error, *outer),
        fix_required=first(("fix_required",), error, *outer),
        fix_command=fix_command,
        fix_source=fix_source,
        phase=first(("phase",), error, *outer),
        suggestion=first(SUGGESTION, error, *outer),
        context=first(CONTEXT, error),
        side_effects=first(("side_effects", "sideEffects"), error, *outer),
        http_status=first(HTTP_STATUS, context, error, *outer),
        request_id=first(("request_id", "requestId"), error, *outer),
    )


def _fix(*documents: Document) -> tuple[str | None, object]:
    """Return the command that fixes the cause and the field it stood in: the generic one before the special ones."""
    for key in FIXES:
        if command := first((key,), *documents):
            return key, command
    for document in documents:
        if command := child(document, "redirect").get("command"):
            return "redirect", command
    return None, None


def stated(*flags: tuple[str, bool]) -> tuple[str, ...]:
    """Return the names of the flags that hold."""
    return tuple(name for name, holds in flags if holds)
