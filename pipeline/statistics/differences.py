"""Difference of two clustered rates (periods, versions, models, clients), and the trials it takes to see one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.statistics.intervals import Interval, interval
from pipeline.statistics.special import normal_quantile, t_quantile, t_two_sided_p


@dataclass(frozen=True, slots=True)
class Difference:
    """The rate of B minus the rate of A with its 95 % interval."""

    a: Interval
    b: Interval
    difference: float | None  # p_b - p_a, -1..1; None where a group has no trial
    lower: float  # -1..1
    upper: float
    p_value: float  # of "no difference", two-sided, 0..1
    df: float  # Satterthwaite's degrees of freedom

    @property
    def is_distinguishable(self) -> bool:
        """Whether 0 lies outside the interval; if not, there is no evidence of a difference."""
        return not self.lower <= 0 <= self.upper


def difference(
    successes_a: Sequence[int], trials_a: Sequence[int], successes_b: Sequence[int], trials_b: Sequence[int]
) -> Difference:
    """Return p_b - p_a with a t interval that knows about sessions (weighting: attempt).

    Standard error^2 = V_a + V_b with V = p (1 - p) / n_e and n_e = n / Deff of `interval`; degrees
    of freedom (V_a + V_b)^2 / (V_a^2 / (K_a - 1) + V_b^2 / (K_b - 1)). A group without any success
    or any failure has V = 0, which would feign certainty: it takes p = (p K + 1) / (K + 2) on
    K + 2 sessions instead.

    Args:
        successes_a: y_k of the sessions of A, 0..m_k; a session belongs to one group only.
        trials_a: m_k of the sessions of A.
        successes_b: y_k of the sessions of B.
        trials_b: m_k of the sessions of B.

    Raises:
        ValueError: lengths differ, or a y_k outside 0..m_k.

    Source: Welch 1947, Satterthwaite 1946; Agresti and Caffo 2000 for the empty cell.
    """
    a, b = interval(successes_a, trials_a), interval(successes_b, trials_b)
    if a.rate is None or b.rate is None:
        return Difference(a, b, None, -1.0, 1.0, 1.0, 0.0)
    v_a, v_b = _variance(a, a.rate), _variance(b, b.rate)
    total = v_a + v_b
    df = total**2 / (v_a**2 / max(1, a.sessions - 1) + v_b**2 / max(1, b.sessions - 1))
    estimate, error = b.rate - a.rate, math.sqrt(total)
    half = t_quantile(0.975, df) * error
    p_value = t_two_sided_p(estimate / error, df)
    return Difference(a, b, estimate, max(-1.0, estimate - half), min(1.0, estimate + half), p_value, df)


def sessions_for_difference(p_a: float, p_b: float, *, power: float = 0.8, design_effect: float = 1.0) -> int:
    """Return the trials per group that show p_a and p_b to differ, two-sided at 5 %.

    n = (z_.975 sqrt(2 p q) + z_power sqrt(p_a q_a + p_b q_b))^2 / (p_a - p_b)^2, p the mean of the
    two and q = 1 - p, times the design effect (1 where a session gives one trial), rounded up.

    Args:
        p_a: The one rate, 0..1.
        p_b: The other, 0..1, different.
        power: Chance to see the difference, between 0 and 1.
        design_effect: Deff = n / n_e of comparable data, >= 1.

    Raises:
        ValueError: a rate outside 0..1, or the two are equal.

    Source: Fleiss 1981 without continuity correction.
    """
    if not (0 <= p_a <= 1 and 0 <= p_b <= 1) or p_a == p_b:
        raise ValueError(f"cannot tell {p_a} from {p_b}")
    mean = (p_a + p_b) / 2
    null = normal_quantile(0.975) * math.sqrt(2 * mean * (1 - mean))
    alternative = normal_quantile(power) * math.sqrt(p_a * (1 - p_a) + p_b * (1 - p_b))
    return math.ceil(design_effect * ((null + alternative) / (p_a - p_b)) ** 2)


def _variance(group: Interval, rate: float) -> float:
    if rate not in (0.0, 1.0) and group.sessions > 1:
        return rate * (1 - rate) / group.effective_n
    sessions = group.sessions + 2
    shrunk = (rate * group.sessions + 1) / sessions
    return shrunk * (1 - shrunk) / sessions
