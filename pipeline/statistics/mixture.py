"""Which of many codes never clear by themselves: a two-component mixture with a bounded share of wrong flags."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipeline.statistics.special import log_beta

FALSE_DISCOVERY_RATE = 0.05
# BetaBin(1/2, 49.5): mean 1 %, and 97 % of its mass below the indifference zone at 5 %.
PERMANENT = (0.5, 49.5)
# Weak priors, worth a few codes: they decide only where the data hold next to nothing.
_SHARE_PRIOR = (2.0, 4.0)
_MEAN_PRIOR = (2.0, 2.0)
_CONCENTRATION_PRIOR = (math.log(4), 1.0)
_STARTS = ((-1.1, 0.0, 1.4), (0.0, -1.5, 2.5), (-1.1, 1.5, 0.5))
_LIMIT = 12.0
_EXP_LIMIT = 700.0  # exp overflows beyond 709


@dataclass(frozen=True, slots=True)
class Mixture:
    """The fitted mixture: a share of codes is permanent, the rest succeeds with varying rates."""

    share: float  # pi, 0..1: codes that are permanent
    mean: float  # m, 0..1: mean success rate of the other codes
    concentration: float  # M > 0: how alike the other codes' rates are
    posteriors: tuple[float, ...]  # P(permanent | counts), 0..1, in the order of the input


@dataclass(frozen=True, slots=True)
class Flags:
    """The flagged items and the share of them expected to be wrong."""

    flagged: tuple[bool, ...]  # in the order of the input
    expected_fdr: float  # mean of 1 - probability over the flagged; 0 without any


def fit_mixture(successes: Sequence[int], trials: Sequence[int]) -> Mixture:
    """Fit pi, m and M by maximum likelihood with weak priors; return them with every code's posterior.

    Code c has s_c successes in n_c independent trials (one fair reissue a session). Its counts are
    BetaBin(1/2, 49.5) if the code is permanent (share pi), else BetaBin(m M, (1 - m) M);
    posterior = pi BB0 / (pi BB0 + (1 - pi) BB1).

    Args:
        successes: s_c, 0..n_c.
        trials: n_c; a code without a trial keeps the share as its posterior.

    Raises:
        ValueError: lengths differ, or an s_c outside 0..n_c.

    Source: empirical Bayes after Efron 2010; priors pi ~ Beta(2, 4), m ~ Beta(2, 2), ln M ~ N(ln 4, 1).
    """
    pairs = list(zip(successes, trials, strict=True))
    if any(not 0 <= s <= n for s, n in pairs):
        raise ValueError("successes must lie between 0 and trials")
    counts = Counter(pairs)
    permanent = {pair: _permanent_log(*pair) for pair in counts}
    objective = _objective(counts, permanent)
    rough = max((_climb(objective, start, step=1.0, until=0.2) for start in _STARTS), key=objective)
    share, mean, concentration = _natural(_climb(objective, rough, step=0.125, until=3e-4))
    other = _other_logs(counts, mean, concentration)
    posteriors = {pair: _posterior(share, permanent[pair], other[pair]) for pair in counts}
    return Mixture(share, mean, concentration, tuple(posteriors[pair] for pair in pairs))


def bayesian_fdr(probabilities: Sequence[float], *, rate: float = FALSE_DISCOVERY_RATE, least: float = 0.5) -> Flags:
    """Flag the largest set of items whose expected share of wrong flags is at most `rate`.

    Sorted by 1 - probability, the longest prefix with mean(1 - probability) <= rate. A strong
    prefix could carry along an item that is probably innocent; `least` forbids that.

    Args:
        probabilities: P(the flag is right), 0..1; `Mixture.posteriors`, or their complements.
        rate: The bound on the expected share of wrong flags, 0..1.
        least: No item below this probability is flagged, 0..1.

    Source: Newton et al. 2004; Mueller, Parmigiani and Rice 2006.
    """
    order = sorted(range(len(probabilities)), key=lambda i: -probabilities[i])
    flagged = [False] * len(probabilities)
    wrong = expected = 0.0
    for size, i in enumerate(order, start=1):
        wrong += 1 - probabilities[i]
        if wrong > rate * size or probabilities[i] < least:
            break
        flagged[i], expected = True, wrong / size
    return Flags(tuple(flagged), expected)


def _objective(
    counts: Counter[tuple[int, int]], permanent: dict[tuple[int, int], float]
) -> Callable[[Sequence[float]], float]:
    """Return the log posterior of (logit pi, logit m, ln M), up to a constant."""

    def value(point: Sequence[float]) -> float:
        share, mean, concentration = _natural(point)
        other = _other_logs(counts, mean, concentration)
        terms = (count * _log_mix(share, other[pair] - permanent[pair]) for pair, count in counts.items())
        return _log_prior(share, mean, point[2]) + sum(terms)

    return value


def _climb(
    objective: Callable[[Sequence[float]], float], start: Sequence[float], *, step: float, until: float
) -> list[float]:
    """Return a local maximum by compass search: try each axis, halve the step when none improves."""
    point, best = list(start), objective(start)
    while step > until:
        improved = False
        for axis in range(len(point)):
            for sign in (step, -step):
                trial = point.copy()
                trial[axis] = max(-_LIMIT, min(_LIMIT, trial[axis] + sign))
                value = objective(trial)
                if value > best:
                    point, best, improved = trial, value, True
                    break
        step = step if improved else step / 2
    return point


def _other_logs(counts: Counter[tuple[int, int]], mean: float, concentration: float) -> dict[tuple[int, int], float]:
    """Return ln BetaBin(s | n, m M, (1 - m) M) of every (s, n), without the binomial coefficient."""
    a, b = mean * concentration, (1 - mean) * concentration
    constant = log_beta(a, b)
    hits = {s: math.lgamma(a + s) for s in {s for s, _ in counts}}
    misses = {f: math.lgamma(b + f) for f in {n - s for s, n in counts}}
    totals = {n: math.lgamma(concentration + n) for n in {n for _, n in counts}}
    return {(s, n): hits[s] + misses[n - s] - totals[n] - constant for s, n in counts}


def _permanent_log(s: int, n: int) -> float:
    a, b = PERMANENT
    return log_beta(a + s, b + n - s) - log_beta(a, b)


def _log_prior(share: float, mean: float, log_concentration: float) -> float:
    centre, spread = _CONCENTRATION_PRIOR
    beta = ((share, _SHARE_PRIOR), (mean, _MEAN_PRIOR))
    logs = ((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) for x, (a, b) in beta)
    return sum(logs) - ((log_concentration - centre) / spread) ** 2 / 2


def _natural(point: Sequence[float]) -> tuple[float, float, float]:
    return 1 / (1 + math.exp(-point[0])), 1 / (1 + math.exp(-point[1])), math.exp(point[2])


def _posterior(share: float, permanent: float, other: float) -> float:
    return 1 / (1 + (1 - share) / share * math.exp(min(_EXP_LIMIT, other - permanent)))


def _log_mix(share: float, gap: float) -> float:
    """Return ln(pi + (1 - pi) BB1 / BB0) where gap = ln BB1 - ln BB0."""
    return math.log(share + (1 - share) * math.exp(gap)) if gap < _EXP_LIMIT else math.log1p(-share) + gap
