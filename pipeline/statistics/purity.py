"""Does one code hide several errors: entropy, mutual information beyond chance, and tests of a split."""

import math
import random
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from pipeline.statistics.special import chi_square_sf

_LN2 = math.log(2)


@dataclass(frozen=True, slots=True)
class SharedInformation:
    """What a facet (message template, operation, exit code) tells about the behaviour, in bits."""

    observed: float  # mutual information, >= 0
    by_chance: float  # its exact mean over all permutations, >= 0
    entropy: float  # of the behaviour, >= 0: the most a facet could tell

    @property
    def excess(self) -> float:
        """Observed minus by chance; about 0 where the facet tells nothing, below it at times."""
        return self.observed - self.by_chance


@dataclass(frozen=True, slots=True)
class GTest:
    """Likelihood-ratio test that the rows of a table share one distribution."""

    statistic: float  # G >= 0
    df: int
    p_value: float  # 0..1; 1 where nothing can be compared


def entropy(counts: Iterable[int]) -> float:
    """Return H = -sum p log2 p in bits; 0 for a single behaviour, 2 for four equally frequent ones.

    Args:
        counts: Occurrences of each behaviour, >= 0.
    """
    positive = [count for count in counts if count]
    total = sum(positive)
    return math.fsum(count / total * math.log2(total / count) for count in positive)


def shared_information(facets: Sequence[Hashable], behaviours: Sequence[Hashable]) -> SharedInformation:
    """Return the mutual information of facet and behaviour beside what chance alone gives.

    I = sum n_xy / N log2(N n_xy / (n_x n_y)). It is never below 0 and grows with the number of
    facets, so its mean over all permutations is subtracted: computed exactly from the
    hypergeometric distribution of every cell, not by drawing permutations.

    Args:
        facets: One a failure.
        behaviours: One a failure: clears itself, by fix, by changed arguments, never.

    Source: Vinh, Epps and Bailey 2010.
    """
    cells = Counter(zip(facets, behaviours, strict=True))
    rows, columns = Counter(facets), Counter(behaviours)
    n = len(facets)
    observed = math.fsum(count / n * math.log2(n * count / (rows[x] * columns[y])) for (x, y), count in cells.items())
    by_chance = _expected_information(Counter(rows.values()), Counter(columns.values()), n)
    return SharedInformation(max(0.0, observed), by_chance, entropy(columns.values()))


def permutation_p_value(
    facets: Sequence[Hashable], behaviours: Sequence[Hashable], *, permutations: int = 199, seed: int = 0
) -> float:
    """Return the chance of at least this much shared information if facet and behaviour were unrelated.

    (1 + permutations that reach the observed information) / (1 + permutations): never 0, valid at
    any count, where the G-test needs about five a cell.

    Args:
        facets: One a failure.
        behaviours: One a failure.
        permutations: Shuffles drawn.
        seed: Of the shuffles; the same seed gives the same answer.

    Source: Phipson and Smyth 2010.
    """
    generator, shuffled = random.Random(seed), list(behaviours)
    weight = [0.0] + [count * math.log(count) for count in range(1, len(facets) + 1)]
    observed = _cell_sum(facets, behaviours, weight)
    reached = 0
    for _ in range(permutations):
        generator.shuffle(shuffled)
        reached += _cell_sum(facets, shuffled, weight) >= observed - 1e-9
    return (1 + reached) / (1 + permutations)


def g_test(table: Sequence[Sequence[int]]) -> GTest:
    """Return G = 2 sum O ln(O / E) with its chi-square p-value on (rows - 1)(columns - 1) degrees of freedom.

    Args:
        table: Counts, rows = facets, columns = behaviours; empty rows and columns are ignored.

    Source: Sokal and Rohlf 1995, without Williams' correction.
    """
    rows = [sum(row) for row in table]
    columns = [sum(column) for column in zip(*table, strict=True)]
    n = sum(rows)
    df = max(0, sum(map(bool, rows)) - 1) * max(0, sum(map(bool, columns)) - 1)
    if df == 0:
        return GTest(0.0, 0, 1.0)
    terms = (
        count * math.log(count * n / (rows[i] * columns[j]))
        for i, row in enumerate(table)
        for j, count in enumerate(row)
        if count
    )
    statistic = max(0.0, 2 * math.fsum(terms))
    return GTest(statistic, df, chi_square_sf(statistic, df))


def _expected_information(rows: Counter[int], columns: Counter[int], n: int) -> float:
    """Return the mean mutual information in bits over all tables with these margins (size to number of margins)."""
    factorial = [math.lgamma(i + 1) for i in range(n + 1)]
    total = math.fsum(
        row_count * column_count * _expected_cell(a, b, n, factorial)
        for a, row_count in rows.items()
        for b, column_count in columns.items()
    )
    return total / _LN2


def _expected_cell(a: int, b: int, n: int, factorial: Sequence[float]) -> float:
    margin = factorial[a] + factorial[b] + factorial[n - a] + factorial[n - b] - factorial[n]
    scale = math.log(n / (a * b))
    total = 0.0
    for k in range(max(1, a + b - n), min(a, b) + 1):
        ways = factorial[k] + factorial[a - k] + factorial[b - k] + factorial[n - a - b + k]
        total += k / n * (scale + math.log(k)) * math.exp(margin - ways)
    return total


def _cell_sum(facets: Sequence[Hashable], behaviours: Sequence[Hashable], weight: Sequence[float]) -> float:
    """Return sum n_xy ln n_xy: with the margins fixed it orders tables as mutual information does."""
    return math.fsum(weight[count] for count in Counter(zip(facets, behaviours, strict=True)).values())
