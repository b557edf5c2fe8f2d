"""Reports, and how they look."""

from io import StringIO

import pytest
from rich.console import Console

from pipeline.parameters import Parameters
from pipeline.report import content, terminal


@pytest.fixture(scope="session")
def report_of():
    """A function from a built world to its report; what is chosen goes to `content.build`."""

    def build(world, **chosen):
        return content.build(world.connection, Parameters(), **chosen)

    return build


@pytest.fixture
def busy_report(busy, report_of):
    """The report over a little of everything."""
    return report_of(busy)


@pytest.fixture
def void_report(void, report_of):
    """The report over nothing."""
    return report_of(void)


@pytest.fixture
def shown():
    """A function that renders a report as the text a pipe of the given width gets."""

    def show(found, width=80, *, full=False, **options):
        file = StringIO()
        terminal.render(found, Console(file=file, width=width, **options), full=full)
        return file.getvalue()

    return show
