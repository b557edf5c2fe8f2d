"""Time to recovery when agents give up and logs stop: the Aalen-Johansen cumulative incidence."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from pipeline.statistics.intervals import score_bounds
from pipeline.statistics.special import normal_quantile

_ROUNDING = 1e-9  # a sum of products that is 1 misses it by less


class Ending(IntEnum):
    """How an episode's clock stopped."""

    CENSORED = 0  # the log stops, or the window closes
    RECOVERED = 1
    LOST = 2  # abandoned, escalated, unresolved: it can no longer recover


class Step(NamedTuple):
    """One point of the curve; the value holds from this time up to the next point."""

    time: float  # the input's unit
    at_risk: int  # episodes still open just before it
    recovered: int
    lost: int
    incidence: float  # F(time), 0..1: recovered by then
    variance: float  # of F(time)


@dataclass(frozen=True, slots=True)
class Recovered:
    """How many recover by a horizon: estimate, interval, and what censoring could hide at most."""

    n: int  # episodes
    recovered: int  # seen to recover by the horizon
    censored: int  # lost from sight before it
    rate: float | None  # the cumulative incidence at the horizon, 0..1
    lower: float  # 95 % interval, 0..1
    upper: float
    least: float  # every censored episode lost
    most: float  # every censored episode recovered


def cumulative_incidence(times: Sequence[float], endings: Sequence[int]) -> list[Step]:
    """Return F(t) = sum over t_i <= t of S(t_i-) d_i / n_i, one step per time with an event.

    n_i open episodes just before t_i, d_i of them recover at t_i, and S falls with every event,
    recovered or lost. 1 - Kaplan-Meier would treat the lost as if they could still recover: it
    says 1.00 where this says .771.

    Args:
        times: >= 0, any unit: milliseconds, or further calls.
        endings: `Ending` of each episode. At equal times censoring comes last.

    Source: Aalen and Johansen 1978; variance by the delta method (Marubini and Valsecchi 1995).
    """
    pairs = list(zip(times, endings, strict=True))
    recoveries, losses = (
        Counter(time for time, ending in pairs if ending == kind)
        for kind in (Ending.RECOVERED.value, Ending.LOST.value)
    )
    at_risk = len(pairs)
    surviving, incidence, sums, steps = 1.0, 0.0, _Sums(), []
    for time, leaving in sorted(Counter(times).items()):
        recovered, lost = recoveries[time], losses[time]
        if recovered + lost:
            incidence += surviving * recovered / at_risk
            sums = sums.after(at_risk, recovered, lost, surviving, incidence)
            surviving *= 1 - (recovered + lost) / at_risk
            steps.append(Step(time, at_risk, recovered, lost, incidence, max(0.0, sums.variance(incidence))))
        at_risk -= leaving
    return steps


def recovered_by(times: Sequence[float], endings: Sequence[int], horizon: float) -> Recovered:
    """Return the cumulative incidence at the horizon with its interval and the censoring bounds.

    Interval: Wilson on n_e = F (1 - F) / Var F, at most n; where F is 0 or 1, on the episodes not
    censored before the horizon.

    Args:
        times: >= 0, any unit.
        endings: `Ending` of each episode.
        horizon: The same unit, the horizon itself included.
    """
    n = len(times)
    if n == 0:
        return Recovered(0, 0, 0, None, 0.0, 1.0, 0.0, 1.0)
    pairs = list(zip(times, endings, strict=True))
    recovered = sum(ending == Ending.RECOVERED and time <= horizon for time, ending in pairs)
    censored = sum(ending == Ending.CENSORED and time < horizon for time, ending in pairs)
    steps = [step for step in cumulative_incidence(times, endings) if step.time <= horizon]
    rate = steps[-1].incidence if steps else 0.0
    if rate > 1 - _ROUNDING:
        rate = 1.0
    effective_n = _effective_n(rate, steps[-1].variance if steps else 0.0, n, n - censored)
    lower, upper = score_bounds(rate, effective_n, normal_quantile(0.975)) if effective_n else (0.0, 1.0)
    return Recovered(n, recovered, censored, rate, lower, upper, recovered / n, (recovered + censored) / n)


def _effective_n(rate: float, variance: float, n: int, decided: int) -> float:
    if rate in (0.0, 1.0) or variance <= 0:
        return float(decided)
    return min(float(n), rate * (1 - rate) / variance)


class _Sums(NamedTuple):
    """Running sums of the delta-method variance, which is a quadratic in the present F."""

    g: float = 0.0
    gf: float = 0.0
    gff: float = 0.0
    own: float = 0.0
    cross: float = 0.0
    crossf: float = 0.0

    def after(self, at_risk: int, recovered: int, lost: int, surviving: float, incidence: float) -> "_Sums":
        total = recovered + lost
        # When everyone still open leaves, F stands still afterwards and this term weighs nothing.
        g = total / (at_risk * (at_risk - total)) if at_risk > total else 0.0
        own = surviving**2 * (at_risk - recovered) * recovered / at_risk**3
        cross = surviving * recovered / at_risk**2
        return _Sums(
            self.g + g,
            self.gf + g * incidence,
            self.gff + g * incidence**2,
            self.own + own,
            self.cross + cross,
            self.crossf + cross * incidence,
        )

    def variance(self, f: float) -> float:
        """Return sum g (F - F_i)^2 + own - 2 sum cross (F - F_i)."""
        return f * f * self.g - 2 * f * self.gf + self.gff + self.own - 2 * (f * self.cross - self.crossf)
