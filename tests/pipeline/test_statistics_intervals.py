import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from pipeline.statistics import interval, needed_to_exclude, samples_needed, session_interval, wilson

SESSIONS = st.lists(st.integers(0, 12).flatmap(lambda m: st.tuples(st.integers(0, m), st.just(m))), max_size=30)


def bounds(found):
    """Return the two bounds of an interval."""
    return found.lower, found.upper


@pytest.mark.parametrize(
    ("k", "n", "lower", "upper"),
    [
        (1, 1, 0.207, 1.0),
        (0, 1, 0.0, 0.793),
        (2, 2, 0.342, 1.0),
        (9, 10, 0.596, 0.982),
        (34, 40, 0.709, 0.929),
        (0, 3, 0.0, 0.561),
    ],
)
def test_small_counts_have_wide_intervals(k, n, lower, upper):
    """The hard cases on small counts come out to the stated three digits."""
    assert bounds(wilson(k, n)) == pytest.approx((lower, upper), abs=5e-4)


def test_ranking_by_lower_bound_does_not_favour_the_code_seen_once():
    """34/40 outranks 9/10, which outranks 2/2, 1/1 and 0/1."""
    counts = [(1, 1), (0, 1), (2, 2), (9, 10), (34, 40)]
    ranked = sorted(counts, key=lambda pair: wilson(*pair).lower, reverse=True)
    assert ranked == [(34, 40), (9, 10), (2, 2), (1, 1), (0, 1)]


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_agrees_with_statsmodels(counts):
    """The plain Wilson interval is statsmodels' to 1e-9 at any count."""
    k, n = counts
    assert bounds(wilson(k, n)) == pytest.approx(proportion_confint(k, n, method="wilson"), abs=1e-9)


def test_wilson_takes_another_width():
    """A given z replaces the 97.5 % quantile."""
    expected = proportion_confint(3, 20, alpha=0.1, method="wilson")
    assert bounds(wilson(3, 20, z=stats.norm.ppf(0.95))) == pytest.approx(expected, abs=1e-9)


@given(SESSIONS.filter(lambda rows: sum(1 for _, m in rows if m) >= 2))
def test_effective_n_is_the_cluster_robust_one(rows):
    """Deff comes from the cluster-robust variance that statsmodels finds by regression on a constant."""
    found = interval(*zip(*rows, strict=True))
    outcomes = np.concatenate([[1.0] * y + [0.0] * (m - y) for y, m in rows])
    groups = np.repeat(np.arange(len(rows)), [m for _, m in rows])
    if found.rate in (0, 1):
        assert found.effective_n == found.sessions
        return
    fit = sm.OLS(outcomes, np.ones_like(outcomes)).fit(cov_type="cluster", cov_kwds={"groups": groups})
    variance = float(fit.cov_params()[0, 0])
    plain = found.rate * (1 - found.rate) / found.n
    assert found.effective_n == pytest.approx(found.n / max(1, variance / plain), rel=1e-9)


def test_clustered_interval_is_wilson_on_effective_n_with_t():
    """The bounds are statsmodels' Wilson bounds of n_e trials with t(.975, K - 1) for z."""
    found = interval([1, 2, 0, 4], [3, 4, 5, 4])
    alpha = 2 * stats.norm.sf(stats.t.ppf(0.975, 3))
    expected = proportion_confint(found.rate * found.effective_n, found.effective_n, alpha=alpha, method="wilson")
    assert bounds(found) == pytest.approx(expected, abs=1e-9)
    assert (found.k, found.n, found.sessions) == (7, 16, 4)


def test_a_loop_in_one_session_is_one_piece_of_evidence():
    """Forty failures in one session prove no more than one failure."""
    loop, once = interval([0], [40]), interval([0], [1])
    assert bounds(loop) == bounds(once)
    assert (loop.n, loop.effective_n) == (40, 1.0)


@pytest.mark.parametrize("success", [0, 1])
def test_more_sessions_never_widen_the_interval(success):
    """From one session on, a further like session narrows the interval."""
    widths = [found.upper - found.lower for found in (interval([success] * k, [1] * k) for k in range(1, 40))]
    assert widths == sorted(widths, reverse=True)


def test_one_trial_a_session_is_wider_than_wilson():
    """With one trial a session the clustered interval has n_e = K - 1 and holds the Wilson interval inside."""
    clustered, plain = interval([1] * 9 + [0], [1] * 10), wilson(9, 10)
    assert clustered.effective_n == pytest.approx(9)
    assert clustered.lower < plain.lower
    assert clustered.upper > plain.upper


@given(SESSIONS, st.randoms(use_true_random=False))
def test_interval_holds_the_rate_in_any_order(rows, random):
    """Every interval lies in 0..1, holds its rate, and does not depend on the order of sessions or on empty ones."""
    shuffled = [*rows, (0, 0)]
    random.shuffle(shuffled)
    for make in (interval, session_interval):
        found = make([y for y, _ in rows], [m for _, m in rows])
        again = make([y for y, _ in shuffled], [m for _, m in shuffled])
        assert 0 <= found.lower <= found.upper <= 1
        assert found.rate is None or found.lower <= found.rate <= found.upper
        assert found.effective_n <= found.n
        assert bounds(again) == pytest.approx(bounds(found), abs=1e-9)


def test_session_interval_weighs_sessions_alike():
    """A session with a thousand attempts moves the session-weighted rate no more than one with two."""
    found = session_interval([900, 0, 1], [1000, 2, 2])
    assert found.rate == pytest.approx((0.9 + 0 + 0.5) / 3)
    assert (found.k, found.n, found.sessions) == (901, 1004, 3)


def test_session_interval_has_the_variance_of_a_mean():
    """n_e = p (1 - p) / (s^2 / K) where s^2 is the sample variance of session rates."""
    found = session_interval([1, 3, 2, 7], [4, 4, 5, 10])
    rates = [0.25, 0.75, 0.4, 0.7]
    p = np.mean(rates)
    assert found.effective_n == pytest.approx(p * (1 - p) / (np.var(rates, ddof=1) / 4), rel=1e-9)


def test_nothing_seen_is_nothing_known():
    """Without trials the rate is absent and the interval is 0..1."""
    for found in (wilson(0, 0), interval([], []), interval([0], [0]), session_interval([], [])):
        assert found.rate is None
        assert (found.n, *bounds(found)) == (0, 0.0, 1.0)


@pytest.mark.parametrize(
    "make",
    [lambda: wilson(2, 1), lambda: wilson(-1, 1), lambda: interval([2], [1]), lambda: interval([1], [1, 1])],
)
def test_impossible_counts_are_refused(make):
    """More successes than trials, or lists of unlike length, raise ValueError."""
    with pytest.raises(ValueError, match=r"successes|zip"):
        make()


@pytest.mark.parametrize(("p", "n"), [(0.05, 59), (0.10, 29), (0.20, 14)])
def test_samples_needed_without_a_success(p, n):
    """59, 29 and 14 sessions without a success exclude 5, 10 and 20 %, and one fewer does not."""
    assert samples_needed(p) == n
    assert stats.binom.pmf(0, n, p) <= 0.05 < stats.binom.pmf(0, n - 1, p)


@pytest.mark.parametrize(("p", "k_of_10"), [(0.05, 0), (0.2, 0), (0.2, 5), (0.5, 1), (0.9, 6)])
def test_needed_to_exclude_is_where_wilson_excludes(p, k_of_10):
    """At the stated n the Wilson interval at the expected rate excludes p, and a session earlier it does not."""
    n = needed_to_exclude(p, expected=k_of_10 / 10)
    excluded = []
    for size in (n, n - 1):
        lower, upper = proportion_confint(k_of_10 / 10 * size, size, method="wilson")
        excluded.append(not lower <= p <= upper)
    assert excluded == [True, False]


@pytest.mark.parametrize("make", [lambda: samples_needed(0), lambda: needed_to_exclude(0.2, expected=0.2)])
def test_questions_without_an_answer_are_refused(make):
    """No number of sessions excludes a rate of 0, or the rate that is expected."""
    with pytest.raises(ValueError, match=r"between|cannot tell"):
        make()
