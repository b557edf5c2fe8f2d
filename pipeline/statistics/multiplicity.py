"""Many tests at once: Benjamini-Hochberg for p-values, e-BH for e-values."""

import math
from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return adjusted p-values, in the input's order; reject where they are <= the bound on wrong rejections.

    Adjusted p_(i) = min over j >= i of m p_(j) / j, at most 1. For families of like tests (tool
    versions); flags over codes use `fit_mixture`, as this finds a tenth of what that finds.

    Args:
        p_values: 0..1, independent or positively dependent.

    Source: Benjamini and Hochberg 1995.
    """
    count = len(p_values)
    adjusted, least = [1.0] * count, 1.0
    descending = sorted(range(count), key=lambda i: p_values[i], reverse=True)
    for rank, i in zip(range(count, 0, -1), descending, strict=True):
        least = min(least, p_values[i] * count / rank)
        adjusted[i] = least
    return adjusted


def e_bh(log_e_values: Sequence[float], *, alpha: float = 0.05) -> list[bool]:
    """Return which of m hypotheses to reject, in the input's order: the r largest e-values, each >= m / (alpha r).

    r is the largest number for which that holds. The expected share of wrong rejections is at
    most alpha under any dependence, at any time of looking.

    Args:
        log_e_values: ln e, minus infinity allowed; `log_e_below`, one a code and tool version.
        alpha: Between 0 and 1.

    Source: Wang and Ramdas 2022.
    """
    count = len(log_e_values)
    order = sorted(range(count), key=lambda i: -log_e_values[i])
    rejected = 0
    for rank, i in enumerate(order, start=1):
        if log_e_values[i] >= math.log(count / (alpha * rank)):
            rejected = rank
    chosen = set(order[:rejected])
    return [i in chosen for i in range(count)]
