import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from pipeline.statistics import (
    log_e_above,
    log_e_below,
    log_e_value,
    proven_above,
    proven_below,
    running_bounds,
    wilson,
)

COUNTS = st.integers(0, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.floats(0.01, 0.99))
def test_e_value_agrees_with_scipy(counts, p0):
    """The log e-value is the stated formula with scipy's betaln, to 1e-9."""
    k, n = counts
    mixed = special.betaln(0.5 + k, 0.5 + n - k) - special.betaln(0.5, 0.5)
    assert log_e_value(k, n, p0) == pytest.approx(mixed - k * math.log(p0) - (n - k) * math.log(1 - p0), abs=1e-9)


def test_e_value_is_a_mixture_of_likelihood_ratios():
    """E is the mean likelihood ratio over Jeffreys' prior."""
    ratio = integrate.quad(
        lambda angle: (math.sin(angle) ** 2 / 0.2) ** 3 * (math.cos(angle) ** 2 / 0.8) ** 9, 0, math.pi / 2
    )
    assert math.exp(log_e_value(3, 12, 0.2)) == pytest.approx(ratio[0] * 2 / math.pi, rel=1e-9)


@pytest.mark.parametrize("rate", [0.2, 0.25, 0.6])
@pytest.mark.parametrize("n", [5, 40])
def test_one_sided_e_value_is_fair_over_the_whole_null(rate, n):
    """At any true rate >= p0 the expected e-value against "p0 or more" is at most 1."""
    mean = sum(stats.binom.pmf(k, n, rate) * math.exp(log_e_below(k, n, 0.2)) for k in range(n + 1))
    assert mean <= 1 + 1e-12


def test_proof_needs_the_right_side():
    """Overwhelming evidence against p0 from above proves nothing below it."""
    assert not proven_below(90, 100, 0.05)
    assert proven_above(90, 100, 0.05)
    assert log_e_below(90, 100, 0.05) == -math.inf
    assert log_e_above(10, 100, 0.3) == -math.inf


def test_proof_below_five_percent_takes_more_than_a_fixed_look():
    """Without a success 59 sessions suffice at one look fixed in advance; continuous looking asks for more."""
    first = next(n for n in range(1, 1000) if proven_below(0, n, 0.05))
    assert 59 < first < 120
    assert all(proven_below(0, n, 0.05) for n in range(first, first + 200))


@given(COUNTS)
def test_running_bounds_are_where_the_e_value_crosses(counts):
    """Just inside the bounds p0 is not excluded, just outside it is."""
    k, n = counts
    found = running_bounds(k, n)
    if n:
        assert found.lower <= k / n <= found.upper
    for edge, sign in ((found.lower, -1), (found.upper, 1)):
        if 1e-6 < edge < 1 - 1e-6:
            assert log_e_value(k, n, edge - sign * 1e-7) < math.log(20) < log_e_value(k, n, edge + sign * 1e-7)


@pytest.mark.parametrize(("k", "n"), [(0, 30), (5, 30), (150, 300), (300, 300)])
def test_running_bounds_are_wider_than_wilson(k, n):
    """Holding at all looks together costs width."""
    live, fixed = running_bounds(k, n), wilson(k, n)
    assert live.lower <= fixed.lower
    assert live.upper >= fixed.upper


def test_nothing_seen_is_nothing_known():
    """Without trials E is 1 and the bounds are 0..1; impossible counts are refused."""
    assert log_e_value(0, 0, 0.3) == 0
    assert (running_bounds(0, 0).lower, running_bounds(0, 0).upper) == (0, 1)
    with pytest.raises(ValueError, match="successes"):
        log_e_value(3, 2, 0.5)
    with pytest.raises(ValueError, match="successes"):
        running_bounds(3, 2)
