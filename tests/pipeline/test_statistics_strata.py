import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics import Stratum, mantel_haenszel, selection_bounds

COUNTS = st.integers(1, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
STRATA = st.lists(st.tuples(COUNTS, COUNTS).map(lambda pair: Stratum(*pair[0], *pair[1])), min_size=1, max_size=8)


@given(STRATA)
def test_difference_is_the_fixed_effects_regression(strata):
    """The Mantel-Haenszel difference equals the slope of a regression with one intercept a stratum, to 1e-9."""
    rows = []
    for i, (a, n_a, b, n_b) in enumerate(strata):
        rows += [(i, 1, 1)] * a + [(i, 1, 0)] * (n_a - a) + [(i, 0, 1)] * b + [(i, 0, 0)] * (n_b - b)
    stratum, group, outcome = (np.array(column) for column in zip(*rows, strict=True))
    design = np.column_stack([group, stratum[:, None] == np.arange(len(strata))]).astype(float)
    expected = sm.OLS(outcome, design).fit().params[0]
    assert mantel_haenszel(strata).stratified == pytest.approx(expected, abs=1e-9)


@given(COUNTS, COUNTS)
def test_one_stratum_pools_to_itself(a, b):
    """With one stratum pooled and stratified are the same, and nothing is reversed."""
    found = mantel_haenszel([Stratum(*a, *b)])
    assert found.stratified == pytest.approx(found.pooled, abs=1e-12)
    assert found.lower <= found.stratified <= found.upper
    assert -1 <= found.lower <= found.upper <= 1


def test_swapping_the_groups_swaps_the_sign():
    """A over B is minus B over A, interval included."""
    forward = mantel_haenszel([Stratum(3, 10, 5, 9), Stratum(1, 4, 2, 20)])
    backward = mantel_haenszel([Stratum(5, 9, 3, 10), Stratum(2, 20, 1, 4)])
    assert forward.stratified == pytest.approx(-backward.stratified)
    assert (forward.lower, forward.upper) == pytest.approx((-backward.upper, -backward.lower))
    assert forward.p_value == pytest.approx(backward.p_value)


def test_simpson_warns_when_signs_differ():
    """A does better in every stratum and worse pooled, because it met the harder cases."""
    found = mantel_haenszel([Stratum(8, 10, 70, 100), Stratum(30, 100, 2, 10)])
    assert found.pooled < 0 < found.stratified
    assert found.is_reversed


def test_strata_with_one_group_are_counted_apart():
    """A stratum that only one group visited compares nothing, and its trials are reported."""
    found = mantel_haenszel([Stratum(3, 10, 2, 10), Stratum(7, 7, 0, 0)])
    assert (found.compared, found.ignored_trials) == (1, 7)
    assert found.stratified == pytest.approx(0.1)
    nothing = mantel_haenszel([Stratum(7, 7, 0, 0)])
    assert nothing.stratified is None
    assert (nothing.lower, nothing.upper) == (-1, 1)
    assert not nothing.is_distinguishable
    assert mantel_haenszel([]).pooled is None


def test_single_stratum_variance_is_the_binomial_one():
    """With balanced groups in one stratum Sato's variance is p q / n + p q / n."""
    found = mantel_haenszel([Stratum(60, 100, 40, 100)])
    error = np.sqrt(2 * 0.6 * 0.4 / 100)
    assert found.upper - found.lower == pytest.approx(2 * 1.959963985 * error, rel=1e-6)
    assert found.is_distinguishable


def test_matched_pairs_have_a_consistent_variance():
    """In strata of one trial each the variance is McNemar's: discordant pairs over squared pairs."""
    strata = [Stratum(1, 1, 0, 1)] * 30 + [Stratum(0, 1, 1, 1)] * 30 + [Stratum(1, 1, 1, 1)] * 40
    found = mantel_haenszel(strata)
    assert found.stratified == 0
    assert found.upper == pytest.approx(1.959963985 * np.sqrt(60) / 100, rel=1e-6)


def test_selection_bounds():
    """With 40 of 100 failures reissued and 30 of those ok, between 30 % and 90 % would have succeeded."""
    found = selection_bounds(30, 40, 100)
    assert (found.share, found.rate) == (0.4, 0.75)
    assert (found.lower, found.upper) == pytest.approx((0.3, 0.9))


def test_selection_bounds_close_where_all_are_reissued():
    """Without selection the bounds meet at the rate; without reissues they are 0..1."""
    assert (selection_bounds(3, 4, 4).lower, selection_bounds(3, 4, 4).upper) == (0.75, 0.75)
    assert (selection_bounds(0, 0, 4).lower, selection_bounds(0, 0, 4).upper) == (0, 1)
    assert selection_bounds(0, 0, 0).share is None


@pytest.mark.parametrize("make", [lambda: selection_bounds(2, 1, 4), lambda: mantel_haenszel([Stratum(2, 1, 0, 1)])])
def test_impossible_counts_are_refused(make):
    """More successes than trials raise ValueError."""
    with pytest.raises(ValueError, match="successes"):
        make()
