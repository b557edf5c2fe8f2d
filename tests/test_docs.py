"""Documents that speak of the program are held against it."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def generate():
    """Return the module that writes the generated pages."""
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["events.md", "tables.md"])
def test_generated_pages_are_current(generate, page):
    """A generated page is what the code would write today: run `python docs/generate.py`."""
    assert generate.PAGES[page]() == (ROOT / "docs" / page).read_text()


def test_links_of_the_documents_lead_somewhere():
    """Relative links between documents name files that exist."""
    import re

    for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} -> {target}"
