"""Every plot: legible, safe with hostile text, the same bytes every time, an image that can stand in a page."""

import io
import re
from dataclasses import fields
from xml.etree import ElementTree

import matplotlib as mpl
import pytest
from matplotlib import cbook
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from pipeline import plots
from tests.pipeline.plot_frames import DRAWN, EMPTY, HOSTILE, svg, texts


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_says_what_it_shows(name, palette):
    """A chart has a title, a line on how to read it, a text alternative that names the data; no text is cut off."""
    chart = DRAWN[name]("SOME_CODE", palette=palette)

    title, subtitle = (text.get_text() for text in chart.texts[:2])
    assert title == chart.title
    assert len(subtitle) > 20
    assert "SOME_CODE" in chart.description
    renderer = FigureCanvasAgg(chart).get_renderer()
    for text in chart.findobj(Text):
        if text.get_visible() and text.get_text():
            box = text.get_window_extent(renderer)
            assert box.x0 >= -1, text
            assert box.x1 <= chart.bbox.width + 1, text


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("recovery_curve", "further calls after the first failure"),
        ("recovery_curve_seconds", "seconds after the first failure"),
        ("wait_calibration", "waited before the reissue, in declared waits and as a time"),
        ("interval_dots", "share of fair reissues that succeed"),
        ("episode_lanes", "calls of the session, in order"),
    ],
)
def test_axes_have_units(name, label):
    """An axis says what it measures and in which unit; shares are ticked in per cent."""
    written = texts(DRAWN[name]("SOME_CODE"))
    assert label in written
    if name != "episode_lanes":
        assert "100 %" in written


@pytest.mark.parametrize("name", DRAWN)
def test_hostile_text_is_drawn_literally(name):
    """Mathematics, escapes, markup, controls and length of a log's text reach neither the picture nor its markup."""
    chart = DRAWN[name](*HOSTILE)

    for written in texts(chart):
        assert not cbook.is_math_text(written)
        assert len(written) < 160
        assert not [char for char in written if (not char.isprintable()) and char != "\n"]
    markup = svg(chart)
    assert ElementTree.fromstring(markup) is not None
    assert "<script" not in markup
    assert "\x1b" not in markup
    assert "\u202e" not in markup
    assert len(markup.encode()) < 500_000


@pytest.mark.parametrize("name", DRAWN)
def test_same_bytes(name):
    """Equal data gives equal SVG, however often it is drawn and whatever the reader's own settings are."""
    first = DRAWN[name]("SOME_CODE")
    with mpl.rc_context({"font.size": 20, "axes.grid": True, "font.family": "serif", "axes.facecolor": "red"}):
        second = DRAWN[name]("SOME_CODE")
    first.savefig(io.BytesIO(), dpi=40)

    assert svg(first) == svg(first) == svg(second)
    assert svg(first) != plots.to_svg(first, title="another", description=first.description)


@pytest.mark.parametrize("name", EMPTY)
def test_nothing_to_show(name):
    """Without data a chart says so instead of failing."""
    chart = EMPTY[name]()
    assert "Nothing to show yet." in texts(chart)
    assert chart.description in texts(chart)
    assert ElementTree.fromstring(svg(chart)) is not None


@pytest.mark.parametrize("name", DRAWN)
def test_svg_stands_in_a_page(name):
    """The markup is one labelled image whose ids are its own, without style sheet, script, comment or outside link."""
    one, other = svg(DRAWN[name]("SOME_CODE")), svg(DRAWN[name]("OTHER_CODE"))
    ids = [re.findall(r' id="([^"]+)"', markup) for markup in (one, other)]

    assert len(ids[0]) == len(set(ids[0]))
    assert not set(ids[0]) & set(ids[1])
    assert set(re.findall(r'(?:href="|url\()#([\w-]+)', one)) <= set(ids[0])
    root = ElementTree.fromstring(one)
    assert root.get("role") == "img"
    spoken = {child.get("id"): child.text for child in root if child.tag.endswith(("title", "desc"))}
    assert "SOME_CODE" in spoken[root.get("aria-describedby")]
    assert spoken[root.get("aria-labelledby")]
    assert [] == re.findall(r"<style|<script|<!--|<\?xml|<image|<metadata", one)
    outside = {link for link in re.findall(r'https?://[^"]+', one) if not link.startswith("http://www.w3.org/")}
    assert set() == outside


@pytest.mark.parametrize("name", DRAWN)
def test_svg_follows_the_page(name):
    """With CSS variables each colour is a role of the palette, and the style sheet sets every role twice."""
    markup = svg(DRAWN[name]("SOME_CODE"), css_variables=True)
    roles = {role.name for role in fields(plots.Palette)}
    assert [] == re.findall(r"(?:fill|stroke): #", markup)
    assert set(re.findall(r"var\(--recoup-(\w+)", markup)) <= roles
    assert all(plots.stylesheet().count(f"--recoup-{role}:") == 2 for role in roles)


def test_title_and_description_are_escaped():
    """Markup and controls in the title and the description are text."""
    chart = DRAWN["closed_loop_matrix"]("SOME_CODE")
    markup = plots.to_svg(chart, title="a<b>\x00", description='"&"\x1b[31m')
    assert '-title">a&lt;b&gt;</title>' in markup
    assert '-desc">&quot;&amp;&quot;</desc>' in markup


def _luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("palette", [plots.LIGHT, plots.DARK], ids=["light", "dark"])
def test_contrast(palette):
    """Text stands out 4.5 to 1 and marks 3 to 1 (WCAG 2.2, 1.4.3 and 1.4.11); each colour has one role."""

    def against_paper(colour):
        low, high = sorted((_luminance(colour), _luminance(palette.paper)))
        return (high + 0.05) / (low + 0.05)

    assert min(against_paper(palette.ink), against_paper(palette.muted)) >= 4.5
    assert min(against_paper(palette.good), against_paper(palette.bad), against_paper(palette.fix)) >= 3
    assert len({getattr(palette, role.name) for role in fields(palette)}) == len(fields(palette))


def test_a_figure_shows_itself():
    """A notebook gets a chart as SVG with its own text alternative."""
    chart = DRAWN["episode_lanes"]("SOME_CODE")
    assert chart._repr_svg_() == svg(chart)
