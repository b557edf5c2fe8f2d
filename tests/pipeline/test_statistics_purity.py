import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from pipeline.statistics import entropy, g_test, permutation_p_value, shared_information

PAIRS = st.lists(st.tuples(st.sampled_from("abcde"), st.sampled_from("wxyz")), min_size=2, max_size=80)


@given(PAIRS)
def test_information_agrees_with_scikit_learn(pairs):
    """Observed and chance information are scikit-learn's in bits, to 1e-9."""
    facets, behaviours = zip(*pairs, strict=True)
    found = shared_information(facets, behaviours)
    assert found.observed == pytest.approx(mutual_info_score(facets, behaviours) / math.log(2), abs=1e-9)
    table = contingency_matrix(facets, behaviours, sparse=True)
    chance = expected_mutual_information(table, len(pairs)) / math.log(2)
    assert found.by_chance == pytest.approx(chance, abs=1e-9)
    assert found.observed <= found.entropy + 1e-9


def test_chance_is_the_mean_over_all_permutations():
    """The exact chance information is what all permutations of a small table average to."""
    facets, behaviours = "aabbbc", "xyxyxx"
    every = [shared_information(facets, shuffled).observed for shuffled in permutations(behaviours)]
    assert shared_information(facets, behaviours).by_chance == pytest.approx(sum(every) / len(every), abs=1e-12)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=6).filter(sum))
def test_entropy_agrees_with_scipy(counts):
    """Entropy is scipy's in bits."""
    assert entropy(counts) == pytest.approx(stats.entropy(counts, base=2), abs=1e-9)


def test_a_code_with_two_causes_shows():
    """Where the template decides the behaviour the excess is large and the split significant; noise shows neither."""
    split = shared_information(["t1"] * 20 + ["t2"] * 20, ["clears"] * 20 + ["never"] * 20)
    assert split.observed == pytest.approx(1.0)
    assert split.excess > 0.9
    assert permutation_p_value(["t1"] * 20 + ["t2"] * 20, ["clears"] * 20 + ["never"] * 20) == 1 / 200
    noise = [f"t{i}" for i in range(40)]
    assert shared_information(noise, ["clears", "never"] * 20).observed == pytest.approx(1.0)
    assert shared_information(noise, ["clears", "never"] * 20).excess == pytest.approx(0.0, abs=1e-9)
    assert permutation_p_value(noise, ["clears", "never"] * 20) == 1


def test_permutation_p_value_is_seeded_and_uniform_under_the_null():
    """The same seed gives the same answer, and the p-value follows Fisher's exact test on a 2 x 2 table."""
    facets, behaviours = "a" * 12 + "b" * 12, "x" * 9 + "y" * 3 + "x" * 4 + "y" * 8
    found = permutation_p_value(facets, behaviours, permutations=1999, seed=7)
    assert found == permutation_p_value(facets, behaviours, permutations=1999, seed=7)
    assert found == pytest.approx(stats.fisher_exact([[9, 3], [4, 8]]).pvalue, abs=0.03)


@given(st.lists(st.lists(st.integers(0, 30), min_size=3, max_size=3), min_size=2, max_size=5))
def test_g_test_agrees_with_scipy(table):
    """G and its p-value are scipy's once empty rows and columns are left out."""
    kept = np.array(table)
    kept = kept[kept.sum(axis=1) > 0][:, kept.sum(axis=0) > 0]
    found = g_test(table)
    if min(kept.shape) < 2:
        assert (found.statistic, found.df, found.p_value) == (0, 0, 1)
        return
    oracle = stats.chi2_contingency(kept, correction=False, lambda_="log-likelihood")
    assert (found.statistic, found.df) == pytest.approx((oracle.statistic, oracle.dof), abs=1e-9)
    assert found.p_value == pytest.approx(oracle.pvalue, abs=1e-9)


def test_nothing_to_compare():
    """Without failures every measure is zero."""
    found = shared_information([], [])
    assert (found.observed, found.by_chance, found.entropy) == (0, 0, 0)
    assert permutation_p_value([], []) == 1
    assert entropy([]) == 0
