"""Text of logs made harmless for a terminal: the one function every such string passes before it is shown."""

import re
import unicodedata

_LONGEST = 2000
"""Characters looked at; nothing that is shown on a screen needs more."""

# a terminal swallows these as a whole: CSI ... final, OSC/DCS/APC/PM/SOS ... terminator, and two-character escapes
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-Z\\^-~]"
)
_BLANKS = re.compile(r"[ \t\r\n\v\f\x85\u2028\u2029]+")
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Controls, format characters (bidirectional overrides, zero-width ones, tags), surrogates, private and unassigned."""


def escape(text: str | None) -> str:
    r"""Return the text on one line, without terminal sequences, every invisible character shown as `\u202e`.

    Rich markup is not touched: what this returns goes into a `rich.text.Text`, which knows no markup. The result is at
    most 2,000 characters of the original, before invisible ones are spelled out.
    """
    shortened = (text or "")[:_LONGEST]
    blanked = _BLANKS.sub(" ", _SEQUENCES.sub("", shortened)).strip()
    if blanked.isascii() and blanked.isprintable():
        return blanked
    return "".join(_spelled(char) if unicodedata.category(char) in _HIDDEN else char for char in blanked)


def _spelled(char: str) -> str:
    """Return the escape that Python writes for a character."""
    point = ord(char)
    if point < 0x100:
        return f"\\x{point:02x}"
    return f"\\u{point:04x}" if point < 0x10000 else f"\\U{point:08x}"
