"""Values whose name says that they are secret: flags, assignments, JSON members, XML elements.

A name with some value beside it is everyday text (`token: identifier`, `password: str`). So the
closer name and value stand (`=` without blanks, quotes, a flag), the less is asked of the value.
"""

import re
from typing import NamedTuple

_KEYS = ("api", "access", "private", "signing", "encryption", "account", "master", "auth", "ssh", "consumer", "client")
# What a secret is called: the word to search for, its kind, and the pattern that is matched where the
# word stands and ends with it. Source: the keywords of gitleaks' generic-api-key rule and of
# detect-secrets' KeywordDetector.
NAMES: dict[str, tuple[str, re.Pattern[str]]] = {
    "pass": (
        "password",
        re.compile(r"pass(?:word|wd|phrase|code)|(?:(?<=[_-])|(?<=db))pass|(?<=[\"'])pass(?=\\?[\"'])", re.IGNORECASE),
    ),
    "pwd": ("password", re.compile(r"pwd", re.IGNORECASE)),
    "token": ("secret", re.compile(r"token", re.IGNORECASE)),
    "secret": ("secret", re.compile(r"secret", re.IGNORECASE)),
    "key": ("secret", re.compile("|".join(rf"(?<={k})key|(?<={k}[_-])key" for k in _KEYS), re.IGNORECASE)),
    "auth": ("secret", re.compile(r"(?<=_)auth", re.IGNORECASE)),
    "credential": ("secret", re.compile(r"credential", re.IGNORECASE)),
}

# The rest of the name, then what stands between it and its value.
_NAME = re.compile(
    r"(?:[_-]?access)?(?:[_-]?key)?(?P<plural>s?)"  # secret_access_key, credentials
    r"(?P<suffix>(?:[_-][A-Za-z0-9]{1,16}){0,2}|\d{1,2})"
    r"(?P<sep>\\{0,3}[\"']?\s{0,4}(?:=>|:=|[=:]|%3[Dd])\s{0,4}|\\{0,3}[\"'],\s{0,4}|[ \t]{1,4}|>)"
)
_BARE = r"(?:[^\s\"'`&;|<>\\]|\\(?![nrt\"'\\]))"
_VALUE = re.compile(
    r"(?P<quote>\\{0,3}[\"'])"
    r"(?P<quoted>(?:[^\"'\\\n]|\\(?![\"'])[^\n]|(?!(?P=quote))[\"']|(?!(?P=quote))\\[\"']){0,1024}?)(?P=quote)"
    rf"|(?P<bare>{_BARE}{{1,256}})"
)
_REST = re.compile(f"{_BARE}*")
_FLAG = re.compile(r"(?:^|[\s\"'`(])--?[\w-]*$")
_MARK = "[redacted:"

_PLAIN_SUFFIX = frozenset(
    """address age arn bits class cost count created endpoint env error expires expiry field file format function
    header id index kind label length limit max min minutes mode model name number path policy prefix provider ref
    regex required rotation rule rules seconds size source stdin store strategy style table ttl type types uri url
    usage used user valid var variable version""".split()  # noqa: SIM905 - forty lines say no more than four
)
_WORDS = frozenset(
    """a an and any are auth authentication auto basic bearer bool boolean bytes changed char checked default denied
    disabled does ecdsa empty enabled eof error expected expired false file for found from getpass has hidden identifier
    if in incorrect input int integer invalid is key literal masked may missing must na name newline nil no none not
    null number object of ok on optional or pass passwd password please prompt provided read redacted required reset
    rotated secret see sensitive set should stdin str string symbol text that the this to token true type undefined
    unknown unset unused used user valid value varchar was will with write wrong yes your""".split()  # noqa: SIM905
)
_PLACEHOLDER = re.compile(
    r"\$\{?[A-Za-z_]\w*(?::?-[^}]*)?\}?|\$\(.*|\$\{\{.*|\{+[^{}]*\}+|%\w+%|<[^<>]*>|[*xX.\u2022_#?-]+|\(\w+\)|\[[^\[\]]*\]"
    r"|your(?:[-_ ].*|password|token|key|secret|api.*)|(?:insert|enter|replace|put)[-_ ].*"
    r"|(?:my|some|the|dummy|fake|example|sample)(?:[-_ ][A-Za-z]+)+|.*placeholder.*|op://.*",
    re.IGNORECASE | re.DOTALL,
)
_CONSTANT = re.compile(r"[A-Z]+(?:_[A-Z]+)+")
_CODE = re.compile(
    r"[A-Za-z_][\w.]*(?:\(.*|\[[\w\"'.-]*\]?.*)"  # a call, an index
    r"|(?:self|this|os|process|env|req|request|config|settings|ctx|args|options|opts|params|props|state|cfg|data|user"
    r"|event|context|secrets|vars|var)\.[A-Za-z_.]+",
    re.DOTALL,
)
_DOTTED = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+")
_LOCATION = re.compile(r"[a-zA-Z][\w+.-]{1,20}://.*|\.{0,2}/[\w./@+-]*|~/.*|[A-Za-z]:\\.*|arn:.*", re.DOTALL)
_SENTENCE = re.compile(r"[A-Za-z]+(?:[-_' ][A-Za-z]+)*")


class _Value(NamedTuple):
    text: str
    start: int
    end: int
    is_quoted: bool


def named_secret(word: str, text: str, position: int) -> tuple[int, int, str] | None:
    """Return start, end and kind of the value that its name and its looks make a secret; None for any other.

    Args:
        word: A key of `NAMES`.
        text: The text.
        position: Where the word stands in it.
    """
    kind, pattern = NAMES[word]
    keyword = pattern.match(text, position)
    name = _NAME.match(text, keyword.end()) if keyword else None
    found = _VALUE.match(text, name.end()) if name else None
    if name is None or found is None or not _belongs(name["sep"], text, position, found.end()):
        return None
    value = _trimmed(text, found)
    if len(value.text) < 3 or _MARK in value.text or _is_harmless(value, kind) or not _may_be_called(name, value.text):
        return None
    is_close = value.is_quoted or name["sep"].isspace() or name["sep"].lower() in {"=", ">", "%3d"}
    return (value.start, value.end, kind) if is_close or _stands_out(value, kind, text) else None


def _belongs(sep: str, text: str, position: int, end: int) -> bool:
    """Return whether what stands between makes the value the name's: a blank after a flag, `>` before an end tag."""
    if sep == ">":
        return text.startswith("</", end)
    return not (sep.isspace() or "," in sep) or _FLAG.search(text[max(0, position - 40) : position]) is not None


def _trimmed(text: str, found: re.Match[str]) -> _Value:
    """Return the value whole; a bare one without the punctuation of a sentence or of a call at its end."""
    if found["quote"]:
        return _Value(found["quoted"], *found.span("quoted"), True)
    rest = _REST.match(text, found.end())
    start = found.start()
    bare = text[start : rest.end() if rest else found.end()].rstrip(",.)]}:!")
    return _Value(bare, start, start + len(bare), False)


def _may_be_called(name: re.Match[str], secret: str) -> bool:
    """Return whether the rest of the name suits: `SECRET_KEY_PROD` does, `token_count` and `tokens=128` do not."""
    suffix = name["suffix"].lower()
    if not suffix or suffix.isdigit():
        return not (name["plural"] and secret.isdigit())
    return re.split(r"[_-]", suffix)[-1] not in _PLAIN_SUFFIX and _is_dense(secret)


def _is_harmless(value: _Value, kind: str) -> bool:
    secret = value.text
    if secret.lower() in _WORDS or _PLACEHOLDER.fullmatch(secret) or _CONSTANT.fullmatch(secret):
        return True
    if not value.is_quoted and _is_code(secret, kind):
        return True
    if secret.isdigit() and len(secret) < (4 if kind == "password" else 6):
        return True
    return _LOCATION.fullmatch(secret) is not None and not _is_base64(secret)


def _is_code(secret: str, kind: str) -> bool:
    """Return whether it is code: `token=access_token`, `password=os.environ[...]`, `secret=get(...)`."""
    is_named = "_" in secret and re.fullmatch(r"[A-Za-z_]+", secret) and any(name in secret.lower() for name in NAMES)
    return bool(is_named or _CODE.fullmatch(secret) or (kind != "password" and _DOTTED.fullmatch(secret)))


def _is_base64(secret: str) -> bool:
    """Return whether it may be key material that happens to begin with a slash."""
    is_mixed = any(map(str.isdigit, secret)) and not secret.islower()
    return len(secret) >= 32 and "." not in secret and secret.count("/") < 4 and is_mixed


def _is_dense(secret: str) -> bool:
    return len(secret) >= 8 and any(map(str.isdigit, secret)) and any(map(str.isalpha, secret))


def _stands_out(value: _Value, kind: str, text: str) -> bool:
    """Return whether a value that is only loosely beside its name is no word of a sentence."""
    if _SENTENCE.fullmatch(value.text):
        goes_on = re.match(r" \w", text[value.end : value.end + 2]) is not None
        return (kind == "password" and not goes_on) or (len(value.text) >= 20 and value.text.isalpha())
    return kind == "password" or _is_dense(value.text)
