"""Figures as SVG that goes into a page: same bytes every time, readable aloud, alone or beside others."""

import re
from dataclasses import fields
from hashlib import blake2b
from html import escape
from io import StringIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from pipeline.plots.style import DARK, LIGHT, Palette
from pipeline.plots.text import plain

_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "recoup", "svg.fonttype": "path"}
_LONGEST = 5000
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_ID = re.compile(r'( id="|xlink:href="#|url\(#)(?=[\w-])')
_COMMENT = re.compile(r"<!--.*?-->\s*", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_STYLE = re.compile(r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>\s*", re.DOTALL)
_JOINS = "stroke-linejoin: round; stroke-linecap: butt"
_COLOUR = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})\b")
_ROLES = {getattr(palette, role.name): role.name for palette in (LIGHT, DARK) for role in fields(Palette)}


def to_svg(figure: Figure, *, title: str, description: str, css_variables: bool = False) -> str:
    """Return the figure as one `<svg role="img">` element with `<title>` and `<desc>`; equal figures, equal bytes.

    Letters are drawn as paths: the picture is the same on every machine, needs no font, and no text of a log stands
    in the markup except in `title` and `description`, escaped. Ids carry a hash of the content, so that several
    pictures can stand in one page.

    Args:
        figure: Any matplotlib figure.
        title: Its accessible name.
        description: What it shows, for those who do not see it.
        css_variables: Write the palette's colours as `var(--recoup-ink, #1a1f24)`, so that one picture follows the
            page's light and dark (`stylesheet`).
    """
    drawn = StringIO()
    with mpl.rc_context(_SETTINGS):
        figure.savefig(drawn, format="svg", metadata=_NO_METADATA)
    markup = drawn.getvalue()
    markup = markup[markup.index("<svg") :]
    # comments repeat the drawn text, and the style sheet would reach every element of the page
    for unwanted in (_COMMENT, _METADATA, _STYLE):
        markup = unwanted.sub("", markup)
    if css_variables:
        markup = _COLOUR.sub(_variable, markup)
    key = "r" + blake2b(f"{title}\0{description}\0{markup}".encode(), digest_size=5).hexdigest()
    head, _, body = _ID.sub(rf"\g<1>{key}-", markup).partition(">")
    name, told = f"{key}-title", f"{key}-desc"
    return (
        f'{head} style="{_JOINS}" role="img" aria-labelledby="{name}" aria-describedby="{told}">\n'
        f'<title id="{name}">{escape(plain(title, limit=_LONGEST))}</title>\n'
        f'<desc id="{told}">{escape(plain(description, limit=_LONGEST))}</desc>{body}'
    )


def _variable(match: re.Match[str]) -> str:
    role = _ROLES.get(match[2])
    return f"{match[1]}: var(--recoup-{role}, {match[2]})" if role else match[0]
