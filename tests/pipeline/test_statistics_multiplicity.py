import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from pipeline.statistics import benjamini_hochberg, e_bh


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_benjamini_hochberg_agrees_with_the_oracles(p_values):
    """Adjusted p-values are those of statsmodels and scipy to 1e-9, ties included."""
    adjusted = benjamini_hochberg(p_values)
    assert adjusted == pytest.approx(multipletests(p_values, method="fdr_bh")[1].tolist(), abs=1e-9)
    assert adjusted == pytest.approx(stats.false_discovery_control(p_values).tolist(), abs=1e-9)


@given(st.lists(st.floats(0.001, 1e6), max_size=40))
def test_e_bh_rejects_the_largest_consistent_set(values):
    """The rejected are the r largest e-values with e_(r) >= m / (alpha r), r as large as possible."""
    found = e_bh([math.log(e) for e in values])
    ranked = sorted(values, reverse=True)
    sizes = [r for r in range(1, len(values) + 1) if math.log(ranked[r - 1]) >= math.log(len(values) / (0.05 * r))]
    assert sum(found) == max(sizes, default=0)
    assert all(values[i] >= ranked[sum(found) - 1] for i, rejected in enumerate(found) if rejected)


def test_one_alarm_among_many_codes_needs_more_evidence():
    """E = 25 raises an alarm for a single code and none among ten; in company it does again."""
    assert e_bh([math.log(25)]) == [True]
    assert e_bh([math.log(25)] + [-math.inf] * 9) == [False] * 10
    assert e_bh([math.log(25)] * 10) == [True] * 10


def test_nothing_to_test():
    """No hypotheses, no rejections."""
    assert e_bh([]) == []
    assert benjamini_hochberg([]) == []
