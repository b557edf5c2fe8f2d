"""Rates that must not be pooled blindly: stratified differences, and what selection could hide."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from pipeline.statistics.special import normal_quantile, normal_two_sided_p


class Stratum(NamedTuple):
    """Counts of two groups under the same conditions (model, tool version, operation)."""

    successes_a: int
    trials_a: int
    successes_b: int
    trials_b: int


@dataclass(frozen=True, slots=True)
class Stratified:
    """The difference in success of A over B, pooled and within strata, side by side."""

    pooled: float | None  # p_a - p_b over all counts, -1..1; None where a group is empty
    stratified: float | None  # Mantel-Haenszel, -1..1; None where no stratum holds both groups
    lower: float  # 95 % interval of the stratified difference, -1..1
    upper: float
    p_value: float  # of "no difference within strata", two-sided, 0..1
    compared: int  # strata that hold both groups
    ignored_trials: int  # trials in strata that hold only one group
    is_reversed: bool  # Simpson: pooled and stratified differ in sign

    @property
    def is_distinguishable(self) -> bool:
        """Whether 0 lies outside the interval."""
        return not self.lower <= 0 <= self.upper


@dataclass(frozen=True, slots=True)
class SelectionBounds:
    """What the success of the reissued failures says about all failures."""

    share: float | None  # r = reissued / failures, 0..1
    rate: float | None  # p = successes / reissued, 0..1
    lower: float  # r p: none of the others had succeeded
    upper: float  # r p + 1 - r: all of them had


def mantel_haenszel(strata: Iterable[Stratum]) -> Stratified:
    """Return the pooled and the Mantel-Haenszel risk difference of A over B.

    RD = sum (a n_b - b n_a) / N over sum n_a n_b / N, with a of n_a and b of n_b successes and
    N = n_a + n_b per stratum. Variance, consistent for few large and for many small strata:
    (RD sum P + sum Q) / (sum n_a n_b / N)^2, P = (n_a^2 b - n_b^2 a + n_a n_b (n_b - n_a) / 2) / N^2,
    Q = (a (n_b - b) + b (n_a - a)) / (2 N). Trials count as independent: give one a session.

    Args:
        strata: Counts, 0 <= successes <= trials.

    Raises:
        ValueError: successes outside 0..trials.

    Source: Mantel and Haenszel 1959; Greenland and Robins 1985; variance of Sato 1989.
    """
    rows = [_checked(row) for row in strata]
    both = [row for row in rows if row.trials_a and row.trials_b]
    ignored = sum(row.trials_a + row.trials_b for row in rows) - sum(row.trials_a + row.trials_b for row in both)
    pooled = _pooled(rows)
    if not both:
        return Stratified(pooled, None, -1.0, 1.0, 1.0, 0, ignored, is_reversed=False)
    stratified, error = _risk_difference(both)
    half = normal_quantile(0.975) * error
    return Stratified(
        pooled,
        stratified,
        max(-1.0, stratified - half),
        min(1.0, stratified + half),
        normal_two_sided_p(stratified / error) if error else 1.0,
        len(both),
        ignored,
        is_reversed=pooled is not None and pooled * stratified < 0,
    )


def selection_bounds(successes: int, reissued: int, failures: int) -> SelectionBounds:
    """Return Manski's bounds [r p, r p + 1 - r] on success had every failure been reissued.

    Agents choose what they retry, so p = successes / reissued may flatter or slander a code. The
    bounds assume nothing about the choice; r = reissued / failures.

    Raises:
        ValueError: not 0 <= successes <= reissued <= failures.

    Source: Manski 1989.
    """
    if not 0 <= successes <= reissued <= failures:
        raise ValueError(f"{successes} successes, {reissued} reissued, {failures} failures")
    if failures == 0:
        return SelectionBounds(None, None, 0.0, 1.0)
    rate = successes / reissued if reissued else None
    lower = successes / failures
    return SelectionBounds(reissued / failures, rate, lower, lower + (failures - reissued) / failures)


def _risk_difference(rows: list[Stratum]) -> tuple[float, float]:
    """Return the Mantel-Haenszel difference and its standard error."""
    top = weight = p = q = 0.0
    for a, n_a, b, n_b in rows:
        n = n_a + n_b
        top += (a * n_b - b * n_a) / n
        weight += n_a * n_b / n
        p += (n_a**2 * b - n_b**2 * a + n_a * n_b * (n_b - n_a) / 2) / n**2
        q += (a * (n_b - b) + b * (n_a - a)) / (2 * n)
    difference = top / weight
    return difference, math.sqrt(max(0.0, difference * p + q)) / weight


def _pooled(rows: list[Stratum]) -> float | None:
    a, n_a, b, n_b = (sum(column) for column in zip(*rows, strict=True)) if rows else (0, 0, 0, 0)
    return a / n_a - b / n_b if n_a and n_b else None


def _checked(row: Stratum) -> Stratum:
    if not (0 <= row.successes_a <= row.trials_a and 0 <= row.successes_b <= row.trials_b):
        raise ValueError(f"successes outside 0..trials: {row}")
    return row
