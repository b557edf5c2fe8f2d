"""Shares of waste that add up: overlapping windows, and how much the largest episodes make."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Spread:
    """A cost over episodes; the mean alone hides that few episodes make most of it."""

    n: int
    total: float
    mean: float | None
    median: float | None
    top_share: float | None  # share of the total made by the top 1 % of episodes (at least one), 0..1


def share_time(windows: Sequence[tuple[int, int]]) -> list[int]:
    """Return the time charged to each recovery window, every instant shared 1/k among the k windows open.

    The charges are whole units and sum exactly to the length of the windows' union: units left
    over from a division go to the windows first in the input.

    Args:
        windows: (start, end) in whole milliseconds or nanoseconds, start <= end.

    Raises:
        ValueError: a window ends before it starts.
    """
    if any(end < start for start, end in windows):
        raise ValueError("a window ends before it starts")
    charges = [0] * len(windows)
    edges = sorted({edge for window in windows for edge in window})
    starts = sorted(range(len(windows)), key=lambda i: windows[i][0], reverse=True)
    active: list[int] = []
    for left, right in pairwise(edges):
        while starts and windows[starts[-1]][0] <= left:
            active.append(starts.pop())
        active = sorted(i for i in active if windows[i][1] > left)
        for position, i in enumerate(active):
            share, rest = divmod(right - left, len(active))
            charges[i] += share + (position < rest)
    return charges


def spread(values: Sequence[float]) -> Spread:
    """Return count, total, mean, median and the share of the top 1 % of a cost per episode.

    Args:
        values: >= 0, any unit.
    """
    total = math.fsum(values)
    if not values:
        return Spread(0, 0.0, None, None, None)
    top = math.fsum(sorted(values, reverse=True)[: math.ceil(len(values) / 100)])
    return Spread(
        len(values), total, total / len(values), statistics.median(values), top / total if total > 0 else None
    )
