"""Text of strangers made fit for a figure: no escape, no mathematics, no glyph the font lacks, cut to length."""

import unicodedata
from functools import cache

from matplotlib.font_manager import findfont, get_font

from collectors.text import clean, strip_ansi

TIMES = "\N{MULTIPLICATION SIGN}"
_READ = 30
"""Characters looked at for each that may be shown: what is dropped is mostly escapes."""
_MISSING = "\N{REPLACEMENT CHARACTER}"


def safe(text: object, *, limit: int = 60) -> str:
    """Return text from a log as one line of at most `limit` visible characters that matplotlib draws literally.

    Terminal escapes, control and format characters (direction overrides among them) are dropped, runs of blanks
    collapse, characters without a glyph become U+FFFD, and `$` is escaped, as two of them would start mathematics.
    """
    drawn = "".join(char if ord(char) in _glyphs() else _MISSING for char in plain(text, limit=limit))
    return drawn.replace("$", r"\$")


def plain(text: object, *, limit: int = 60) -> str:
    """Return the same line for a text alternative, where every character can be said and `$` means nothing."""
    held = strip_ansi(clean(str(text)[: limit * _READ])[0])
    line = " ".join("".join(char for char in held if char.isspace() or _is_visible(char)).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def tail(text: object, *, limit: int = 26) -> str:
    """Return the last `limit` characters of a text from a log; not yet `safe`."""
    whole = str(text)
    return whole if len(whole) <= limit else "…" + whole[1 - limit :]


def _is_visible(char: str) -> bool:
    return unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Cn")


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())


def percent(rate: float) -> str:
    """Return a rate of 0..1 as a percentage without decimals that never rounds to certainty."""
    shown = round(100 * rate)
    if shown == 100 and round(rate, 6) < 1:
        return ">99 %"
    return "<1 %" if shown == 0 and rate > 0 else f"{shown} %"


def interval(rate: float | None, lower: float, upper: float) -> str:
    """Return a rate of 0..1 with its interval: `91 % [62, 98]`."""
    bounds = f"[{round(100 * lower)}, {round(100 * upper)}]"
    return bounds if rate is None else f"{percent(rate)} {bounds}"


def seconds(value: float) -> str:
    """Return a span in the unit people would say it in: 800 ms, 20 s, 1.5 min, 2 h."""
    for size, unit in ((3600, "h"), (60, "min"), (1, "s")):
        if value >= size * (1 if unit == "s" else 1.5):
            return f"{value / size:.3g} {unit}"
    return f"{round(value * 1000)} ms"
