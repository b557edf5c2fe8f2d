"""Error documents of many makers, each recognised and read into what it says about recovery and nothing more.

A reader passes values on as they are written. What a document does not state stays None: no
`retryable` is made from a status code, no code from a sentence.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from collectors.said import (
    CODE,
    MESSAGE,
    RETRYABLE,
    Document,
    Said,
    around,
    child,
    first,
    ladder,
    members,
    objects,
    stated,
)

NATIVE = "cli_agent_spec"
_TOOL_FAILURE = "io.modelcontextprotocol/toolFailure"
_STRIPE = {"doc_url", "request_log_url", "decline_code", "charge", "payment_intent"}
_GRAPHQL = {"locations", "path", "extensions"}
_MACHINE_TOKEN = re.compile(r"[a-z]+(?:_[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_BARE = frozenset(
    {
        *("error", "message", "code", "status", "statusCode", "status_code", "hint", "detail", "details"),
        *("error_description", "error_uri", "path", "timestamp", "request_id", *RETRYABLE),
    }
)


class Dialect(NamedTuple):
    """One way of writing an error."""

    name: str
    source: str
    recognises: Callable[[Document], bool]
    read: Callable[[Document], Said]


def read(document: Document) -> Said | None:
    """Return what the document says in the first dialect that recognises it; None where none does."""
    for dialect in DIALECTS:
        if dialect.recognises(document):
            said = dialect.read(document)
            said.dialect = dialect.name
            return said
    return None


def _error(document: Document) -> Document:
    return child(document, "error")


def _errors(document: Document) -> list[Document]:
    return objects(document.get("errors"))


# -- the envelope, also where `error` is a list, a string or missing


def _read_native(document: Document) -> Said:
    ok = document["ok"] is True
    error = document.get("error")
    errors = [] if ok else _errors(document)
    if ok and not error:
        said = Said(ok=True)
    else:
        said = ladder(_error(document) or (errors[0] if errors else {}), *(() if ok else (around(document),)))
        said.ok = ok
    if isinstance(error, str) and error:
        said.message = error
        said.code = said.code or (error if _MACHINE_TOKEN.fullmatch(error) else None)
    said.meta = child(document, "meta")
    said.schema_version = document.get("schema_version")
    said.flags = stated(
        ("error_beside_ok", ok and bool(error)),
        ("partial", document.get("partial") is True),
        ("several_errors", len(errors) > 1),
        ("retries_exhausted", _error(document).get("retries_exhausted") is True),
        ("output_truncated", said.meta.get("truncated") is True),
    )
    return said


# -- protocols between programs


def _tool_failure(document: Document) -> Document:
    return child(document, "_meta", _TOOL_FAILURE) or child(document, "result", "_meta", _TOOL_FAILURE)


def _read_tool_failure(document: Document) -> Said:
    failure = _tool_failure(document)
    content = objects(document.get("content")) or objects(child(document, "result").get("content"))
    said = ladder(failure)
    said.message = said.message or next((block["text"] for block in content if block.get("text")), None)
    said.retry_not_before = failure.get("retryNotBefore")
    said.request_id = said.request_id or failure.get("correlationId")
    said.context = members(failure, "class")
    return said


def _details(status: Document) -> dict[str, Document]:
    """Return the typed details of a google.rpc.Status by the last part of their type."""
    return {str(d["@type"]).rpartition(".")[2]: d for d in objects(status.get("details")) if "@type" in d}


def _google(document: Document) -> Document:
    error = _error(document)
    if isinstance(error.get("code"), int) and (isinstance(error.get("status"), str) or _details(error)):
        return error
    return document if isinstance(document.get("code"), int) and _details(document) else {}


def _read_google(document: Document) -> Said:
    """Read google.rpc.Status; the code is ErrorInfo's reason (AIP-193), the status name where there is none."""
    status = _google(document)
    details = _details(status)
    info = details.get("ErrorInfo", {})
    return Said(
        code=first(("reason",), info) or first(("status", "code"), status),
        message=status.get("message"),
        retry_after_duration=details.get("RetryInfo", {}).get("retryDelay"),
        context=info.get("metadata"),
        http_status=None if status is document else status["code"],
        request_id=details.get("RequestInfo", {}).get("requestId"),
    )


def _read_kubernetes(document: Document) -> Said:
    details = child(document, "details")
    return Said(
        ok=document.get("status") == "Success",
        code=document.get("reason"),
        message=document.get("message"),
        retry_after_seconds=details.get("retryAfterSeconds"),
        context=details or None,
        http_status=document.get("code"),
    )


def _read_problem(document: Document) -> Said:
    """Read RFC 9457: an extension `code`, else the type, which is the problem's identity unless about:blank."""
    said = ladder(document)
    said.code = first(CODE, document) or (document["type"] if document["type"] != "about:blank" else None)
    said.message = first(("detail", "title"), document)
    said.context = {k: v for k, v in document.items() if k not in {"type", "title", "status", "detail", "code"}} or None
    return said


# -- lists of errors; the first one speaks, the flag tells of the others


def _is_json_api(document: Document) -> bool:
    errors = _errors(document)
    return bool(errors) and all("message" not in error and {"title", "detail"} & error.keys() for error in errors)


def _read_json_api(document: Document) -> Said:
    said = _read_listed(document)
    error = _errors(document)[0]
    said.message = first(("detail", "title"), error)
    said.context = members(error, "source", "meta")
    return said


def _is_graphql(document: Document) -> bool:
    errors = _errors(document)
    if not errors or "message" not in errors[0]:
        return False
    return bool(_GRAPHQL & errors[0].keys()) or ("data" in document and "code" not in errors[0])


def _read_graphql(document: Document) -> Said:
    errors = _errors(document)
    extensions = child(errors[0], "extensions")
    said = ladder(extensions)
    said.message = errors[0]["message"]
    said.context = members(errors[0], "path", "extensions")
    said.flags = stated(("partial", document.get("data") is not None), ("several_errors", len(errors) > 1))
    return said


def _read_listed(document: Document) -> Said:
    errors = _errors(document)
    said = ladder(errors[0], child(errors[0], "meta"), around(document))
    said.flags = stated(("several_errors", len(errors) > 1))
    return said


# -- application interfaces


def _read_typed(document: Document) -> Said:
    """Read Anthropic, OpenAI and Stripe errors: the code where there is one, else the type."""
    error = _error(document)
    said = ladder(error)
    said.code = first(("code", "type"), error)
    said.request_id = first(("request_id",), document, error)
    said.context = members(error, "type", "param", "decline_code")
    return said


def _read_github(document: Document) -> Said:
    errors = _errors(document)
    code = next((error["code"] for error in errors if "code" in error), None)
    return Said(code=code, message=document["message"], context=errors or None, http_status=document.get("status"))


def _read_aws_json(document: Document) -> Said:
    """Read AWS JSON protocol errors: the code is what follows `#` and precedes `:` in `__type`."""
    code = str(document["__type"]).rpartition("#")[2].partition(":")[0]
    return Said(code=code, message=first(("message", "Message"), document))


def _read_aws_sdk(document: Document) -> Said:
    error, metadata = child(document, "Error"), child(document, "ResponseMetadata")
    return Said(
        code=error["Code"],
        message=error.get("Message"),
        retry_after_header=child(metadata, "HTTPHeaders").get("retry-after"),
        http_status=metadata.get("HTTPStatusCode"),
        request_id=metadata.get("RequestId"),
        meta={"retries": metadata.get("RetryAttempts")},
    )


def _read_aws_js(document: Document) -> Said:
    """Read the AWS SDK for JavaScript; its `$retryable` is an object where the service says that a retry may help."""
    metadata = child(document, "$metadata")
    return Said(
        code=document.get("name"),
        message=document.get("message"),
        retryable=True if isinstance(document.get("$retryable"), dict) else None,
        http_status=metadata.get("httpStatusCode"),
        request_id=metadata.get("requestId"),
        meta={"attempt": metadata.get("attempts")},
    )


# -- no standard, but what command line tools print


def _read_npm(document: Document) -> Said:
    error = _error(document)
    said = ladder(error)
    said.message = first(("summary", "detail"), error)
    said.context = members(error, "detail")
    return said


def _read_object(document: Document) -> Said:
    return ladder(_error(document), around(document))


def _is_top_level(document: Document) -> bool:
    return bool({*RETRYABLE} & document.keys()) and bool({*CODE, "error", "message"} & document.keys())


def _read_top_level(document: Document) -> Said:
    said = ladder(document)
    error = document.get("error")
    said.message = said.message or (error if isinstance(error, str) else None)
    return said


def _read_oauth(document: Document) -> Said:
    return Said(code=document["error"], message=document["error_description"])


def _is_bare(document: Document) -> bool:
    return isinstance(document.get("error"), str) and bool(document["error"]) and document.keys() <= _BARE


DIALECTS: tuple[Dialect, ...] = (
    Dialect("mcp_tool_failure", f"MCP, _meta[{_TOOL_FAILURE}]", lambda d: bool(_tool_failure(d)), _read_tool_failure),
    Dialect(NATIVE, "cli-agent-spec, response envelope", lambda d: isinstance(d.get("ok"), bool), _read_native),
    Dialect(
        "jsonrpc",
        "JSON-RPC 2.0 section 5.1",
        lambda d: d.get("jsonrpc") == "2.0" and bool(_error(d)),
        lambda d: ladder(_error(d), child(d, "error", "data")),
    ),
    Dialect("google_rpc", "google.rpc.Status, AIP-193", lambda d: bool(_google(d)), _read_google),
    Dialect(
        "kubernetes",
        "Kubernetes API conventions, Status",
        lambda d: d.get("kind") == "Status" and "apiVersion" in d,
        _read_kubernetes,
    ),
    Dialect("github", "GitHub REST API", lambda d: {"message", "documentation_url"} <= d.keys(), _read_github),
    Dialect("json_api", "JSON:API 1.1, error objects", _is_json_api, _read_json_api),
    Dialect("graphql", "GraphQL specification, section 7.1", _is_graphql, _read_graphql),
    Dialect("errors_list", "tools that list errors", lambda d: any("code" in e for e in _errors(d)), _read_listed),
    Dialect("anthropic", "Anthropic API", lambda d: d.get("type") == "error" and "type" in _error(d), _read_typed),
    Dialect("stripe", "Stripe API", lambda d: "type" in _error(d) and bool(_STRIPE & _error(d).keys()), _read_typed),
    Dialect("openai", "OpenAI API", lambda d: {"type", "message"} <= _error(d).keys(), _read_typed),
    Dialect("aws_json", "AWS JSON 1.1 protocol", lambda d: isinstance(d.get("__type"), str), _read_aws_json),
    Dialect("aws_sdk", "botocore ClientError.response", lambda d: "Code" in child(d, "Error"), _read_aws_sdk),
    Dialect("aws_js", "AWS SDK for JavaScript v3", lambda d: {"$metadata", "$fault"} <= d.keys(), _read_aws_js),
    Dialect(
        "problem_json",
        "RFC 9457",
        lambda d: isinstance(d.get("title"), str) and isinstance(d.get("type"), str) and "status" in d,
        _read_problem,
    ),
    Dialect("npm", "npm --json", lambda d: {"summary", "detail"} <= _error(d).keys(), _read_npm),
    Dialect("error_object", "an error object", lambda d: bool({*CODE, *MESSAGE} & _error(d).keys()), _read_object),
    Dialect("top_level", "tools with `retryable` at the top", _is_top_level, _read_top_level),
    Dialect(
        "oauth",
        "RFC 6749 section 5.2",
        lambda d: isinstance(d.get("error"), str) and "error_description" in d,
        _read_oauth,
    ),
    Dialect(
        "success_false",
        "tools with a `success` flag",
        lambda d: d.get("success") is False and bool({*CODE, "error", "message"} & d.keys()),
        _read_top_level,
    ),
    Dialect("error_text", "an error string as the whole document", _is_bare, _read_top_level),
)
"""In the order they are tried: what names itself comes before what is only recognised by its members."""
