import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight

from pipeline.statistics import cumulative_incidence, recovered_by

TIMES = [2, 3, 3, 5, 6, 8, 8, 10, 12, 15]
ENDINGS = [1, 0, 1, 2, 1, 0, 2, 1, 0, 1]
EPISODES = st.lists(st.tuples(st.integers(0, 20), st.sampled_from([0, 1, 2])), min_size=1, max_size=40)


def test_worked_example():
    """recovered/all .50, recovered/decided .714, 1 - Kaplan-Meier 1.00, cumulative incidence .771."""
    decided = sum(ending in (1, 2) for ending in ENDINGS)
    assert ENDINGS.count(1) / len(ENDINGS) == 0.5
    assert ENDINGS.count(1) / decided == pytest.approx(0.714, abs=5e-4)
    treated_as_censored = [1 if ending == 1 else 0 for ending in ENDINGS]
    assert cumulative_incidence(TIMES, treated_as_censored)[-1].incidence == pytest.approx(1.0)
    assert cumulative_incidence(TIMES, ENDINGS)[-1].incidence == pytest.approx(0.771, abs=5e-4)


def test_censoring_bounds_of_the_worked_example():
    """With three of ten censored, between .50 and .80 recover whatever became of them."""
    found = recovered_by(TIMES, ENDINGS, 20)
    assert (found.n, found.recovered, found.censored) == (10, 5, 3)
    assert (found.least, found.most) == (0.5, 0.8)


def test_censored_episodes_are_not_failures():
    """Four recovered, one lost, one abandoned, two censored: bounds 50 % to 75 %."""
    found = recovered_by([1, 2, 3, 4, 5, 6, 7, 7], [1, 1, 1, 1, 2, 2, 0, 0], 10)
    assert (found.least, found.most) == (0.5, 0.75)
    assert found.rate == pytest.approx(4 / 8)


@given(EPISODES)
def test_incidence_agrees_with_statsmodels(rows):
    """Curve and standard error are those of statsmodels to 1e-9, ties included."""
    times, endings = (np.array(column) for column in zip(*rows, strict=True))
    steps = cumulative_incidence(times.tolist(), endings.tolist())
    if 1 not in endings:
        assert all(step.incidence == 0 for step in steps)
        return
    with np.errstate(all="ignore"):
        oracle = CumIncidenceRight(times, endings)
    expected = dict(zip(oracle.times, zip(oracle.cinc[0], oracle.cinc_se[0], strict=True), strict=True))
    for step in steps:
        incidence, error = expected[step.time]
        assert step.incidence == pytest.approx(incidence, abs=1e-9)
        if np.isfinite(error):
            assert step.variance == pytest.approx(error**2, abs=1e-9)


@given(EPISODES)
def test_without_competing_endings_it_is_kaplan_meier(rows):
    """Where nobody is lost, the incidence is 1 - Kaplan-Meier."""
    times = [time for time, _ in rows]
    endings = [int(ending == 1) for _, ending in rows]
    oracle = SurvfuncRight(np.array(times), np.array(endings))
    expected = dict(zip(oracle.surv_times, 1 - oracle.surv_prob, strict=True))
    for step in cumulative_incidence(times, endings):
        assert step.incidence == pytest.approx(expected[step.time], abs=1e-9)


@given(EPISODES.filter(lambda rows: all(ending for _, ending in rows)), st.integers(0, 20))
def test_without_censoring_it_is_the_plain_share(rows, horizon):
    """Where every episode is decided, the incidence is recovered by then / all, and the bounds close."""
    times, endings = zip(*rows, strict=True)
    found = recovered_by(times, endings, horizon)
    assert found.rate == pytest.approx(found.recovered / found.n)
    assert found.least == found.most == pytest.approx(found.rate)


@given(EPISODES, st.integers(0, 20))
def test_bounds_hold_the_estimate(rows, horizon):
    """The estimate lies between the censoring bounds and inside its interval."""
    found = recovered_by(*zip(*rows, strict=True), horizon)
    assert found.least - 1e-9 <= found.rate <= found.most + 1e-9
    assert 0 <= found.lower <= found.rate + 1e-9
    assert found.rate - 1e-9 <= found.upper <= 1


def test_interval_without_censoring_is_wilson():
    """Without censoring the variance is binomial, so the interval is Wilson's: 4 of 8."""
    found = recovered_by(range(1, 9), [1, 2, 1, 2, 1, 2, 1, 2], 8)
    assert (found.lower, found.upper) == pytest.approx((0.2152, 0.7848), abs=5e-5)


def test_nothing_seen_is_nothing_known():
    """Without episodes, or with all censored before the horizon, the interval is 0..1."""
    assert recovered_by([], [], 5).rate is None
    assert cumulative_incidence([], []) == []
    censored = recovered_by([1, 2], [0, 0], 5)
    assert (censored.lower, censored.upper, censored.most) == (0.0, 1.0, 1.0)


def test_all_recovered_is_one_and_not_nearly():
    """44 recoveries at 44 times sum to 1 itself: the interval is Wilson's of 44 of 44, whatever rounding leaves."""
    found = recovered_by(range(1, 45), [1] * 44, 50)
    assert found.rate == 1.0
    assert (found.lower, found.upper) == pytest.approx((0.9197, 1.0), abs=5e-5)
    assert all(step.variance >= 0 for step in cumulative_incidence(range(1, 45), [1] * 44))
