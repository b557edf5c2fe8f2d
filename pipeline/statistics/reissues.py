"""Success of the first, second and third reissue, and r3: the chance that three reissues recover."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.statistics.special import beta_quantile

DEPTH = 3


@dataclass(frozen=True, slots=True)
class Hazard:
    """Success of the k-th reissue among the chains that got that far."""

    depth: int  # k = 1, 2, ...
    successes: int
    at_risk: int  # chains that made a k-th reissue
    rate: float | None  # h_k, 0..1; None where nobody made one


@dataclass(frozen=True, slots=True)
class Reach:
    """The chance to recover within the given reissues, with its bounds."""

    rate: float | None  # 1 - prod(1 - h_k), 0..1; a depth nobody reached adds nothing; None without any reissue
    lower: float  # 0..1
    upper: float  # 0..1; 1 where nobody reached the last depth and something was left to recover


def hazards(reissues: Sequence[int], recovered: Sequence[bool], *, depth: int = DEPTH) -> tuple[Hazard, ...]:
    """Return h_1..h_depth, h_k = successes at the k-th reissue / chains that made it.

    A chain is one failed call and its fair reissues, one chain a session. An agent who stops is
    censored at that depth: stopping says nothing about what the next reissue had done.

    Args:
        reissues: Fair reissues of chain i, >= 0.
        recovered: Whether the last of them succeeded.
        depth: The largest k.

    Raises:
        ValueError: lengths differ, or a chain recovered without a reissue.
    """
    chains = list(zip(reissues, recovered, strict=True))
    if any(made < 1 and success for made, success in chains):
        raise ValueError("a chain cannot recover without a reissue")
    counts = Counter((made, bool(success)) for made, success in chains)
    return tuple(_hazard(k, counts) for k in range(1, depth + 1))


def r3(steps: Sequence[Hazard], *, confidence: float = 0.95) -> Reach:
    """Return r = 1 - prod(1 - h_k) over the given depths with a two-sided interval.

    h = (30/100, 12/50, 4/25) gives .553. The interval is a product of betas: 1 - r is
    prod Beta(n_k - d_k + 1, d_k) for the lower bound of r, times Beta(n_last - d_last, 1) for the
    upper one; each product is replaced by the beta of the same mean and variance. Without any
    success the upper bound is 1 - ((1 - confidence) / 2)^(1 / n_last).

    Args:
        steps: The hazards from `hazards`, in order of depth.
        confidence: Two-sided, 0..1; 0.90 for a one-sided 95 % bound, which 59 failures at the
            last depth bring below .05.

    Source: Fay, Brittain and Proschan 2013 (beta product confidence procedure); here censoring
    follows the reissue.
    """
    seen = [step for step in steps if step.at_risk]
    if not seen:
        return Reach(None, 0.0, 1.0)
    left = math.prod(1 - step.successes / step.at_risk for step in seen)
    betas = [(float(step.at_risk - step.successes + 1), float(step.successes)) for step in seen if step.successes]
    tail = (1 - confidence) / 2
    lower = 1 - _product_quantile(1 - tail, betas) if betas else 0.0
    surviving = steps[-1].at_risk - steps[-1].successes
    upper = 1 - _product_quantile(tail, [*betas, (float(surviving), 1.0)]) if surviving else 1.0
    return Reach(1 - left, min(lower, 1 - left), max(upper, 1 - left))


def _hazard(k: int, counts: Counter[tuple[int, bool]]) -> Hazard:
    at_risk = sum(count for (made, _), count in counts.items() if made >= k)
    successes = counts[k, True]
    return Hazard(k, successes, at_risk, successes / at_risk if at_risk else None)


def _product_quantile(p: float, betas: Sequence[tuple[float, float]]) -> float:
    """Return the p quantile of a product of independent betas, matched by one beta in mean and variance."""
    mean = math.prod(a / (a + b) for a, b in betas)
    square = math.prod(a * (a + 1) / ((a + b) * (a + b + 1)) for a, b in betas)
    size = (mean - square) / (square - mean * mean)
    return beta_quantile(p, mean * size, (1 - mean) * size)
