"""What the made-up `tool` and ticket server answer: every error they know, and how a reply is put together."""

from typing import Any, NamedTuple

Json = dict[str, Any]


class Reply(NamedTuple):
    """One answer of a program or server."""

    exit_code: int
    body: Json | str
    """An envelope, another JSON value, or the plain text of a program that writes none."""
    seconds: float | None = None
    """Run time; None lets the session choose a short one."""


class Error(NamedTuple):
    """One registered error: its exit code and the fields of `error` beside the code."""

    exit_code: int
    message: str
    fields: Json
    seconds: float | None = None
    """How long a call takes to fail this way; None: not long."""


def _transient(exit_code: int, message: str, after_ms: int | None = None, seconds: float | None = None) -> Error:
    rungs: Json = {"retryable": True} | ({} if after_ms is None else {"retry_after_ms": after_ms})
    return Error(exit_code, message, rungs, seconds)


def _correctable(exit_code: int, message: str, fix: str, command: str | None = None) -> Error:
    rungs: Json = {"retryable": False, "fix_required": fix} | ({} if command is None else {"fix_command": command})
    return Error(exit_code, message, rungs)


def _terminal(exit_code: int, message: str) -> Error:
    return Error(exit_code, message, {"retryable": False})


ERRORS: dict[str, Error] = {
    # -- declared transient
    "UPSTREAM_TIMEOUT": _transient(12, "Upstream did not answer within 5 s", 5000, seconds=5.04),
    "REGISTRY_UNREACHABLE": _transient(12, "Image registry did not answer", 3000),
    "QUOTA_EXHAUSTED": _transient(11, "Daily report quota of this project is used up", 2000),
    "RATE_LIMITED": _transient(11, "Too many sync requests", 20_000),
    "TICKETS_RATE_LIMITED": _transient(11, "Too many tickets a minute", 3000),
    "TOO_MANY_REQUESTS": _transient(11, "Search is throttled"),
    "ENV_WARMING": _transient(12, "Preview environment is warming up", 60_000),
    "TIMEOUT": _transient(10, "No answer from the mission service", 1000, seconds=30.0),
    "RUNNER_DOWN": _transient(12, "The canary runner is down", 4000),
    "BACKUP_BUSY": _transient(12, "Another backup is running", 15_000),
    "SERVICE_UNAVAILABLE": _transient(12, "The mirror is unavailable"),
    "RUNNER_BUSY": Error(12, "All linux runners are leased", {"retryable": True, "retry_after": 4}),
    "ARTIFACT_PENDING@1.5.0": _transient(12, "Artifact is not indexed yet", 10_000),
    # -- declared correctable
    "CREDENTIALS_EXPIRED": _correctable(
        8, "Access token expired", "Refresh credentials, then reissue", "tool auth refresh"
    ),
    "CONFIG_STALE": _correctable(
        4, "Local config is older than the server's", "Sync the config, then reissue", "tool config sync"
    ),
    "DEPS_BROKEN": _correctable(4, "Dependency lock does not resolve", "Repair the dependencies", "tool deps repair"),
    "RUNTIME_MISSING": _correctable(4, "Node runtime is missing", "Install the runtime", "npm install -g tool-runtime"),
    "TOKEN_MISSING": _correctable(
        8, "No registry token", "Log in to the registry", "tool auth login --token <your-token>"
    ),
    "STATE_DIVERGED": _correctable(
        4, "Local state and server state differ", "Bring the states together", "tool state reset --hard"
    ),
    "SCHEMA_OUTDATED": _correctable(4, "Schema is one step behind", "Apply the next step", "tool migrate apply-next"),
    "CACHE_COLD": _correctable(4, "Cache of this region is cold", "Warm the cache"),
    "INDEX_CORRUPT": _correctable(
        4, "Index does not match its checksum", "Rebuild the index", "tool index dump | tool index load"
    ),
    "LOCK_LEFTOVER": _correctable(4, "A lock is left over", "Remove the lock", "tool unlock --name deploy"),
    "LICENSE_LAPSED": _correctable(
        9, "The licence has lapsed", "Renew the licence", "Ask your administrator to renew the licence"
    ),
    "TOOL_OUTDATED": _correctable(
        4, "This release of tool is older than the server accepts", "Update tool", "tool self update"
    ),
    "CLI_OUTDATED": _correctable(
        4, "This release of tool is older than the server accepts", "Update tool", "tool self update"
    ),
    "INVALID_ENVIRONMENT": _correctable(2, "Unknown target 'prodution'", "Correct the target environment argument"),
    "INVALID_QUERY": _correctable(2, "Unknown field 'stauts' in the query", "Use a known field"),
    "APPROVAL_PENDING": _correctable(4, "The release awaits approval", "A maintainer approves the release"),
    "COMMAND_MOVED": Error(
        13,
        "The command has moved",
        {"retryable": False, "redirect": {"command": "tool issues list", "permanent": True, "reason": "renamed"}},
    ),
    # -- declared terminal
    "PERMISSION_DENIED": _terminal(7, "Access denied assuming role deployer"),
    "NOT_FOUND": _terminal(5, "No artifact 4711"),
    "ALREADY_EXISTS": _terminal(6, "Mission spring-sale already exists"),
    "QUEUE_PAUSED": _terminal(12, "Mail queue is paused"),
    "BRANCH_NOT_PUSHED": _terminal(4, "The branch is not on the remote"),
    "PARTIAL_FAILURE": _terminal(3, "3 of 5 mails sent"),
    "ROOT_REQUIRED": _terminal(7, "The agent is installed by root only"),
    "REGION_DOWN": _terminal(12, "Region eu-3 is down"),
    "NOTHING_TO_APPLY": _terminal(6, "Schema is up to date"),
    "STATUS_UNREADABLE": _terminal(1, "Status backend returned no data"),
    "ARTIFACT_PENDING": _terminal(12, "Artifact is not indexed yet"),
    # -- no class that can be used
    "BUILD_FAILED": Error(1, "2 errors in api/app.py", {}, 14.0),
    "UPSTREAM_FLAPPING": Error(12, "The base mirror comes and goes", {"retryable": "maybe"}),
    "SESSION_LOCKED": Error(
        6,
        "Debug session is locked",
        {"retryable": True, "fix_required": "Unlock the session", "fix_command": "tool session unlock"},
    ),
    "ERROR": Error(1, "Cache index is locked by another process", {"retryable": False}),
    "INTERNAL_ERROR": Error(1, "Unexpected state 7", {}),
}
"""By code; a suffix `@version` marks what that release of the tool says instead."""


def fail(name: str, *, exit_code: int | None = None, **changes: object) -> Reply:
    """Return the tool's failure `name`; `changes` replace single fields of `error`."""
    error = ERRORS[name]
    code = name.partition("@")[0].removeprefix("TICKETS_")
    body = {"code": code, "message": error.message, **error.fields, **changes}
    code_shown = error.exit_code if exit_code is None else exit_code
    return Reply(code_shown, {"ok": False, "data": None, "error": body, "warnings": [], "meta": {}}, error.seconds)


def ok(seconds: float | None = None, **data: object) -> Reply:
    """Return a success of the tool with `data`."""
    return Reply(0, {"ok": True, "data": data or {"done": True}, "error": None, "warnings": [], "meta": {}}, seconds)


def text(exit_code: int, output: str, seconds: float | None = None) -> Reply:
    """Return the answer of a program that writes no envelope."""
    return Reply(exit_code, output, seconds)
