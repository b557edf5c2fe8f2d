from pathlib import Path

import pytest

from tests.pipeline.simulations import table
from tests.pipeline.simulations.draws import holds

GROUPS = (table.clustered_rows, table.hard_rows, table.other_rows, table.mixture_rows, table.live_rows, table.wait_rows)
DOCUMENT = Path(__file__).parents[2] / "docs" / "statistics.md"


@pytest.mark.slow
@pytest.mark.parametrize("rows", GROUPS, ids=lambda rows: rows.__name__)
def test_promises_are_kept(rows):
    """Coverage, false discoveries, power, false alarms and calibration keep their bounds in every cell."""
    broken = [row for row in rows() if not holds(row)]
    assert broken == []


@pytest.mark.slow
def test_the_percentile_bootstrap_fails_where_ours_holds():
    """At 5 sessions and a rate of 5 % the bootstrap covers less than half of the time."""
    assert table.bootstrap_rows()[0].value < 0.5 < table.clustered_rows()[0].value


@pytest.mark.slow
def test_the_document_shows_what_was_measured():
    """The table in docs/statistics.md is the one that the simulations print."""
    text = DOCUMENT.read_text(encoding="utf-8")
    assert table.with_table(text) == text


def test_a_broken_promise_shows():
    """A row below or above its bound does not hold; a row without a bound always does."""
    row = table.Row("what", "where", "coverage", 0.9)
    assert holds(row)
    assert not holds(row._replace(bound=">= .92"))
    assert not holds(row._replace(bound="<= .05"))
    assert holds(row._replace(bound=">= .85"))
