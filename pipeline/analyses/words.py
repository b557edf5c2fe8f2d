"""The words findings share: shares, counts, durations and ids."""

import re
from hashlib import blake2b

_LONGEST_QUOTE = 60
_LONGEST_SLUG = 60


def cut(text: str | None, length: int = _LONGEST_QUOTE) -> str:
    """Return the text, shortened to `length` characters; an ellipsis marks what is left out."""
    text = text or ""
    return text if len(text) <= length else text[: length - 1] + "…"


def percent(share: float) -> str:
    """Return a share 0..1 as a whole percentage without its sign; only 0 and 1 themselves read 0 and 100."""
    figure = f"{100 * share:.0f}"
    if figure == "0" and share > 0:
        return "<1"
    return ">99" if figure == "100" and share < 1 else figure


def between(lower: float | None, upper: float | None) -> str:
    """Return the bounds of a rate as `95 % interval 0-14 %`."""
    if lower is None or upper is None:
        return "no interval"
    return f"95 % interval {percent(lower)}-{percent(upper)} %"


def counted(count: int, thing: str) -> str:
    """Return `1 session`, `3 sessions`."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def of(k: int, n: int, thing: str) -> str:
    """Return `0 of 24 loops`."""
    return f"{k:,} of {counted(n, thing)}"


def duration(milliseconds: float) -> str:
    """Return a duration in the unit a reader would choose."""
    for unit, size in (("h", 3_600_000), ("min", 60_000), ("s", 1000)):
        if milliseconds >= size:
            figure = milliseconds / size
            return f"{figure:.1f} {unit}" if figure < 10 else f"{figure:.0f} {unit}"
    return f"{milliseconds:.0f} ms"


def identity(*parts: str | None) -> str:
    """Return a stable id of the parts, fit for a command line; what it cannot carry is told apart by a hash."""
    return ":".join(_slug(part) for part in parts)


def _slug(part: str | None) -> str:
    if part is None:
        return "none"
    slug = re.sub(r"[^A-Za-z0-9_.-]+", "-", part[:1000]).strip("-")[:_LONGEST_SLUG]
    if slug and slug == part:
        return slug
    tag = blake2b(part.encode("utf-8", "surrogatepass"), digest_size=3).hexdigest()
    return f"{slug}-{tag}" if slug else tag
