"""Intervals for rates that stay honest at small counts and when sessions loop.

Which one: `wilson` where every session gives at most one trial (the evidence on `retryable`);
`interval` where a session may give many (all reissues, attempts); `session_interval` for the
mean of session rates. A bootstrap or Wald interval covers 43 % where it promises 95 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.statistics.special import normal_quantile, t_quantile

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A rate and its 95 % interval; without any trial the rate is None and the interval 0..1."""

    k: int  # successes
    n: int  # trials
    rate: float | None  # 0..1; k / n, or the mean of session rates
    lower: float  # 0..1
    upper: float  # 0..1
    effective_n: float  # the independent trials this evidence is worth, at most n
    sessions: int  # sessions with at least one trial


def wilson(k: int, n: int, z: float | None = None) -> Interval:
    """Return the Wilson score interval of k successes in n independent trials.

    Exact in its weighting only where trials are independent: one trial a session. Examples:
    9/10 gives 0.596..0.982, 1/1 gives 0.207..1.000.

    Args:
        k: Successes, 0..n.
        n: Trials.
        z: Half width in standard normal units; None for the exact 97.5 % quantile.

    Raises:
        ValueError: k outside 0..n.

    Source: Wilson 1927; Agresti and Coull 1998.
    """
    _check(k, n)
    if n == 0:
        return _nothing()
    lower, upper = score_bounds(k / n, n, _z() if z is None else z)
    return Interval(k, n, k / n, lower, upper, float(n), n)


def interval(successes: Sequence[int], trials: Sequence[int]) -> Interval:
    """Return the interval of a rate over attempts that come in sessions (weighting: attempt).

    The Wilson interval on the effective number of trials n_e = n / Deff with Student's t of
    K - 1 degrees of freedom for z. Deff = max(1, v / (p (1 - p) / n)) with the linearised
    cluster variance v = K / (K - 1) * sum (y_k - p m_k)^2 / n^2 over the K sessions.

    - No success, no failure or a single session: Deff = n / K, as each session then counts once.
    - One session cannot show how sessions differ: t keeps 1 degree of freedom, the widest.
    - One trial a session: n_e = K - 1 and t make this wider than `wilson`, which is then right.

    Args:
        successes: y_k, successes of session k, 0..m_k.
        trials: m_k, trials of session k; sessions without a trial are ignored.

    Raises:
        ValueError: lengths differ, or a y_k outside 0..m_k.

    Source: Kish 1965 (Deff), Korn and Graubard 1998 (t and effective n for rare outcomes).
    """
    pairs = _sessions(successes, trials)
    if not pairs:
        return _nothing()
    k, n = sum(y for y, _ in pairs), sum(m for _, m in pairs)
    rate = k / n
    variance = cluster_variance([y - rate * m for y, m in pairs], n)
    return _clustered(k, n, rate, variance, len(pairs))


def session_interval(successes: Sequence[int], trials: Sequence[int]) -> Interval:
    """Return the interval of the mean of session rates (weighting: session).

    rate = mean of y_k / m_k; the rest as in `interval` with the variance of that mean, so a
    session with a thousand attempts weighs no more than one with three. k and n are the totals.

    Args:
        successes: y_k, successes of session k, 0..m_k.
        trials: m_k, trials of session k; sessions without a trial are ignored.

    Raises:
        ValueError: lengths differ, or a y_k outside 0..m_k.
    """
    pairs = _sessions(successes, trials)
    if not pairs:
        return _nothing()
    k, n = sum(y for y, _ in pairs), sum(m for _, m in pairs)
    rate = math.fsum(y / m for y, m in pairs) / len(pairs)
    variance = cluster_variance([y / m - rate for y, m in pairs], len(pairs))
    return _clustered(k, n, rate, variance, len(pairs))


def samples_needed(p: float) -> int:
    """Return the sessions without any success that prove a rate below p, one-sided at 95 %.

    The smallest n with (1 - p)^n <= 0.05: 59, 29 and 14 for p = .05, .10 and .20.

    Args:
        p: The rate to exclude, between 0 and 1, both excluded.

    Raises:
        ValueError: p outside that range.
    """
    if not 0 < p < 1:
        raise ValueError(f"p must lie between 0 and 1, got {p}")
    return math.ceil(math.log(1 - CONFIDENCE) / math.log1p(-p))


def needed_to_exclude(p: float, *, expected: float) -> int:
    """Return the sessions after which the Wilson interval excludes p if the rate stays as expected.

    n = z^2 p (1 - p) / (p - expected)^2, rounded up. Two-sided, so at expected = 0 it asks for
    more than `samples_needed`: 73 against 59 for p = .05.

    Args:
        p: The rate to exclude, between 0 and 1, both excluded.
        expected: The rate assumed to continue, 0..1, not p itself.

    Raises:
        ValueError: p or expected outside its range.
    """
    if not (0 < p < 1 and 0 <= expected <= 1) or p == expected:
        raise ValueError(f"cannot tell {expected} from {p}")
    return math.ceil(_z() ** 2 * p * (1 - p) / (p - expected) ** 2)


def score_bounds(rate: float, n: float, z: float) -> tuple[float, float]:
    """Return the Wilson bounds of a rate (0..1) on n > 0 effective trials, clipped to 0..1."""
    z2 = z * z
    centre = (rate + z2 / (2 * n)) / (1 + z2 / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n)
    return (0.0 if rate == 0 else max(0.0, centre - half)), (1.0 if rate == 1 else min(1.0, centre + half))


def cluster_variance(residuals: Sequence[float], n: int) -> float:
    """Return K / (K - 1) * sum residual^2 / n^2 over K sessions; 0 where K < 2."""
    count = len(residuals)
    if count < 2:
        return 0.0
    return count / (count - 1) * math.fsum(r * r for r in residuals) / (n * n)


def effective_trials(rate: float, n: int, variance: float, sessions: int) -> float:
    """Return n_e = n / Deff: the independent trials with the same variance, at most n.

    Where the data hold no variance (one session, or rate 0 or 1) every session counts as one trial.
    """
    if sessions < 2 or rate in (0, 1):
        return float(sessions)
    return float(n) if variance == 0 else min(float(n), rate * (1 - rate) / variance)


def _clustered(k: int, n: int, rate: float, variance: float, sessions: int) -> Interval:
    effective_n = effective_trials(rate, n, variance, sessions)
    t = t_quantile((1 + CONFIDENCE) / 2, max(1, sessions - 1))
    lower, upper = score_bounds(rate, effective_n, t)
    return Interval(k, n, rate, lower, upper, effective_n, sessions)


def _sessions(successes: Sequence[int], trials: Sequence[int]) -> list[tuple[int, int]]:
    pairs = list(zip(successes, trials, strict=True))
    for y, m in pairs:
        _check(y, m)
    return [(y, m) for y, m in pairs if m]


def _check(k: int, n: int) -> None:
    if not 0 <= k <= n:
        raise ValueError(f"{k} successes in {n} trials")


def _nothing() -> Interval:
    return Interval(0, 0, None, 0.0, 1.0, 0.0, 0)


def _z() -> float:
    return normal_quantile((1 + CONFIDENCE) / 2)
