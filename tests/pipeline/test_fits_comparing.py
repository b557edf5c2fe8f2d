import pytest

from pipeline.fits.comparing import arms, compared
from pipeline.statistics import Stratum, mantel_haenszel


def test_all_against_none_has_a_width():
    """Three of three against none of three is no certainty."""
    found = compared([Stratum(3, 3, 0, 3)])

    assert found.stratified == 1.0
    assert found.lower < 0.9


def test_other_counts_are_those_of_mantel_and_haenszel():
    """Where the variance is not zero, nothing is changed."""
    strata = [Stratum(6, 20, 0, 5), Stratum(5, 5, 16, 20)]

    assert compared(strata) == mantel_haenszel(strata)


def test_only_conditions_that_both_met_count_as_compared():
    """Trials in strata of one arm are counted, and not compared."""
    found = arms([Stratum(4, 5, 1, 5), Stratum(7, 9, 0, 0)])

    assert tuple(found) == (11, 14, 1, 5, 5, 5)
    assert found.is_enough
    assert not arms([Stratum(4, 4, 1, 5)]).is_enough


def test_without_a_common_condition_nothing_is_compared():
    """The pooled difference alone is no comparison."""
    found = compared([Stratum(4, 5, 0, 0), Stratum(0, 0, 1, 5)])

    assert found.stratified is None
    assert found.pooled == pytest.approx(0.6)
