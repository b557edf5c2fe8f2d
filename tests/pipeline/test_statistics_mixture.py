import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import optimize, stats

from pipeline.statistics import bayesian_fdr, fit_mixture


def codes(count, seed):
    """Return counts of codes of which about 30 % are permanent."""
    generator = random.Random(seed)
    trials = [1 + int(generator.expovariate(1 / 14)) for _ in range(count)]
    rates = [0.01 if generator.random() < 0.3 else generator.betavariate(7, 3) for _ in trials]
    return [sum(generator.random() < p for _ in range(n)) for p, n in zip(rates, trials, strict=True)], trials


def log_posterior(point, successes, trials):
    """Return the objective of the fit, spelled with scipy's distributions."""
    share, mean, concentration = 1 / (1 + np.exp(-point[0])), 1 / (1 + np.exp(-point[1])), np.exp(point[2])
    permanent = stats.betabinom.pmf(successes, trials, 0.5, 49.5)
    other = stats.betabinom.pmf(successes, trials, mean * concentration, (1 - mean) * concentration)
    prior = stats.beta.logpdf(share, 2, 4) + stats.beta.logpdf(mean, 2, 2) + stats.norm.logpdf(point[2], np.log(4), 1)
    return prior + np.log(share * permanent + (1 - share) * other).sum()


@pytest.mark.parametrize("seed", [1, 2])
def test_fit_is_the_maximum(seed):
    """No optimiser of scipy finds a better (pi, m, M) than the fit."""
    successes, trials = codes(150, seed)
    fit = fit_mixture(successes, trials)
    point = [np.log(fit.share / (1 - fit.share)), np.log(fit.mean / (1 - fit.mean)), np.log(fit.concentration)]
    best = optimize.minimize(lambda x: -log_posterior(x, successes, trials), [-1, 0, 1], method="Nelder-Mead")
    assert log_posterior(point, successes, trials) >= -best.fun - 1e-5


def test_posterior_is_bayes_rule_on_beta_binomials():
    """Every posterior is pi BB0 / (pi BB0 + (1 - pi) BB1) with scipy's beta-binomial, to 1e-9."""
    successes, trials = codes(80, 3)
    fit = fit_mixture(successes, trials)
    permanent = fit.share * stats.betabinom.pmf(successes, trials, 0.5, 49.5)
    a, b = fit.mean * fit.concentration, (1 - fit.mean) * fit.concentration
    other = (1 - fit.share) * stats.betabinom.pmf(successes, trials, a, b)
    assert fit.posteriors == pytest.approx(list(permanent / (permanent + other)), abs=1e-9)


def test_a_single_short_code_is_not_flagged():
    """Three failed reissues of the only code known are no finding; a hundred are."""
    assert bayesian_fdr(fit_mixture([0], [3]).posteriors).flagged == (False,)
    assert bayesian_fdr(fit_mixture([0], [100]).posteriors).flagged == (True,)


def test_codes_without_evidence():
    """A code without a trial keeps the share as its posterior, and no code at all is no error."""
    fit = fit_mixture([0, 5], [0, 6])
    assert fit.posteriors[0] == pytest.approx(fit.share)
    assert fit_mixture([], []).posteriors == ()


@given(st.lists(st.integers(0, 30).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=8))
def test_order_of_codes_does_not_matter(pairs):
    """Reversing the codes reverses the posteriors."""
    forward = fit_mixture(*zip(*pairs, strict=True)).posteriors
    backward = fit_mixture(*zip(*reversed(pairs), strict=True)).posteriors
    assert forward == pytest.approx(backward[::-1], abs=1e-2)
    assert all(0 <= p <= 1 for p in forward)


def test_impossible_counts_are_refused():
    """More successes than trials raise ValueError."""
    with pytest.raises(ValueError, match="between 0 and trials"):
        fit_mixture([3], [2])


def test_flags_are_the_longest_prefix_within_the_bound():
    """Sorted by posterior, items are flagged while the mean of 1 - posterior stays at or below 5 %."""
    flags = bayesian_fdr([0.2, 0.99, 0.9, 0.98, 0.7])
    assert flags.flagged == (False, True, True, True, False)
    assert flags.expected_fdr == pytest.approx((0.01 + 0.02 + 0.1) / 3)
    assert bayesian_fdr([0.2, 0.99, 0.9, 0.98, 0.7], rate=0.12).flagged == (False, True, True, True, True)


def test_strong_flags_carry_no_innocent_code_along():
    """Thirty certain codes would let the mean rule flag a code that is probably fine; the floor forbids it."""
    posteriors = [1.0] * 30 + [0.1]
    assert bayesian_fdr(posteriors).flagged == (True,) * 30 + (False,)
    assert bayesian_fdr(posteriors, least=0).flagged == (True,) * 31


def test_no_flags():
    """Without a strong posterior nothing is flagged and no wrong flag is expected."""
    assert bayesian_fdr([0.5, 0.94]) == bayesian_fdr([0.5, 0.94], rate=0.05)
    assert bayesian_fdr([0.5, 0.94]).flagged == (False, False)
    assert bayesian_fdr([]).expected_fdr == 0
