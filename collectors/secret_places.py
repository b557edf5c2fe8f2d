"""Places that hold a secret, whatever it looks like: headers, URLs, key blocks, options of known programs."""

import base64
import binascii
import re
from collections.abc import Iterator

from collectors.secret_shapes import Shape


def _not_prose(secret: str) -> bool:
    return len(secret) >= 20 or any(c.isdigit() for c in secret)


def _is_basic(secret: str) -> bool:
    """Whether it is base64 of `user:password` (RFC 7617)."""
    try:
        return b":" in base64.b64decode(secret, validate=True)
    except (binascii.Error, ValueError):
        return False


def _is_user_token(secret: str) -> bool:
    return any(c.isdigit() for c in secret)


_EMPTY = re.compile(
    r"\$\{?\w+\}?|\{\{?.*\}?\}|%\w+%|[*xX.]+|<.*>|password|passwd|pass|pw|pwd|your[-_ ]?password|\d{1,3}", re.IGNORECASE
)


def _is_password(secret: str) -> bool:
    return not _EMPTY.fullmatch(secret)


# The end of a private key whose beginning was cut off, with the base64 before it, read backwards.
_KEY_BODY = re.compile(r"(?:\n\r?|n\\)[A-Za-z0-9+/=]{1,128}(?:(?:\n\r?|n\\)[A-Za-z0-9+/=]{16,128})*")


def headless_keys(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of the lines before each end mark of a private key, at most 8,000 characters."""
    position = text.find("-----END ")
    while position >= 0:
        body = _KEY_BODY.match(text[max(0, position - 8000) : position][::-1])
        if body and "PRIVATE KEY" in text[position : position + 60]:
            yield position - body.end(), position, "private_key"
        position = text.find("-----END ", position + 9)


# PEM and OpenPGP private keys (RFC 7468, RFC 9580), whole or cut off; a cut one ends with its base64.
_PRIVATE_KEY = (
    r"(?P<s>-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:(?:[^-]|-(?!----)){0,20000}+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"|(?:[A-Za-z0-9+/=]{8,}+|\\[nr]|\s)*+))"
)
_AUTHORIZATION = (
    r"authorization\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?(?:(?:token|apikey|key|negotiate|digest)\s{1,4})?"
    r"(?!(?:bearer|basic)\b)(?P<s>[^\s\"'\\,;<>${}]{8,}+)"
)
_CURL_USER = (
    r"curl [^\n|;&\[]{0,400}?(?<=\s)(?:-u|--user|--proxy-user|-U)[ =]?[\"']?[^\s:\"'$]{1,128}:(?P<s>[^\s\"']{1,256})"
)

PLACES: tuple[tuple[str, tuple[Shape, ...]], ...] = (
    ("-----begin ", (Shape("private_key", "", re.compile(_PRIVATE_KEY)),)),
    # RFC 9110 section 11.6.2, RFC 6750, RFC 7617, RFC 6265
    ("auth", (Shape("authorization", "", re.compile(_AUTHORIZATION, re.I), _not_prose),)),
    (
        "bearer",
        (Shape("bearer", "", re.compile(r"bearer(?:[ \t]{1,8}|%20)(?P<s>[\w.~+/-]{6,256}+={0,2})", re.I), _not_prose),),
    ),
    ("basic ", (Shape("basic", "", re.compile(r"basic {1,8}(?P<s>[A-Za-z0-9+/]{6,256}+={0,2})", re.I), _is_basic),)),
    ("cookie:", (Shape("cookie", "", re.compile(r"cookie:[ \t]{0,8}(?P<s>[\w.-]{1,64}=[^\r\n\"'\\]{4,4096})", re.I)),)),
    # Stripe and Standard Webhooks: base64, which may break its run at a slash
    ("whsec_", (Shape("webhook_secret", "", re.compile(r"(?P<s>whsec_[A-Za-z0-9+/]{16,256}+={0,2})")),)),
    # Webhooks whose address is the secret
    (
        "hooks",
        (
            Shape(
                "slack_webhook",
                "",
                re.compile(r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<s>[\w/]{16,256}+)"),
            ),
            Shape("discord_webhook", "", re.compile(r"hooks/\d{10,25}/(?P<s>[\w-]{30,256}+)")),
        ),
    ),
    # Options whose letter means a password: curl(1), mysql(1), sshpass(1), redis-cli, docker login
    ("curl ", (Shape("curl_user", "", re.compile(_CURL_USER), _is_password),)),
    (
        "mysql",
        (
            Shape(
                "mysql_password",
                "",
                re.compile(r"mysql\w{0,12} [^\n|;&\[]{0,200}?(?<=\s)-p[\"']?(?P<s>[^\s\"'=]{2,128})"),
                _is_password,
            ),
        ),
    ),
    (
        "pass",
        (
            Shape(
                "sshpass",
                "",
                re.compile(r"(?<=ssh)pass [^\n|;&\[]{0,40}?-p ?[\"']?(?P<s>[^\s\"']{1,128})"),
                _is_password,
            ),
            # CREATE ROLE ... PASSWORD (PostgreSQL)
            Shape("sql_password", "", re.compile(r"password '(?P<s>[^'\n]{1,128})'", re.I), _is_password),
        ),
    ),
    (
        "redis-cli ",
        (
            Shape(
                "redis_password",
                "",
                re.compile(r"redis-cli [^\n|;&\[]{0,200}?(?<=\s)(?:-a|--pass) ?[\"']?(?P<s>[^\s\"']{1,128})"),
                _is_password,
            ),
        ),
    ),
    # docker login, netrc(5)
    (
        "login ",
        (
            Shape(
                "login_password",
                "",
                re.compile(r"login [^\n|;&\[]{0,200}?(?<=\s)-p[ =]?[\"']?(?P<s>[^\s\"'-][^\s\"']{1,128})"),
                _is_password,
            ),
            Shape(
                "netrc_password",
                "",
                re.compile(r"login \S{1,128}\s{1,8}password (?P<s>[^\s\"'<$]{1,128})"),
                _is_password,
            ),
        ),
    ),
    # CREATE USER ... IDENTIFIED BY (MySQL, Oracle)
    (
        "identified by",
        (
            Shape(
                "sql_password",
                "",
                re.compile(r"identified by (?:password )?['\"](?P<s>[^'\"\n]{1,128})", re.I),
                _is_password,
            ),
        ),
    ),
    (
        "@",  # RFC 3986 section 3.2.1: user information in a URL
        (
            Shape(
                "url_password",
                "://",
                re.compile(r"://[^\s/:@\"'<>\[]{0,128}:(?P<s>[^\s/@\"'<>]{1,256}+)@"),
                _is_password,
            ),
            Shape("url_token", "://", re.compile(r"://(?P<s>[^\s/:@\"'<>]{16,256}+)@"), _is_user_token),
        ),
    ),
    (
        "&",  # Azure shared access signatures, AWS presigned requests, Google signed URLs
        (
            Shape("signature", "signature=", re.compile(r"signature=(?P<s>[\w%+/=.-]{16,256}+)", re.I)),
            Shape("signature", "sig=", re.compile(r"(?<![A-Za-z])sig=(?P<s>[\w%+/=.-]{16,256}+)")),
        ),
    ),
)
"""Shapes by a literal, in lower case, without which none is there; it is their trigger where they name no other."""
