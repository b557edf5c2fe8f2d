"""Coverage: how often 95 % intervals hold the truth."""

import math
import random
from functools import lru_cache

from pipeline.statistics import (
    Interval,
    Stratum,
    difference,
    hazards,
    interval,
    mantel_haenszel,
    r3,
    session_interval,
    wilson,
)
from tests.pipeline.simulations.draws import (
    LIKENESS,
    MEAN_TRIALS,
    Row,
    binomial,
    covers,
    looping_sessions,
    pooled_wilson,
    share,
)

SESSIONS, RATES = (5, 10, 20, 50), (0.05, 0.3, 0.5)
STRATA = ((10, 60, 0.9), (20, 30, 0.7), (40, 15, 0.4), (60, 8, 0.2))  # trials of A, of B, rate of A


@lru_cache
def clustered_rows(
    *, likeness: float = LIKENESS, mean_trials: float = MEAN_TRIALS, bound: str = ">= .92"
) -> tuple[Row, ...]:
    """Coverage of `interval` where sessions loop."""
    rows = []
    for count in SESSIONS:
        for rate in RATES:
            draw = random.Random(f"clustered {likeness} {mean_trials} {count} {rate}")
            samples = [
                looping_sessions(draw, count, rate, likeness=likeness, mean_trials=mean_trials) for _ in range(1200)
            ]
            ours, plain, naive = (
                share(covers(make(*sample), rate) for sample in samples) for make in (interval, pooled_wilson, wald)
            )
            setting = f"K = {count}, p = {rate}, {mean_trials:g} trials a session, likeness {likeness}"
            instead = f"plain Wilson {plain:.2f}, Wald {naive:.2f}"
            rows.append(Row("`interval`", setting, "coverage", ours, bound, instead))
    return tuple(rows)


@lru_cache
def bootstrap_rows() -> tuple[Row, ...]:
    """Coverage of the percentile bootstrap over sessions, for comparison."""
    rows = []
    for count, rate in ((5, 0.05), (50, 0.3)):
        draw = random.Random(f"bootstrap {count} {rate}")
        samples = [looping_sessions(draw, count, rate) for _ in range(300)]
        found = share(covers(bootstrap(draw, *sample), rate) for sample in samples)
        rows.append(Row("percentile bootstrap", f"K = {count}, p = {rate}", "coverage", found))
    return tuple(rows)


@lru_cache
def other_rows() -> tuple[Row, ...]:
    """Coverage of the other intervals."""
    return (
        *(session_row(*cell) for cell in ((5, 0.05), (20, 0.3), (50, 0.05))),
        wilson_row(),
        *(r3_row(truth) for truth in ((0.3, 0.24, 0.16), (0.01, 0.01, 0.01), (0.6, 0.3, 0.1))),
        *(difference_row(*cell) for cell in ((10, 10, 0.3), (15, 40, 0.1), (40, 40, 0.5))),
        difference_row(10, 10, 0.3, likeness=0.3, mean_trials=8, bound=">= .90"),
        stratified_row(),
    )


def session_row(count: int, rate: float) -> Row:
    """Coverage of the mean of session rates."""
    draw = random.Random(f"session mean {count} {rate}")
    samples = [looping_sessions(draw, count, rate) for _ in range(1200)]
    found = share(covers(session_interval(*sample), rate) for sample in samples)
    return Row("`session_interval`", f"K = {count}, p = {rate}", "coverage", found, ">= .92")


def wilson_row() -> Row:
    """Exact coverage of Wilson with one trial a session, in its worst cell."""
    cells = [(wilson_coverage(n, p), n, p) for n in SESSIONS for p in RATES]
    worst, n, p = min(cells)
    return Row("`wilson`", f"one trial a session, exact, worst cell: K = {n}, p = {p}", "coverage", worst, ">= .91")


def wilson_coverage(n: int, p: float) -> float:
    """Return the chance that the Wilson interval of n trials holds p."""
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1) if covers(wilson(k, n), p))


def r3_row(truth: tuple[float, ...]) -> Row:
    """Coverage of r3 where half of the agents stop after each failure."""
    draw, chance = random.Random(f"r3 {truth}"), 1 - math.prod(1 - h for h in truth)
    found = [r3(hazards(*zip(*(chain(draw, truth) for _ in range(80)), strict=True))) for _ in range(1000)]
    setting = f"80 chains, h = {truth}, half stop after each failure"
    return Row("`r3`", setting, "coverage", share(one.lower <= chance <= one.upper for one in found), ">= .94")


def chain(draw: random.Random, truth: tuple[float, ...]) -> tuple[int, bool]:
    """Return the reissues of one failed call and whether the last succeeded."""
    for made, chance in enumerate(truth, start=1):
        if draw.random() < chance:
            return made, True
        if draw.random() < 0.5:
            return made, False
    return len(truth), False


def difference_row(
    count_a: int,
    count_b: int,
    rate: float,
    *,
    likeness: float = LIKENESS,
    mean_trials: float = MEAN_TRIALS,
    bound: str = ">= .92",
) -> Row:
    """Coverage of the difference of two equal rates, beside Newcombe's interval over pooled trials."""
    draw = random.Random(f"difference {count_a} {count_b} {rate} {likeness}")
    ours, newcombe = [], []
    for _ in range(1200):
        a, b = (
            looping_sessions(draw, count, rate, likeness=likeness, mean_trials=mean_trials)
            for count in (count_a, count_b)
        )
        found = difference(*a, *b)
        ours.append(found.lower <= 0 <= found.upper)
        newcombe.append(newcombe_covers_zero(pooled_wilson(*a), pooled_wilson(*b)))
    setting = f"K = {count_a} and {count_b}, p = {rate}, {mean_trials:g} trials a session, likeness {likeness}"
    return Row("`difference`", setting, "coverage", share(ours), bound, f"pooled Newcombe {share(newcombe):.2f}")


def newcombe_covers_zero(a: Interval, b: Interval) -> bool:
    """Return whether Newcombe's hybrid score interval of p_b - p_a holds 0."""
    low = math.hypot(b.rate - b.lower, a.upper - a.rate)
    high = math.hypot(b.upper - b.rate, a.rate - a.lower)
    return b.rate - a.rate - low <= 0 <= b.rate - a.rate + high


def stratified_row() -> Row:
    """Coverage of the Mantel-Haenszel difference where A met the harder cases."""
    draw = random.Random("stratified")
    found = [
        mantel_haenszel(Stratum(binomial(draw, a, p), a, binomial(draw, b, p - 0.1), b) for a, b, p in STRATA)
        for _ in range(1200)
    ]
    covered = share(one.lower <= 0.1 <= one.upper for one in found)
    instead = f"pooled sign wrong in {share(one.pooled < 0 for one in found):.0%}"
    return Row("`mantel_haenszel`", "4 strata, truth +.10", "coverage", covered, ">= .93", instead)


def wald(successes: list[int], trials: list[int]) -> Interval:
    """Return the Wald interval over pooled trials."""
    k, n = sum(successes), sum(trials)
    half = 1.96 * math.sqrt(k / n * (1 - k / n) / n)
    return Interval(k, n, k / n, k / n - half, k / n + half, n, len(trials))


def bootstrap(draw: random.Random, successes: list[int], trials: list[int]) -> Interval:
    """Return the percentile bootstrap interval that resamples sessions."""
    pairs = list(zip(successes, trials, strict=True))
    means = sorted(resampled(draw, pairs) for _ in range(300))
    return Interval(sum(successes), sum(trials), None, means[7], means[292], 0.0, len(trials))


def resampled(draw: random.Random, pairs: list[tuple[int, int]]) -> float:
    """Return the pooled rate of sessions drawn with replacement."""
    again = draw.choices(pairs, k=len(pairs))
    return sum(y for y, _ in again) / sum(m for _, m in again)
