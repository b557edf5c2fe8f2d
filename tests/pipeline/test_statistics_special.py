import pytest
from scipy import stats

from pipeline.statistics.special import beta_cdf, beta_quantile, chi_square_sf, t_quantile, t_two_sided_p

PROBABILITIES = (0.01, 0.5, 0.6, 0.9, 0.975, 0.995, 0.9999)


@pytest.mark.parametrize("df", [1, 1.7, 2, 3, 4, 9, 33.3, 100, 999.9, 1000, 5000, 1_000_000])
def test_t_quantile_is_exact(df):
    """The t quantile agrees with scipy to 1e-10 for any degrees of freedom, whole or not."""
    for p in PROBABILITIES:
        assert t_quantile(p, df) == pytest.approx(stats.t.ppf(p, df), rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("df", [1, 2.5, 10, 400])
def test_t_tail_is_exact(df):
    """Two-sided t probabilities agree with scipy."""
    for t in (0.0, 0.3, 1.96, 7.5, -2.0):
        assert t_two_sided_p(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), abs=1e-12)


@pytest.mark.parametrize("a", [0.5, 1, 7, 49.5, 2000.5])
@pytest.mark.parametrize("b", [0.5, 1, 7, 300, 1000])
def test_beta_is_exact(a, b):
    """The beta distribution and its inverse agree with scipy, far into the tails."""
    for x in (-1, 0, 1e-6, 0.01, 0.2, 0.5, 0.9, 0.999, 1, 2):
        assert beta_cdf(x, a, b) == pytest.approx(stats.beta.cdf(x, a, b), abs=1e-11)
    for p in (1e-4, 0.025, 0.5, 0.975):
        assert beta_quantile(p, a, b) == pytest.approx(stats.beta.ppf(p, a, b), abs=1e-11)


@pytest.mark.parametrize("df", [1, 2, 3, 10, 50, 400])
def test_chi_square_tail_is_exact(df):
    """The chi-square tail agrees with scipy on both sides of the mean, and is 1 at or below zero."""
    for x in (-1, 0, 0.001, 0.5, 3, 10, 50, 300, 500):
        assert chi_square_sf(x, df) == pytest.approx(stats.chi2.sf(x, df), abs=1e-11)
