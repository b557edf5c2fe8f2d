import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import samplesize_proportions_2indep_onetail

from pipeline.statistics import difference, sessions_for_difference

OUTCOMES = st.lists(st.integers(0, 1), min_size=3, max_size=40).filter(lambda ys: 0 < sum(ys) < len(ys))


@given(OUTCOMES, OUTCOMES)
def test_one_trial_a_session_is_welch(a, b):
    """With one trial a session the test is Welch's t-test on the outcomes, to 1e-9."""
    found = difference(a, [1] * len(a), b, [1] * len(b))
    oracle = stats.ttest_ind(b, a, equal_var=False)
    expected = oracle.confidence_interval(0.95)
    assert found.p_value == pytest.approx(oracle.pvalue, abs=1e-9)
    assert found.df == pytest.approx(oracle.df, rel=1e-9)
    assert (found.lower, found.upper) == pytest.approx((max(-1, expected.low), min(1, expected.high)), abs=1e-9)


def test_loops_do_not_count_as_evidence():
    """Ten sessions a side that loop 30 times differ no more surely than ten that try once."""
    loops = difference([0, 30] * 5, [30] * 10, [30] * 8 + [0] * 2, [30] * 10)
    once = difference([0, 1] * 5, [1] * 10, [1] * 8 + [0] * 2, [1] * 10)
    assert (loops.lower, loops.upper) == pytest.approx((once.lower, once.upper))
    assert not loops.is_distinguishable


def test_no_evidence_of_a_difference_is_an_answer():
    """Equal rates are not distinguishable; far apart ones over many sessions are."""
    assert not difference([1, 0] * 20, [1] * 40, [0, 1] * 20, [1] * 40).is_distinguishable
    assert difference([1, 0, 0, 0] * 20, [1] * 80, [1, 1, 1, 0] * 20, [1] * 80).is_distinguishable


def test_a_group_without_success_keeps_its_doubt():
    """0 of 3 against 3 of 3 is no certainty although both sample variances are zero."""
    found = difference([0] * 3, [1] * 3, [1] * 3, [1] * 3)
    assert found.difference == 1
    assert found.lower < 0.5
    assert not difference([0], [5], [1], [1]).is_distinguishable


def test_an_empty_group_compares_nothing():
    """Without trials on a side there is no difference and the interval is -1..1."""
    found = difference([], [], [1], [1])
    assert found.difference is None
    assert (found.lower, found.upper, found.p_value) == (-1, 1, 1)


@pytest.mark.parametrize(("p_a", "p_b"), [(0.5, 0.6), (0.05, 0.2), (0.9, 0.95)])
@pytest.mark.parametrize("power", [0.8, 0.9])
def test_sample_size_agrees_with_statsmodels(p_a, p_b, power):
    """Trials per group are statsmodels' for two proportions, rounded up."""
    expected = samplesize_proportions_2indep_onetail(p_b - p_a, p_a, power, alpha=0.05, alternative="two-sided")
    assert sessions_for_difference(p_a, p_b, power=power) == math.ceil(expected)


def test_clustering_asks_for_more():
    """A design effect multiplies the trials needed."""
    plain = sessions_for_difference(0.3, 0.5)
    assert sessions_for_difference(0.3, 0.5, design_effect=2) in (2 * plain - 1, 2 * plain)
    with pytest.raises(ValueError, match="cannot tell"):
        sessions_for_difference(0.3, 0.3)
