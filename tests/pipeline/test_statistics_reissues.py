import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from pipeline.statistics import Hazard, hazards, r3, samples_needed

CHAINS = st.lists(st.tuples(st.integers(0, 6), st.booleans()).map(lambda chain: (chain[0], chain[1] and chain[0] > 0)))


def test_worked_example():
    """Hazards of (30/100, 12/50, 4/25) give r3 = .553."""
    found = r3([Hazard(1, 30, 100, 0.30), Hazard(2, 12, 50, 0.24), Hazard(3, 4, 25, 0.16)])
    assert found.rate == pytest.approx(0.553, abs=5e-4)
    assert found.lower < 0.553 < found.upper


def test_hazards_treat_stopping_as_censoring():
    """An agent who stops after a failure leaves the next depth's denominator, and counts in its own."""
    steps = hazards([0, 1, 1, 2, 2, 3, 5], [False, True, False, True, False, False, True])
    assert steps == (Hazard(1, 1, 6, 1 / 6), Hazard(2, 1, 4, 1 / 4), Hazard(3, 0, 2, 0.0))


@given(st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_one_depth_is_clopper_pearson(counts):
    """With one depth the beta product interval is the exact binomial one."""
    k, n = counts
    found = r3([Hazard(1, k, n, k / n)])
    expected = proportion_confint(k, n, method="beta")
    assert (found.lower, found.upper) == pytest.approx(expected, abs=1e-9)


def test_upper_bound_without_success_follows_the_last_depth():
    """Without any success the upper bound is 1 - alpha^(1 / n_last)."""
    found = r3([Hazard(1, 0, 100, 0), Hazard(2, 0, 50, 0), Hazard(3, 0, 25, 0)])
    assert found.rate == 0
    assert found.lower == 0
    assert found.upper == pytest.approx(1 - 0.025 ** (1 / 25), abs=1e-9)


@pytest.mark.parametrize("tau", [0.05, 0.1, 0.2])
def test_one_sided_bound_agrees_with_samples_needed(tau):
    """At confidence .90 the upper bound falls below tau exactly at the samples needed."""
    needed = samples_needed(tau)
    uppers = [r3([Hazard(1, 0, n, 0)], confidence=0.9).upper for n in (needed - 1, needed)]
    assert uppers[0] > tau >= uppers[1]


def test_product_of_betas_is_matched_in_two_moments():
    """The lower bound is the quantile of the beta with the product's mean and variance."""
    found = r3([Hazard(1, 30, 100, 0.3), Hazard(2, 12, 50, 0.24)])
    parts = [stats.beta(71, 30), stats.beta(39, 12)]
    mean = math.prod(part.mean() for part in parts)
    square = math.prod(part.moment(2) for part in parts)
    size = mean * (1 - mean) / (square - mean**2) - 1
    assert found.lower == pytest.approx(1 - stats.beta.ppf(0.975, mean * size, (1 - mean) * size), abs=1e-9)


@given(CHAINS)
def test_interval_holds_the_rate(chains):
    """For any chains the rate lies in its interval and the interval in 0..1."""
    found = r3(hazards([made for made, _ in chains], [ok for _, ok in chains]))
    assert 0 <= found.lower <= found.upper <= 1
    if found.rate is not None:
        assert found.lower <= found.rate <= found.upper


def test_depths_nobody_reached_stay_unknown():
    """Where agents stop after two failures, the third could do anything: the upper bound is 1."""
    assert r3(hazards([2, 2, 1], [False, False, False])).upper == 1
    assert r3(hazards([], [])).rate is None
    assert r3(hazards([1, 1], [True, True])).rate == 1


def test_success_without_a_reissue_is_refused():
    """A chain that recovered made at least one reissue."""
    with pytest.raises(ValueError, match="without a reissue"):
        hazards([0], [True])
