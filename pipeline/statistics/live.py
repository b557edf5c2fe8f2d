"""Verdicts that hold under continuous looking: e-values for a rate, to be reset at each tool version."""

import math
from dataclasses import dataclass

from pipeline.statistics.special import log_beta

# Jeffreys' mixing weight: no knob to tune, and good at small rates.
_A, _B = 0.5, 0.5
ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class RunningBounds:
    """The rates not yet excluded; they hold at every look at once."""

    lower: float  # 0..1
    upper: float  # 0..1


def log_e_value(k: int, n: int, p0: float) -> float:
    """Return ln E_n(p0) = ln B(a + k, b + n - k) - ln B(a, b) - k ln p0 - (n - k) ln(1 - p0), a = b = 1/2.

    The evidence against "the rate is p0" after k successes in n independent trials. At rate p0
    the chance that E ever reaches 1 / alpha, at any of infinitely many looks, is at most alpha.

    Args:
        k: Successes, 0..n, since the tool version began.
        n: Trials since then.
        p0: Between 0 and 1, both excluded.

    Raises:
        ValueError: k outside 0..n, or p0 outside its range.

    Source: Robbins 1970; Ville's inequality; Howard et al. 2021.
    """
    if not (0 <= k <= n and 0 < p0 < 1):
        raise ValueError(f"{k} successes in {n} trials against p0 = {p0}")
    mixed = log_beta(_A + k, _B + n - k) - log_beta(_A, _B)
    return mixed - k * math.log(p0) - (n - k) * math.log1p(-p0)


def log_e_below(k: int, n: int, p0: float) -> float:
    """Return the log e-value against "the rate is p0 or more": `log_e_value` where k / n < p0, else minus infinity.

    Valid for every rate >= p0: the part of the mixture below p0 is a supermartingale there, and
    the part above it is at most its weight whenever k / n < p0. Feed these to `e_bh`.
    """
    value = log_e_value(k, n, p0)
    return value if k < p0 * n else -math.inf


def log_e_above(k: int, n: int, p0: float) -> float:
    """Return the log e-value against "the rate is p0 or less": `log_e_below` of the failures."""
    return log_e_below(n - k, n, 1 - p0)


def proven_below(k: int, n: int, p0: float, *, alpha: float = ALPHA) -> bool:
    """Return whether rate < p0 is proven under continuous looking: k / n < p0 and E >= 1 / alpha."""
    return log_e_below(k, n, p0) >= -math.log(alpha)


def proven_above(k: int, n: int, p0: float, *, alpha: float = ALPHA) -> bool:
    """Return whether rate > p0 is proven under continuous looking: k / n > p0 and E >= 1 / alpha."""
    return log_e_above(k, n, p0) >= -math.log(alpha)


def running_bounds(k: int, n: int, *, alpha: float = ALPHA) -> RunningBounds:
    """Return the rates p0 with E_n(p0) < 1 / alpha: a confidence sequence, to 1e-9.

    Wider than Wilson: it holds at all looks together, Wilson at one look fixed in advance.

    Raises:
        ValueError: k outside 0..n.
    """
    if not 0 <= k <= n:
        raise ValueError(f"{k} successes in {n} trials")
    if n == 0:
        return RunningBounds(0.0, 1.0)
    lower = 0.0 if k == 0 else _edge(k, n, outside=0.0, alpha=alpha)
    return RunningBounds(lower, 1.0 if k == n else _edge(k, n, outside=1.0, alpha=alpha))


def _edge(k: int, n: int, *, outside: float, alpha: float) -> float:
    """Return where E crosses 1 / alpha between k / n, its minimum, and the excluded end."""
    inside = k / n
    while abs(inside - outside) > 1e-10:
        middle = (inside + outside) / 2
        if log_e_value(k, n, middle) < -math.log(alpha):
            inside = middle
        else:
            outside = middle
    return inside
