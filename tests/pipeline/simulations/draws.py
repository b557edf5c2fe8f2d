"""Random data for the simulations, and the row that reports one measured property.

Only the standard library draws, so that a seed gives the same table with any version of numpy.
"""

import math
import random
from collections.abc import Iterable
from typing import NamedTuple

from pipeline.statistics import Interval, wilson

LIKENESS = 0.2  # intraclass correlation of the trials of one session
MEAN_TRIALS = 3.0


class Row(NamedTuple):
    """One measured property; the tests hold `value` against `bound`."""

    topic: str
    setting: str
    measure: str
    value: float
    bound: str = ""  # such as ">= .92"; empty for a comparison that promises nothing
    instead: str = ""  # what a common method gives on the same data


def holds(row: Row) -> bool:
    """Return whether the measured value keeps its bound."""
    if not row.bound:
        return True
    relation, limit = row.bound.split()
    return row.value >= float(limit) if relation == ">=" else row.value <= float(limit)


def looping_sessions(
    draw: random.Random,
    count: int,
    rate: float,
    *,
    likeness: float = LIKENESS,
    mean_trials: float = MEAN_TRIALS,
) -> tuple[list[int], list[int]]:
    """Return successes and trials of sessions: trials geometric, rates beta with the given intraclass correlation."""
    size = (1 - likeness) / likeness
    trials = [geometric(draw, mean_trials) for _ in range(count)]
    rates = [draw.betavariate(rate * size, (1 - rate) * size) for _ in trials]
    return [binomial(draw, m, p) for m, p in zip(trials, rates, strict=True)], trials


def geometric(draw: random.Random, mean: float) -> int:
    """Return a geometric number from 1 on."""
    return 1 + int(math.log(1 - draw.random()) / math.log(1 - 1 / mean))


def binomial(draw: random.Random, trials: int, rate: float) -> int:
    """Return the successes of so many trials."""
    return sum(draw.random() < rate for _ in range(trials))


def share(found: Iterable[bool]) -> float:
    """Return the share of true values."""
    values = list(found)
    return sum(values) / len(values)


def covers(found: Interval, rate: float) -> bool:
    """Return whether the interval holds the rate."""
    return found.lower <= rate <= found.upper


def pooled_wilson(successes: list[int], trials: list[int]) -> Interval:
    """Return the Wilson interval that takes every trial for independent."""
    return wilson(sum(successes), sum(trials))
