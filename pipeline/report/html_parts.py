"""Small pieces of the page; whatever comes from a log passes `shown`, `told` or `code`."""

import html
import re
from hashlib import blake2b
from urllib.parse import quote

from pipeline.report.escape import escape

_LONGEST_SENTENCE = 600
_QUOTED = re.compile(r"`([^`]{1,400})`")


def shown(text: str | None, *, limit: int = 2000) -> str:
    """Return text of a log for the page: one line, no terminal sequence, nothing invisible, no markup.

    Args:
        text: Raw.
        limit: Characters kept; an ellipsis marks a cut.
    """
    line = escape(text)
    return html.escape(line if len(line) <= limit else line[: limit - 1] + "…")


def told(sentence: str) -> str:
    """Return a sentence for the page, what stands between backticks as code."""
    return _QUOTED.sub(r'<code dir="auto">\1</code>', shown(sentence, limit=_LONGEST_SENTENCE))


def code(text: str | None, *, limit: int = 2000) -> str:
    """Return text of a log as a piece of code, isolated from the direction of what stands beside it."""
    return f'<code dir="auto">{shown(text, limit=limit) or "?"}</code>'


def linked(markup: str, kind: str, name: str | None) -> str:
    """Return markup as a link to the page of a code or a session, as `analyze serve` answers it.

    Args:
        markup: What is shown.
        kind: `code` or `session`.
        name: Raw.
    """
    address = quote(name or "", safe="", errors="surrogatepass")
    return f'<a href="/{kind}/{address}">{markup}</a>' if address else markup


def anchor(*parts: str | None) -> str:
    """Return an id for an element, the same for the same parts."""
    return (
        "r"
        + blake2b("\0".join(part or "" for part in parts).encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    )


def drawn(lower: float | None, value: float | None, upper: float | None, state: str = "") -> str:
    """Return an interval as a small picture on a scale of 0..1; the numbers stand beside it as text."""
    if lower is None or value is None or upper is None:
        return ""
    left, width = 2 + 96 * lower, max(96 * (upper - lower), 1)
    return (
        f'<svg class="interval {state}" viewBox="0 0 100 12" aria-hidden="true" focusable="false">'
        '<path class="scale" d="M2 6H98M2 3V9M50 4V8M98 3V9"/>'
        f'<rect x="{left:.1f}" y="4" width="{width:.1f}" height="4" rx="2"/>'
        f'<circle cx="{2 + 96 * value:.1f}" cy="6" r="3.4"/></svg>'
    )


def definition(pairs: list[tuple[str, str]]) -> str:
    """Return a list of terms and descriptions; both are markup."""
    return "<dl>" + "".join(f"<div><dt>{term}</dt><dd>{text}</dd></div>" for term, text in pairs) + "</dl>"


def table(caption: str, titles: list[str], rows: list[list[str]], *, numbers: frozenset[int] = frozenset()) -> str:
    """Return a table that scrolls where it finds no room; the first cell of a row names it.

    Args:
        caption: Plain words.
        titles: Of the columns, plain words.
        rows: Cells as markup.
        numbers: Positions of the columns that are aligned to the right.
    """
    head = "".join(
        f'<th scope="col"{_number(at, numbers)}>{html.escape(title)}</th>' for at, title in enumerate(titles)
    )
    body = "".join(f"<tr>{_row(cells, numbers)}</tr>" for cells in rows)
    return (
        f'<div class="scroll" role="region" tabindex="0" aria-label="{html.escape(caption)}"><table>'
        f"<caption>{html.escape(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(cells: list[str], numbers: frozenset[int]) -> str:
    first, *others = cells
    return f'<th scope="row">{first}</th>' + "".join(
        f"<td{_number(at, numbers)}>{cell}</td>" for at, cell in enumerate(others, start=1)
    )


def _number(at: int, numbers: frozenset[int]) -> str:
    return ' class="number"' if at in numbers else ""
