import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.statistics import share_time, spread

WINDOWS = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda pair: (pair[0], pair[0] + pair[1])))


@given(WINDOWS)
def test_charges_sum_to_the_union(windows):
    """Whatever the overlaps, the charges add up to the time during which any window was open."""
    union = {instant for start, end in windows for instant in range(start, end)}
    charges = share_time(windows)
    assert sum(charges) == len(union)
    assert all(0 <= charge <= end - start for charge, (start, end) in zip(charges, windows, strict=True))


@given(WINDOWS)
def test_every_instant_is_shared_evenly(windows):
    """Each charge is the sum of 1/k over its instants, within one unit per change of company."""
    exact = [0.0] * len(windows)
    for instant in range(81):
        active = [i for i, (start, end) in enumerate(windows) if start <= instant < end]
        for i in active:
            exact[i] += 1 / len(active)
    edges = {edge for window in windows for edge in window}
    for charge, expected in zip(share_time(windows), exact, strict=True):
        assert abs(charge - expected) <= len(edges)


def test_overlap_is_halved():
    """Two windows that share 10 of their 20 units are charged 15 each; a lone one is charged in full."""
    assert share_time([(0, 20), (10, 30), (40, 45)]) == [15, 15, 5]


def test_left_over_units_go_to_the_first_windows():
    """Ten units among three windows are 4, 3 and 3."""
    assert share_time([(0, 10)] * 3) == [4, 3, 3]


def test_a_window_that_ends_before_it_starts_is_refused():
    """Negative windows raise ValueError."""
    with pytest.raises(ValueError, match="before it starts"):
        share_time([(5, 4)])


def test_spread_shows_what_the_mean_hides():
    """One episode in 200 that costs as much as the others together is half of the total."""
    values = [1.0] * 198 + [99.0, 99.0]
    found = spread(values)
    assert (found.n, found.total, found.median) == (200, sum(values), statistics.median(values))
    assert found.mean == pytest.approx(statistics.mean(values))
    assert found.top_share == pytest.approx(0.5)


def test_spread_of_nothing():
    """Without episodes, or without cost, there is no share to state."""
    assert spread([]).mean is None
    assert spread([0.0, 0.0]).top_share is None
    assert spread([4.0]).top_share == 1
