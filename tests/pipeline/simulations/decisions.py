"""Decisions: wrong flags, false alarms, and the wait that is recommended."""

import math
import random
import statistics
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from pipeline.statistics import (
    bayesian_fdr,
    benjamini_hochberg,
    e_bh,
    fit_mixture,
    log_e_below,
    proven_above,
    proven_below,
    recommended_wait,
    wilson,
)
from tests.pipeline.simulations.draws import Row, binomial, covers, geometric, share

Rate = Callable[[random.Random], float]


@lru_cache
def mixture_rows() -> tuple[Row, ...]:
    """False discoveries and power of the flags over 300 codes: in the main cell, and where the model is wrong."""

    def others(a: float, b: float) -> Rate:
        return lambda draw: draw.betavariate(a, b)

    permanent = others(0.5, 49.5)
    return (
        *mixture_cell("main cell: others Beta(7, 3)", others(7, 3), permanent, power=">= .85"),
        *mixture_cell("permanent codes never succeed", others(7, 3), lambda _: 0.0, power=">= .85"),
        *mixture_cell("others all at .6", lambda _: 0.6, permanent, power=">= .85"),
        *mixture_cell("others of two kinds, .2 and .9", lambda draw: draw.choice((0.2, 0.9)), permanent),
        *mixture_cell("others rarely succeed, Beta(1, 3)", others(1, 3), permanent),
        *mixture_cell("no code is permanent", others(7, 3), permanent, part=0.0),
    )


def mixture_cell(name: str, other: Rate, permanent: Rate, *, part: float = 0.3, power: str = "") -> Iterator[Row]:
    """Yield the mean share of wrong flags and the mean share of permanent codes found."""
    draw, found, common = random.Random(f"mixture {name}"), [], []
    for _ in range(50):
        truth = [draw.random() < part for _ in range(300)]
        trials = [geometric(draw, 14) for _ in truth]
        rates = [permanent(draw) if bad else other(draw) for bad in truth]
        successes = [binomial(draw, n, p) for n, p in zip(trials, rates, strict=True)]
        flags = bayesian_fdr(fit_mixture(successes, trials).posteriors).flagged
        hits = hit_count(flags, truth)
        found.append(((sum(flags) - hits) / max(1, sum(flags)), hits / max(1, sum(truth))))
        tested = [
            p <= 0.05
            for p in benjamini_hochberg([binomial_tail(*pair) for pair in zip(successes, trials, strict=True)])
        ]
        common.append(hit_count(tested, truth) / max(1, sum(truth)))
    setting = f"{name}; 300 codes, 14 trials on average, {part:.0%} permanent"
    wrong, hit = (statistics.mean(column) for column in zip(*found, strict=True))
    yield Row("`fit_mixture`, `bayesian_fdr`", setting, "wrong flags", wrong, "<= .07")
    if part:
        instead = f"Benjamini-Hochberg {statistics.mean(common):.2f}"
        yield Row("`fit_mixture`, `bayesian_fdr`", setting, "power", hit, power, instead)


def hit_count(flags: Iterable[bool], truth: list[bool]) -> int:
    """Return the flags that are right."""
    return sum(flag and bad for flag, bad in zip(flags, truth, strict=True))


def binomial_tail(successes: int, trials: int) -> float:
    """Return the exact p-value of "the rate is 20 % or more"."""
    return sum(math.comb(trials, k) * 0.2**k * 0.8 ** (trials - k) for k in range(successes + 1))


@lru_cache
def live_rows() -> tuple[Row, ...]:
    """Share of monitors that ever raise a false alarm while they look after each of 400 trials."""
    return (*(live_row(rate) for rate in (0.05, 0.2, 0.5)), family_row())


def live_row(rate: float) -> Row:
    """False alarms on either side at the true rate itself, the hardest case."""
    draw = random.Random(f"live {rate}")
    paths = [[draw.random() < rate for _ in range(400)] for _ in range(1200)]
    alarms = share(ever(path, lambda k, n: proven_below(k, n, rate) or proven_above(k, n, rate)) for path in paths)
    peeked = share(ever(path, lambda k, n: not covers(wilson(k, n), rate)) for path in paths[:400])
    setting = f"p = {rate}, 400 looks, both sides"
    return Row("`proven_below`, `proven_above`", setting, "false alarms", alarms, "<= .05", f"Wilson {peeked:.2f}")


def ever(path: list[bool], alarm: Callable[[int, int], bool]) -> bool:
    """Return whether the alarm rings after any trial of the path."""
    k = 0
    for n, success in enumerate(path, start=1):
        k += success
        if alarm(k, n):
            return True
    return False


def family_row() -> Row:
    """Wrong alarms among all alarms ever raised over 60 codes, of which 40 sit exactly at the limit."""
    draw, wrong = random.Random("family"), []
    for _ in range(60):
        counts, alarmed = [0] * 60, set()
        for n in range(1, 201):
            counts = [k + (draw.random() < (0.2 if i < 40 else 0.02)) for i, k in enumerate(counts)]
            if n % 5 == 0:
                alarmed |= {i for i, alarm in enumerate(e_bh([log_e_below(k, n, 0.2) for k in counts])) if alarm}
        wrong.append(sum(i < 40 for i in alarmed) / max(1, len(alarmed)))
    setting = "60 codes, 40 at the limit p = 0.2, 40 looks, alarms kept"
    return Row("`e_bh`", setting, "wrong alarms", statistics.mean(wrong), "<= .05")


@lru_cache
def wait_rows() -> tuple[Row, ...]:
    """The cause clears after 0 to 30 s, so 27 s is the wait after which 90 % succeed."""
    return tuple(wait_row(per_delay) for per_delay in (30, 100))


def wait_row(per_delay: int) -> Row:
    """Share of calibrations within one grid step of the truth."""
    draw, found, naive = random.Random(f"waits {per_delay}"), [], []
    for _ in range(300):
        delays = [delay for delay in range(3, 31, 3) for _ in range(per_delay)]
        successes = [draw.uniform(0, 30) <= delay for delay in delays]
        found.append(recommended_wait(delays, successes).delay)
        naive.append(statistics.median(delay for delay, ok in zip(delays, successes, strict=True) if ok))
    near = share(delay is not None and abs(delay - 27) <= 3 for delay in found)
    instead = f"median delay of successful retries {statistics.mean(naive):.0f} s"
    setting = f"truth 27 s, delays 3, 6, ..., 30 s, {per_delay} reissues each"
    return Row("`recommended_wait`", setting, "within one step", near, ">= .95", instead)
