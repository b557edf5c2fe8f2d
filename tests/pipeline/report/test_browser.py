"""The page in a browser: Debian's chromium, without network."""

import shutil
from pathlib import Path

import pytest

from pipeline.parameters import Parameters
from pipeline.report import html, html_charts

from .renderings import poisoned

AXE = Path(__file__).parents[2] / "node/node_modules/axe-core/axe.min.js"
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = {"phone": 360, "tablet": 800, "desk": 1280}
playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
needs_axe = pytest.mark.skipif(not AXE.exists(), reason="npm install in tests/node brings axe-core")


@pytest.fixture(scope="module")
def browser():
    """A browser with an empty profile."""
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def pages(busy, report_of, tmp_path_factory):
    """The files of the busy report, plain and with hostile text."""
    folder = tmp_path_factory.mktemp("pages")
    report = report_of(busy)
    extras = html_charts.extras(busy.connection, Parameters(), report)
    for name, content in (("plain", report), ("hostile", poisoned(report))):
        (folder / f"{name}.html").write_text(html.render(content, extras), encoding="utf-8")
    return folder


@pytest.fixture
def show(browser, pages):
    """Return a function that opens a page; what it asks for and complains of is kept in `page.noise`."""
    contexts = []

    def open_page(name="plain", *, width=1280, bypass_csp=False, **chosen):
        context = browser.new_context(viewport={"width": width, "height": 800}, bypass_csp=bypass_csp, **chosen)
        contexts.append(context)
        page = context.new_page()
        page.noise = []
        address = (pages / f"{name}.html").as_uri()
        page.on("console", lambda said: page.noise.append(said.text))
        page.on("pageerror", lambda fault: page.noise.append(str(fault)))
        page.on("dialog", lambda dialog: (page.noise.append("dialog"), dialog.dismiss()))
        page.on("request", lambda asked: asked.url in (address, "data:,") or page.noise.append(asked.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()


def _codes(page):
    return page.locator("#codes tbody tr:visible th code").all_inner_texts()


@pytest.mark.parametrize("name", ["plain", "hostile"])
@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
def test_renders_quietly_at_every_width(show, name, width):
    """The page asks for nothing, complains of nothing, runs nothing of a log and does not scroll sideways."""
    page = show(name, width=width)
    for summary in page.locator("summary").all():
        if summary.is_visible():
            summary.click()

    assert [] == page.noise
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("h1").is_visible()


def test_the_first_screen_of_a_phone_says_what_to_change_first(show):
    """Without scrolling the first finding is read whole, with its numbers and the change."""
    page = show(width=360)
    box = page.locator(".finding .change").first.bounding_box()

    assert box["y"] + box["height"] < 800


def test_sorting(show):
    """A column head sorts by its numbers, largest first, again the other way round, and says so; no value goes last."""
    page = show()
    head = page.locator("#codes th", has_text="Seen")
    given = _codes(page)
    head.get_by_role("button").click()
    assert "descending" == head.get_attribute("aria-sort")
    seen = [int(text) for text in page.locator("#codes tbody td:nth-child(3)").all_inner_texts()]
    assert sorted(seen, reverse=True) == seen
    head.get_by_role("button").press("Enter")
    assert "ascending" == head.get_attribute("aria-sort")
    assert sorted(given) == sorted(_codes(page))
    page.locator("#codes th", has_text="Code").get_by_role("button").click()
    assert sorted(given) == _codes(page)
    assert 1 == page.locator("#codes th[aria-sort]").count()
    page.locator("#codes th", has_text="Bad loops").get_by_role("button").click()
    assert "CONFIG_STALE" == _codes(page)[0]


def test_filtering(show):
    """Text and class narrow the table together, and the count is said."""
    page = show()
    page.locator("#find").fill("quota")
    assert ["QUOTA_EXHAUSTED"] == _codes(page)
    assert page.locator("#count").inner_text().startswith("1 of ")
    page.locator("#class").select_option("terminal")
    assert [] == _codes(page)
    page.locator("#find").fill("")
    assert "PERMISSION_DENIED" in _codes(page)
    assert "QUOTA_EXHAUSTED" not in _codes(page)


def test_unfolding(show):
    """The evidence of a finding unfolds by keyboard into calls, the wait and the results; one button unfolds all."""
    page = show()
    first = page.locator("details.evidence").first
    assert not first.locator(".steps").first.is_visible()
    first.locator("summary").focus()
    page.keyboard.press("Enter")
    told = first.inner_text()
    assert all(words in told for words in ("tool report", "QUOTA_EXHAUSTED", "waited", "fair reissue", "A sample"))
    button = page.locator("#unfold")
    button.click()
    assert 0 == page.locator("details.evidence:not([open])").count()
    assert "true" == button.get_attribute("aria-pressed")


def test_the_keyboard_reaches_the_findings_first(show):
    """The first stop of the Tab key leads past the navigation."""
    page = show()
    page.keyboard.press("Tab")
    assert "Skip to what to change first" == page.evaluate("document.activeElement.textContent")


def test_dark_and_light(show):
    """Paper and ink change places with the reader's scheme, also within charts."""
    styles = {}
    for scheme in ("light", "dark"):
        page = show(color_scheme=scheme)
        styles[scheme] = page.evaluate(
            """[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
                getComputedStyle(document.querySelector("figure svg path")).fill]"""
        )
    assert all(light != dark for light, dark in zip(styles["light"], styles["dark"], strict=True))


def test_print(show):
    """On paper there are no controls, notes are unfolded, nothing is dark or cut; a PDF of it has pages."""
    page = show(color_scheme="dark", width=720)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 720
    assert "rgb(255, 255, 255)" == page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert not page.locator(".filters").is_visible()
    assert not page.locator("nav").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert 0 == page.locator("details.notes:not([open])").count()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert 0 == page.locator("details.notes[open]").count()
    assert page.pdf().startswith(b"%PDF")


def test_without_script(show):
    """Without script all is there but the controls, and evidence unfolds."""
    page = show(java_script_enabled=False)
    assert not page.locator(".filters").is_visible()
    page.locator("details.evidence summary").first.click()
    assert page.locator(".steps").first.is_visible()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["plain", "hostile"])
def test_axe_finds_nothing_serious(show, name, scheme):
    """axe-core finds no serious or critical violation, with everything unfolded."""
    page = show(name, width=800, color_scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run()")
    serious = [one for one in found["violations"] if one["impact"] in ("serious", "critical")]

    assert [] == [(one["id"], [node["html"][:150] for node in one["nodes"][:3]]) for one in serious]
