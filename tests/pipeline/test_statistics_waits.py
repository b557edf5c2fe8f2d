import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

from pipeline.statistics import isotonic, judge_wait, recommended_wait, success_by_delay

ROWS = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 9)), min_size=1, max_size=40)


@given(ROWS)
def test_fit_agrees_with_scikit_learn(rows):
    """Pool adjacent violators is scikit-learn's isotonic regression to 1e-9."""
    values, weights = zip(*rows, strict=True)
    expected = IsotonicRegression().fit_transform(np.arange(len(values)), values, sample_weight=weights)
    assert isotonic(values, weights) == pytest.approx(expected.tolist(), abs=1e-9)


@given(ROWS)
def test_fit_never_falls_and_keeps_the_mean(rows):
    """The fit is non-decreasing and keeps the weighted mean."""
    values, weights = zip(*rows, strict=True)
    fitted = isotonic(values, weights)
    assert fitted == sorted(fitted)
    assert np.average(fitted, weights=weights) == pytest.approx(np.average(values, weights=weights), abs=1e-9)


def test_equal_delays_are_one_point():
    """Reissues after the same delay share one point, in any order."""
    points = success_by_delay([5, 2, 5, 2, 9], [True, False, False, False, True])
    assert [(p.delay, p.successes, p.trials, p.fitted) for p in points] == [(2, 0, 2, 0), (5, 1, 2, 0.5), (9, 1, 1, 1)]


def test_recommended_wait_is_the_first_delay_that_reaches_the_target():
    """With 0/10 after 10 s, 8/10 after 20 s and 10/10 after 30 s the wait is 30 s at 90 % and 20 s at 80 %."""
    delays = [10] * 10 + [20] * 10 + [30] * 10
    successes = [False] * 10 + [True] * 8 + [False] * 2 + [True] * 10
    wait = recommended_wait(delays, successes)
    assert (wait.delay, wait.evidence.k, wait.evidence.n) == (30, 10, 10)
    assert recommended_wait(delays, successes, target=0.8).delay == 20


def test_no_wait_beyond_the_observed_delays():
    """Where no observed delay reaches the target there is no recommendation, only the evidence."""
    wait = recommended_wait([10] * 20, [True] * 10 + [False] * 10)
    assert wait.delay is None
    assert (wait.evidence.k, wait.evidence.n) == (10, 20)


def test_one_late_success_is_no_recommendation():
    """A single success after the longest delay lifts the fit to 1 and still recommends nothing."""
    wait = recommended_wait([10] * 20 + [60], [False] * 20 + [True])
    assert wait.points[-1].fitted == 1
    assert wait.delay is None
    assert recommended_wait([10] * 20 + [60], [False] * 20 + [True], least=1).delay == 60


def test_no_reissues_no_wait():
    """Without reissues there is neither curve nor recommendation."""
    assert recommended_wait([], []).delay is None
    assert recommended_wait([], []).evidence.rate is None


def test_wait_too_short():
    """The declared wait fails and twice of it works: too short."""
    delays = [1000] * 12 + [2000] * 12
    verdict = judge_wait(delays, [False] * 11 + [True] + [True] * 12, [1000] * 24)
    assert verdict.too_short
    assert not verdict.too_long
    assert verdict.reaches == 2
    assert (verdict.at_declared.k, verdict.at_declared.n) == (1, 12)


def test_a_code_that_never_clears_has_no_short_wait():
    """Where later waits fail as well, the class is wrong, not the wait."""
    verdict = judge_wait([1000] * 12 + [2000] * 12, [False] * 24, [1000] * 24)
    assert not verdict.too_short
    assert verdict.reaches is None


def test_wait_too_long():
    """Forty successes below half the declared wait prove it too long; ten do not."""
    assert judge_wait([400] * 40, [True] * 40, [1000] * 40).too_long
    assert not judge_wait([400] * 10, [True] * 10, [1000] * 10).too_long


def test_declared_waits_are_compared_by_ratio():
    """Reissues of one code under waits of 1 s and 10 s are pooled by delay / declared; a wait of 0 is ignored."""
    verdict = judge_wait([1200, 12_000, 700, 5], [True, False, True, False], [1000, 10_000, 1000, 0])
    assert (verdict.at_declared.k, verdict.at_declared.n) == (1, 2)
    assert verdict.early.n == 0
