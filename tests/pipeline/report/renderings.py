"""What the tests of the renderings share: a report with hostile text, and the page as a tree."""

import copy
from html.parser import HTMLParser

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'`|"
ANSI = "\x1b[31mred\x1b[0m\x1b]8;;http://evil.example\x07link\x1b]8;;\x07"
RTL = "\u202eevil\u2066 \u05e9\u05dc\u05d5\u05dd \u200b"
FORMULA = "=cmd|' /C calc'!A0"
HOSTILE = SCRIPT + ANSI + RTL + "[link](javascript:alert(3)) @everyone #1 </style></svg>"
LONG = "x" * 100_000


def poisoned(report: dict) -> dict:
    """Return the report with hostile text wherever a log's text may stand."""
    bad = copy.deepcopy(report)
    for code in bad["codes"]:
        code["error_code"] += HOSTILE
        code["tool"] += HOSTILE
        code["first_message"] = HOSTILE + LONG
    for finding in bad["findings"]:
        finding["sentence"] = HOSTILE + finding["sentence"] + LONG
        finding["tool"] = FORMULA
        if finding["proposal"]:
            finding["proposal"]["value"] = HOSTILE
    bad["coverage"]["rejects_by_reason"] = {HOSTILE: 1}
    return bad


class Page(HTMLParser):
    """Elements of a page as (tag, attributes, text), in order of their start."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.elements, self._open = [], []
        self.feed(markup)

    def handle_starttag(self, tag, attrs):
        """Open an element, unless it is one that never closes."""
        element = [tag, dict(attrs), ""]
        self.elements.append(element)
        if tag not in ("meta", "link", "input", "br", "wbr", "path", "circle", "rect", "use"):
            self._open.append(element)

    def handle_startendtag(self, tag, attrs):
        """Take an element that closes itself."""
        self.elements.append([tag, dict(attrs), ""])

    def handle_endtag(self, tag):
        """Close an element, and what was left open in it."""
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        """Give text to every element that holds it."""
        for element in self._open:
            element[2] += data

    def all(self, tag: str, **attributes: str) -> list:
        """Return the elements of a tag that have these attributes."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [one for one in self.elements if one[0] == tag and wanted.items() <= one[1].items()]
