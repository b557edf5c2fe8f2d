"""PowerShell and cmd strings as shell trees, as far as statements, pipes and quotes go."""

import re

from collectors.shell import AndOr, Dynamic, Node, Pipeline, Sequence, Simple

_WORD = r"""((?:"(?:[^"`]++|`.)*+"|'[^']*+'|[^\s"'|;&{\[]++|[{\[]|&(?!&))++)"""
_POWERSHELL = re.compile(r"[ \t\r]*+(?:(\#[^\n]*+)|(&&|\|\||[;\n|])|" + _WORD + r"|(.))", re.DOTALL)
_CMD = re.compile(r"[ \t\r]*+(?:(\brem\b[^\n]*+)|(&&|\|\||[&\n|])|((?:\"[^\"]*+\"|\^.|[^\s\"|&^]++)++)|(.))", re.DOTALL)
_QUOTES = re.compile(r"\"((?:[^\"`]|`.)*)\"|'([^']*)'", re.DOTALL)
_MEMBER = re.compile(r"\)(?:\.\w+)*$")
_VARIABLE = re.compile(r"\$\w+$")
_KEYWORDS = frozenset({"if", "else", "foreach", "for", "while", "do", "try", "catch", "function", "param", "switch"})

ALIASES = {
    "gci": "Get-ChildItem",
    "gc": "Get-Content",
    "sl": "Set-Location",
    "iwr": "Invoke-WebRequest",
    "irm": "Invoke-RestMethod",
    "select": "Select-Object",
    "where": "Where-Object",
    "foreach": "ForEach-Object",
    "sls": "Select-String",
    "measure": "Measure-Object",
    "?": "Where-Object",
    "%": "ForEach-Object",
}
"""PowerShell's short names of the cmdlets that appear in logs."""


def read(command: str, language: str) -> Node:
    """Return the tree of a `powershell` or `cmd` string; script blocks are not looked into."""
    is_cmd = language == "cmd"
    items: list[Node] = []
    chain: list[tuple[str, Node]] = []
    stages: list[Node] = []
    words: list[str] = []
    operator = ""
    for _, sign, word, _ in (_CMD if is_cmd else _POWERSHELL).findall(command + "\n"):
        if word:
            words.append(word)
        if not sign:
            continue
        if words:
            stages.append(_cmd_command(words) if is_cmd else _powershell_command(words))
            words = []
        if sign == "|":
            continue
        if stages:
            chain.append((operator, stages[0] if len(stages) == 1 else Pipeline(tuple(stages))))
            stages = []
        operator = sign
        if sign not in ("&&", "||") and chain:
            items.append(chain[0][1] if len(chain) == 1 else AndOr(chain[0][1], tuple(chain[1:])))
            chain = []
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _cmd_command(words: list[str]) -> Simple:
    values = [word.replace('"', "").replace("^", "") for word in words]
    return Simple(tuple(Dynamic(value) if "%" in value else value for value in values))


def _powershell_command(words: list[str]) -> Simple:
    if len(words) > 2 and words[1] == "=" and _VARIABLE.match(words[0]):  # `$x = command`
        words = words[2:]
    if len(words) > 1 and words[0] in ("&", "."):
        words = words[1:]
    if words[0][:1] == "(" and len(words[0]) > 1:  # `(command).Member`
        words = [words[0][1:], *words[1:]]
        words[-1] = _MEMBER.sub("", words[-1])
    first = ALIASES.get(words[0].lower(), words[0])
    if first.lower() in _KEYWORDS:
        return Simple((Dynamic(first), *words[1:]))
    return Simple(tuple(_value(word) for word in (first, *words[1:]) if word))


def _value(word: str) -> str:
    value = _QUOTES.sub(lambda match: match[1] if match[1] is not None else match[2], word)
    return Dynamic(value) if "$" in word and word[:1] != "'" else value
