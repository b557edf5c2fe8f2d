import json

import pytest

from collectors.dialects import DIALECTS
from collectors.envelope import find, from_value

RECEIVED = 1_777_888_800 * 10**9
"""2026-05-04T10:00:00Z."""
GOOGLE = "type.googleapis.com/google.rpc."

# One document of each dialect, in the form its source shows, and everything that it states.
SAMPLES = {
    "mcp_tool_failure": (
        {
            "content": [{"type": "text", "text": "quota used up"}],
            "isError": True,
            "_meta": {
                "io.modelcontextprotocol/toolFailure": {
                    "class": "transient",
                    "code": "QUOTA",
                    "retryable": True,
                    "retryNotBefore": "2026-05-04T10:01:00Z",
                    "correlationId": "c-1",
                    "agentGuidance": "wait a minute",
                }
            },
        },
        {
            "error_code": "QUOTA",
            "message": "quota used up",
            "retryable": True,
            "retry_after_ms": 60_000,
            "request_id": "c-1",
            "suggestion": "wait a minute",
            "context": {"class": "transient"},
        },
    ),
    "jsonrpc": (
        {
            "jsonrpc": "2.0",
            "id": 7,
            "error": {"code": -32602, "message": "Unknown tool: x", "data": {"retryable": False}},
        },
        {"error_code": "-32602", "message": "Unknown tool: x", "retryable": False, "context": {"retryable": False}},
    ),
    "google_rpc": (
        {
            "error": {
                "code": 429,
                "message": "Quota exceeded",
                "status": "RESOURCE_EXHAUSTED",
                "details": [
                    {"@type": GOOGLE + "ErrorInfo", "reason": "RATE_LIMIT_EXCEEDED", "metadata": {"service": "x.test"}},
                    {"@type": GOOGLE + "RetryInfo", "retryDelay": "30.5s"},
                    {"@type": GOOGLE + "RequestInfo", "requestId": "r-1"},
                ],
            }
        },
        {
            "error_code": "RATE_LIMIT_EXCEEDED",
            "message": "Quota exceeded",
            "retry_after_ms": 30_500,
            "http_status": 429,
            "request_id": "r-1",
            "context": {"service": "x.test"},
        },
    ),
    "kubernetes": (
        {
            "kind": "Status",
            "apiVersion": "v1",
            "status": "Failure",
            "message": "too many requests",
            "reason": "TooManyRequests",
            "details": {"retryAfterSeconds": 3},
            "code": 429,
        },
        {
            "error_code": "TooManyRequests",
            "message": "too many requests",
            "retry_after_ms": 3000,
            "http_status": 429,
            "context": {"retryAfterSeconds": 3},
        },
    ),
    "github": (
        {
            "message": "Validation Failed",
            "errors": [{"resource": "Issue", "field": "title", "code": "missing_field"}],
            "documentation_url": "https://docs.example.test/rest",
            "status": "422",
        },
        {
            "error_code": "missing_field",
            "message": "Validation Failed",
            "http_status": 422,
            "context": [{"resource": "Issue", "field": "title", "code": "missing_field"}],
        },
    ),
    "json_api": (
        {
            "errors": [
                {
                    "status": "422",
                    "code": "TITLE_BLANK",
                    "title": "Invalid",
                    "detail": "Title is blank",
                    "source": {"pointer": "/data"},
                },
                {"title": "Other"},
            ]
        },
        {
            "error_code": "TITLE_BLANK",
            "message": "Title is blank",
            "http_status": 422,
            "context": {"source": {"pointer": "/data"}},
            "flags": ("several_errors",),
        },
    ),
    "graphql": (
        {
            "data": {"a": None},
            "errors": [
                {
                    "message": "Not allowed",
                    "path": ["a"],
                    "extensions": {"code": "FORBIDDEN", "retryable": False},
                }
            ],
        },
        {
            "error_code": "FORBIDDEN",
            "message": "Not allowed",
            "retryable": False,
            "context": {"path": ["a"], "extensions": {"code": "FORBIDDEN", "retryable": False}},
            "flags": ("partial",),
        },
    ),
    "errors_list": (
        {
            "errors": [
                {
                    "code": "CONFLICT",
                    "message": "page changed",
                    "retryable": True,
                    "suggested_action": "pull first",
                    "details": {"page": 1},
                }
            ]
        },
        {
            "error_code": "CONFLICT",
            "message": "page changed",
            "retryable": True,
            "suggestion": "pull first",
            "context": {"page": 1},
        },
    ),
    "anthropic": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"},
        {
            "error_code": "overloaded_error",
            "message": "Overloaded",
            "request_id": "req_1",
            "context": {"type": "overloaded_error"},
        },
    ),
    "stripe": (
        {
            "error": {
                "type": "card_error",
                "code": "card_declined",
                "decline_code": "insufficient_funds",
                "message": "Your card was declined.",
                "doc_url": "https://docs.example.test",
            }
        },
        {
            "error_code": "card_declined",
            "message": "Your card was declined.",
            "context": {"type": "card_error", "decline_code": "insufficient_funds"},
        },
    ),
    "openai": (
        {"error": {"message": "You exceeded your quota", "type": "insufficient_quota", "param": None, "code": None}},
        {
            "error_code": "insufficient_quota",
            "message": "You exceeded your quota",
            "context": {"type": "insufficient_quota"},
        },
    ),
    "aws_json": (
        {"__type": "com.example.v2#ProvisionedThroughputExceededException:http://x.test/", "message": "slow down"},
        {"error_code": "ProvisionedThroughputExceededException", "message": "slow down"},
    ),
    "aws_sdk": (
        {
            "Error": {"Code": "Throttling", "Message": "Rate exceeded"},
            "ResponseMetadata": {
                "RequestId": "r-1",
                "HTTPStatusCode": 400,
                "RetryAttempts": 4,
                "HTTPHeaders": {"retry-after": "2"},
            },
        },
        {
            "error_code": "Throttling",
            "message": "Rate exceeded",
            "retry_after_ms": 2000,
            "http_status": 400,
            "request_id": "r-1",
            "internal_attempts": 5,
        },
    ),
    "aws_js": (
        {
            "name": "ThrottlingException",
            "message": "Rate exceeded",
            "$fault": "client",
            "$retryable": {"throttling": True},
            "$metadata": {"httpStatusCode": 400, "requestId": "r-1", "attempts": 3},
        },
        {
            "error_code": "ThrottlingException",
            "message": "Rate exceeded",
            "retryable": True,
            "http_status": 400,
            "request_id": "r-1",
            "internal_attempts": 3,
        },
    ),
    "problem_json": (
        {
            "type": "https://example.test/probs/out-of-credit",
            "title": "You do not have enough credit.",
            "status": 403,
            "detail": "Your balance is 30, but that costs 50.",
            "balance": 30,
        },
        {
            "error_code": "https://example.test/probs/out-of-credit",
            "message": "Your balance is 30, but that costs 50.",
            "http_status": 403,
            "context": {"balance": 30},
        },
    ),
    "npm": (
        {"error": {"code": "E404", "summary": "Not Found", "detail": "'x@1' is not in this registry."}},
        {"error_code": "E404", "message": "Not Found", "context": {"detail": "'x@1' is not in this registry."}},
    ),
    "error_object": (
        {"status": "error", "error": {"code": "NOT_FOUND", "message": "no record 9", "retryable": False}},
        {"error_code": "NOT_FOUND", "message": "no record 9", "retryable": False},
    ),
    "top_level": (
        {"error": "rate limited", "code": "RATE", "retryable": True, "retryAfterSeconds": 2, "hint": "wait"},
        {
            "error_code": "RATE",
            "message": "rate limited",
            "retryable": True,
            "retry_after_ms": 2000,
            "suggestion": "wait",
        },
    ),
    "oauth": (
        {"error": "invalid_grant", "error_description": "The refresh code is expired"},
        {"error_code": "invalid_grant", "message": "The refresh code is expired"},
    ),
    "success_false": (
        {"success": False, "message": "no such page", "error_code": "NO_PAGE", "details": {"page": 3}},
        {"error_code": "NO_PAGE", "message": "no such page", "context": {"page": 3}},
    ),
    "error_text": ({"error": "Not Found", "statusCode": 404}, {"message": "Not Found", "http_status": 404}),
}


def stated(ladder):
    """What a ladder states beside the marks of a foreign error document, its context decoded."""
    assert ladder.envelope_ok is False
    assert ladder.is_failure
    facts = {name: getattr(ladder, name) for name in ladder.__struct_fields__}
    facts["context"] = facts["context"] and json.loads(facts["context"])
    marks = {"dialect", "envelope_ok", "code_source"}
    return {name: value for name, value in facts.items() if value not in (None, ()) and name not in marks}


@pytest.mark.parametrize("name", SAMPLES)
def test_a_document_says_what_it_says_and_no_more(name):
    """Each dialect is recognised, and its fields and nothing else reach the ladder."""
    document, expected = SAMPLES[name]
    ladder = from_value(document, received_unix_nano=RECEIVED)
    assert ladder.dialect == name
    assert stated(ladder) == expected
    assert ladder.code_source == ("envelope" if "error_code" in expected else None)
    assert find("connecting...\n" + json.dumps(document, indent=1), received_unix_nano=RECEIVED) == ladder


def test_every_dialect_has_a_sample():
    """The table and the samples name the same dialects, the envelope itself aside."""
    assert {dialect.name for dialect in DIALECTS} == {*SAMPLES, "cli_agent_spec"}
    assert all(dialect.source for dialect in DIALECTS)


@pytest.mark.parametrize(
    ("document", "dialect"),
    [
        ({"code": 8, "message": "m", "details": [{"@type": GOOGLE + "RetryInfo", "retryDelay": "1s"}]}, "google_rpc"),
        ({"error": {"code": 404, "message": "m", "status": "NOT_FOUND"}}, "google_rpc"),
        ({"type": "about:blank", "title": "Not Found", "status": 404}, "problem_json"),
        ({"errors": [{"message": "Cannot query field", "locations": [{"line": 1}]}]}, "graphql"),
        ({"data": None, "errors": [{"message": "m"}]}, "graphql"),
        ({"data": None, "errors": [{"message": "m", "code": "X_Y"}]}, "errors_list"),
        ({"error": {"type": "invalid_request_error", "message": "m", "param": "x", "code": "c"}}, "openai"),
        ({"result": {"_meta": {"io.modelcontextprotocol/toolFailure": {"code": "X"}}}}, "mcp_tool_failure"),
        ({"ok": False, "error": {"type": "a", "message": "m"}}, "cli_agent_spec"),
        ({"isRetryable": True, "errorCategory": "transient", "message": "m"}, "top_level"),
    ],
)
def test_neighbours_are_told_apart(document, dialect):
    """What names itself is recognised before what only looks alike."""
    assert from_value(document).dialect == dialect


def test_no_code_is_made_of_a_blank_type():
    """The type about:blank identifies no problem; an extension code does."""
    blank = {"type": "about:blank", "title": "Not Found", "status": 404}
    assert from_value(blank).error_code is None
    assert from_value({**blank, "code": "GONE"}).error_code == "GONE"


def test_a_successful_status_is_no_failure():
    """A Kubernetes Status of success is read as one."""
    ladder = from_value({"kind": "Status", "apiVersion": "v1", "status": "Success"})
    assert (ladder.envelope_ok, ladder.error_code) == (True, None)


@pytest.mark.parametrize(
    "document",
    [
        {"error": None},
        {"error": ""},
        {"error": {}},
        {"error": "x", "id": 1, "name": "job"},
        {"errors": [], "data": {}},
        {"errors": ["text"]},
        {"errors": 3},
        {"title": "A book", "type": "book"},
        {"title": "A book", "status": "lent"},
        {"message": "hello"},
        {"code": "X_Y", "message": "m"},
        {"kind": "Status"},
        {"kind": "Pod", "apiVersion": "v1", "status": {"phase": "Failed"}},
        {"retryable": True},
        {"success": False},
        {"ok": "no"},
        {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}},
        {"__type": 3},
        {"Error": "x"},
        [{"error": {"code": "X_Y"}}],
        "error",
        None,
    ],
)
def test_data_is_no_error_document(document):
    """Null errors, records that have an error among other things, and look-alikes give nothing."""
    assert from_value(document) is None
