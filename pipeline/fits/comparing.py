"""Two arms compared under like conditions, with an interval that has a width."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from pipeline.statistics.differences import difference
from pipeline.statistics.strata import Stratified, Stratum, mantel_haenszel

LEAST = 5
"""Comparable sessions in each arm below which nothing is said."""


class Arms(NamedTuple):
    """Successes and trials of both arms, in all and under conditions that both met."""

    successes_a: int
    trials_a: int
    successes_b: int
    trials_b: int
    compared_a: int
    compared_b: int

    @property
    def is_enough(self) -> bool:
        """Whether each arm has `LEAST` comparable sessions."""
        return min(self.compared_a, self.compared_b) >= LEAST


def arms(strata: Sequence[Stratum]) -> Arms:
    """Return the counts of both arms; one trial a session."""
    shared = [stratum for stratum in strata if stratum.trials_a and stratum.trials_b]
    return Arms(
        sum(stratum.successes_a for stratum in strata),
        sum(stratum.trials_a for stratum in strata),
        sum(stratum.successes_b for stratum in strata),
        sum(stratum.trials_b for stratum in strata),
        sum(stratum.trials_a for stratum in shared),
        sum(stratum.trials_b for stratum in shared),
    )


def compared(strata: Sequence[Stratum]) -> Stratified:
    """Return the stratified difference of A over B, one trial a session.

    Where all of one arm worked and none of the other, its Mantel-Haenszel variance is zero, as if three of three
    against none of three were certainty: the interval is then that of `difference`.
    """
    found = mantel_haenszel(strata)
    if found.stratified is None or found.upper > found.lower:
        return found
    counts = arms([stratum for stratum in strata if stratum.trials_a and stratum.trials_b])
    a, b = _trials(counts.successes_a, counts.trials_a), _trials(counts.successes_b, counts.trials_b)
    plain = difference(*b, *a)
    return replace(found, lower=plain.lower, upper=plain.upper, p_value=plain.p_value)


def _trials(successes: int, trials: int) -> tuple[list[int], list[int]]:
    return [1] * successes + [0] * (trials - successes), [1] * trials
