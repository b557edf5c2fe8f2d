"""How long to wait before a reissue: success as a rising function of the delay, and the declared wait against it."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from pipeline.statistics.intervals import Interval, wilson

TARGET = 0.9
LEAST = 10
_SHORT_RATIOS = (1.0, 1.5)
_EARLY_RATIO = 0.5


class Point(NamedTuple):
    """The reissues after one delay."""

    delay: float  # the input's unit; non-decreasing along the curve
    successes: int
    trials: int
    fitted: float  # F(delay), 0..1, non-decreasing


@dataclass(frozen=True, slots=True)
class Wait:
    """The shortest observed delay after which reissues succeed often enough."""

    delay: float | None  # None: the target is not reached inside the observed delays
    evidence: Interval  # success at that delay and beyond; of all reissues where delay is None
    points: tuple[Point, ...]  # the fitted curve, by delay


@dataclass(frozen=True, slots=True)
class WaitVerdict:
    """The declared wait held against what was seen; ratio = delay / declared wait."""

    too_short: bool
    too_long: bool
    at_declared: Interval  # success at ratios in [1, 1.5)
    early: Interval  # success at ratios below 0.5
    reaches: float | None  # smallest ratio >= 1.5 where the fitted success is 0.8; None: never


def isotonic(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Return the non-decreasing sequence nearest to `values` in weighted least squares.

    Pool adjacent violators: neighbours that fall are replaced by their weighted mean.

    Args:
        values: In the order of the predictor.
        weights: > 0.

    Source: Ayer et al. 1955; Barlow et al. 1972.
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        mean, total, size = value, weight, 1
        while blocks and blocks[-1][0] >= mean:
            other, other_total, other_size = blocks.pop()
            mean = (mean * total + other * other_total) / (total + other_total)
            total, size = total + other_total, size + other_size
        blocks.append((mean, total, size))
    return [mean for mean, _, size in blocks for _ in range(size)]


def success_by_delay(delays: Sequence[float], successes: Sequence[bool]) -> tuple[Point, ...]:
    """Return the isotonic fit of success on delay, one point per distinct delay.

    One look per reissue tells only whether the cause had cleared by then (current status data);
    the isotonic fit is the maximum likelihood estimate of the clearing time's distribution.

    Args:
        delays: End of the failure to start of the reissue, >= 0, any unit.
        successes: Whether that reissue succeeded.
    """
    pairs = sorted(zip(delays, successes, strict=True))
    groups = [(delay, [bool(ok) for _, ok in group]) for delay, group in groupby(pairs, key=lambda pair: pair[0])]
    fitted = isotonic([sum(oks) / len(oks) for _, oks in groups], [len(oks) for _, oks in groups])
    return tuple(Point(delay, sum(oks), len(oks), fit) for (delay, oks), fit in zip(groups, fitted, strict=True))


def recommended_wait(
    delays: Sequence[float], successes: Sequence[bool], *, target: float = TARGET, least: int = LEAST
) -> Wait:
    """Return the smallest observed delay with F(delay) >= target, backed by `least` reissues from there on.

    Never a value beyond the observed delays. The last points of an isotonic fit spike (one late
    success lifts F to 1), hence `least`. The median delay of successful retries is no estimate:
    it says 20 s where the truth is 27 s.

    Args:
        delays: >= 0, any unit; of one declared wait, as waits steer delays.
        successes: Whether that reissue succeeded.
        target: Success rate asked for, 0..1.
        least: Reissues at or beyond the recommended delay.
    """
    points = success_by_delay(delays, successes)
    wanted = next((i for i, point in enumerate(points) if point.fitted >= target), len(points))
    beyond = _pool(points[wanted:])
    if beyond.n < least:
        return Wait(None, _pool(points), points)
    return Wait(points[wanted].delay, beyond, points)


def judge_wait(delays: Sequence[float], successes: Sequence[bool], declared: Sequence[float]) -> WaitVerdict:
    """Return whether a declared wait is contradicted, over all reissues of one code.

    - too short: success at ratios in [1, 1.5) has an upper bound below .5, while the fitted
      success reaches .8 at a later ratio with at least 10 reissues from there on;
    - too long: success below half the declared wait has a lower bound above .9.

    Args:
        delays: >= 0, in the unit of `declared`; one reissue a session, early ones included.
        successes: Whether that reissue succeeded.
        declared: The wait the failure declared; reissues with a wait of 0 are ignored.

    Source: the rules `retry_after_too_short` and `retry_after_too_long` of the definitions.
    """
    rows = [(d / w, bool(ok)) for d, ok, w in zip(delays, successes, declared, strict=True) if w > 0]
    low, high = _SHORT_RATIOS
    at_declared = _rate([ok for ratio, ok in rows if low <= ratio < high])
    early = _rate([ok for ratio, ok in rows if ratio < _EARLY_RATIO])
    later = [(ratio, ok) for ratio, ok in rows if ratio >= high]
    reaches = recommended_wait([ratio for ratio, _ in later], [ok for _, ok in later], target=0.8).delay
    return WaitVerdict(at_declared.upper < 0.5 and reaches is not None, early.lower > 0.9, at_declared, early, reaches)


def _pool(points: Sequence[Point]) -> Interval:
    return wilson(sum(point.successes for point in points), sum(point.trials for point in points))


def _rate(oks: Sequence[bool]) -> Interval:
    return wilson(sum(oks), len(oks))
