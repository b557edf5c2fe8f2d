"""Stable codes that a text carries without being an envelope: the table of what is looked for and who defines it."""

import errno
import re
from typing import NamedTuple


class Lift(NamedTuple):
    """One kind of code in prose."""

    source: str
    """`code_source` of an error whose code was found this way."""
    triggers: tuple[str, ...]
    """Literals without which the pattern cannot match."""
    pattern: re.Pattern[str]
    """Group `code` is the code, verbatim."""
    prefix: str = ""
    """Put before a bare number, which would mean nothing alone."""
    needs: re.Pattern[str] | None = None
    """Found wherever the pattern matches, and much sooner."""


# A pattern that begins with a literal, and looks back from there, is searched for at a tenth of the time.

# Names of <errno.h> and of the resolver that Node.js, Go, Rust and libc print. Source: Python's errno module,
# getaddrinfo(3), Node.js system errors.
_RESOLVER = ("ENOTFOUND", "EAI_AGAIN", "EAI_NONAME", "EAI_FAIL", "EINTEGRITY", "ERR_SOCKET_TIMEOUT")
_ERRNO = "|".join(name[1:] for name in sorted({*errno.errorcode.values(), *_RESOLVER}, key=len, reverse=True))
# gRPC status codes as grpc-go prints them.
_GRPC = (
    "Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|PermissionDenied|ResourceExhausted"
    "|FailedPrecondition|Aborted|OutOfRange|Unimplemented|Internal|Unavailable|DataLoss|Unauthenticated"
)
# The contract's exit constants, and sysexits(3).
_EXITS = (
    "GENERAL_ERROR|ARG_ERROR|PARTIAL_FAILURE|PRECONDITION|NOT_FOUND|CONFLICT|PERMISSION_DENIED|AUTH_REQUIRED"
    "|PAYMENT_REQUIRED|TIMEOUT|RATE_LIMITED|UNAVAILABLE|REDIRECTED"
    "|EX_(?:USAGE|DATAERR|NOINPUT|NOUSER|NOHOST|UNAVAILABLE|SOFTWARE|OSERR|OSFILE|CANTCREAT|IOERR|TEMPFAIL|PROTOCOL"
    "|NOPERM|CONFIG)"
)
# A class at the start of a line as Python, Java, .NET and JavaScript print it; a bare `Error` says nothing.
_EXCEPTION = (
    r"^(?:E {1,8}|Caused by: |Uncaught |Error: |Exception in thread \"[^\"\n]{1,80}\" )?"
    r"(?P<code>(?:[A-Za-z_]\w{0,60}\.){0,8}[A-Z]\w{1,60}(?:Error|Exception))(?=:|\s*$)"
)
# A status of 4xx or 5xx where the text says that it is one.
_HTTP = (
    r"(?:\bHTTP(?:/[\d.]{1,3})?(?: error| status(?: code)?)?:? |\bstatus(?: code)?[:=]? "
    r"|returned error: |\bAPI Error: )\(?(?P<code>[45]\d\d)\b"
)

LIFTS: tuple[Lift, ...] = (
    # npm 7 to 11: `npm ERR! code ERESOLVE`, `npm error code E404`
    Lift(
        "lifted:npm",
        ("npm ERR! code ", "npm error code "),
        re.compile(r"^npm (?:ERR!|error) code (?P<code>[A-Z][A-Z0-9_]{2,40})\b", re.M),
    ),
    # rustc `error[E0308]`, tsc `error TS2345:`, csc `error CS0103:`, MSVC `fatal error C1083:`; Oracle `ORA-00942:`
    Lift("lifted:compiler", ("rror",), re.compile(r"rror(?<=\b[Ee]rror)(?:\[| )(?P<code>[A-Z]{1,6}\d{3,6})(?:\]|:| )")),
    Lift("lifted:compiler", ("ORA-", "PLS-", "SP2-"), re.compile(r"\b(?P<code>(?:ORA|PLS|SP2)-\d{4,5})\b")),
    # AWS CLI and boto: `An error occurred (AccessDenied) when calling the GetObject operation`
    Lift(
        "lifted:aws",
        ("n error occurred (",),
        re.compile(r"\bAn error occurred \((?P<code>[A-Za-z][\w.]{2,80})\) when calling"),
    ),
    # kubectl: `Error from server (NotFound): pods "x" not found`
    Lift(
        "lifted:kubernetes",
        ("rror from server (",),
        re.compile(r"\bError from server \((?P<code>[A-Za-z]{3,40})\)"),
    ),
    # grpc-go: `rpc error: code = Unavailable desc = ...`
    Lift("lifted:grpc", ("code = ",), re.compile(rf"\brpc error: code = (?P<code>{_GRPC})\b")),
    # SQLSTATE (ISO 9075) as PDO, JDBC, the MySQL client and psql print it
    Lift(
        "lifted:sqlstate",
        ("SQLSTATE", "sqlstate", "SQLState"),
        re.compile(r"\bSQLSTATE[ :=\[(]{1,3}(?P<code>[0-9A-Z]{5})\b", re.I),
        "SQLSTATE_",
    ),
    Lift("lifted:sqlstate", ("ERROR",), re.compile(r"\bERROR \d{4} \((?P<code>[0-9A-Z]{5})\)"), "SQLSTATE_"),
    Lift(
        "lifted:sqlstate",
        ("ERROR:",),
        re.compile(r"\bERROR:\s{1,4}(?P<code>(?=[A-Z]{0,4}\d)[0-9A-Z]{5}):"),
        "SQLSTATE_",
    ),
    Lift("lifted:exception", ("Error", "Exception"), re.compile(_EXCEPTION, re.M)),
    Lift("lifted:errno", ("E",), re.compile(rf"(?P<code>E(?<![\w-]E)(?:{_ERRNO}))(?![\w-])")),
    Lift(
        "lifted:http",
        ("HTTP", "http", "status", "Status", "returned error: ", "API Error"),
        re.compile(_HTTP, re.I),
        "HTTP_",
        re.compile(r" \(?[45]\d\d\b"),
    ),
    Lift(
        "lifted:exit_constant",
        ("_", "CONFLICT", "TIMEOUT", "UNAVAILABLE", "PRECONDITION", "REDIRECTED"),
        re.compile(rf"^(?:\W{{0,3}}[Ee](?:rror|RROR)\W{{1,3}})?\[?\(?(?P<code>{_EXITS})(?=[\])]?(?::|\s*$))", re.M),
    ),
)

GIT_TRIGGERS = ("fatal: ", "error: ", "CONFLICT (", "! [")
"""Literals without which `GIT_LINE` cannot match."""
GIT_LINE = re.compile(r"\n(?:(?:fatal|error): |CONFLICT \(| ?! \[)")
"""A line, with the line break before it, that git's failures hold one of; the texts below are looked for only then."""

# What git means, by the words it uses (its English messages). The codes are ours; their source says so.
GIT: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("GIT_NOT_A_REPOSITORY", re.compile(r"not a git repository")),
    ("GIT_PATHSPEC_UNMATCHED", re.compile(r"pathspec .{0,200} did not match")),
    (
        "GIT_UNKNOWN_REVISION",
        re.compile(
            r"ambiguous argument .{0,200}unknown revision|bad revision|invalid reference|not a valid object name"
            r"|couldn't find remote ref"
        ),
    ),
    (
        "GIT_NON_FAST_FORWARD",
        re.compile(r"non-fast-forward|\(fetch first\)|not possible to fast-forward|divergent branches", re.I),
    ),
    ("GIT_PUSH_REJECTED", re.compile(r"failed to push some refs|remote rejected")),
    (
        "GIT_MERGE_CONFLICT",
        re.compile(r"automatic merge failed|you have unmerged paths|unmerged files|could not apply", re.I),
    ),
    ("GIT_WOULD_OVERWRITE", re.compile(r"would be overwritten by")),
    ("GIT_LOCKED", re.compile(r"unable to create .{0,200}\.lock|cannot lock ref", re.I)),
    ("GIT_ALREADY_EXISTS", re.compile(r"^fatal: [^\n]{0,200}already exists", re.M)),
    (
        "GIT_AUTHENTICATION",
        re.compile(
            r"authentication failed|could not read username|permission denied \(publickey|terminal prompts disabled",
            re.I,
        ),
    ),
    (
        "GIT_REMOTE_UNREACHABLE",
        re.compile(
            r"^fatal: (?:unable to access|could not read from remote|repository [^\n]{0,200} not found"
            r"|[^\n]{0,200} does not appear to be a git repository)",
            re.I | re.M,
        ),
    ),
    ("GIT_DUBIOUS_OWNERSHIP", re.compile(r"dubious ownership")),
    ("GIT_NO_UPSTREAM", re.compile(r"no upstream branch|no tracking information", re.I)),
    ("GIT_DETACHED", re.compile(r"not currently on a branch")),
)
