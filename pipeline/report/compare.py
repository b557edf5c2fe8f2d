"""Two groups of sessions side by side: differences with intervals, the shift of the mix, and a placebo check."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipeline.report.groups import By, Group, Pair, Row, pair
from pipeline.report.plain import plain
from pipeline.statistics.differences import Difference, difference, sessions_for_difference
from pipeline.statistics.intervals import Interval
from pipeline.statistics.multiplicity import benjamini_hochberg
from pipeline.statistics.strata import Stratum, mantel_haenszel

if TYPE_CHECKING:
    import duckdb

MEASURES = {"error": "attempt", "recovery": "episode", "fair_reissue": "session", "compliance": "decision"}
"""What is compared, and what weighs one in it."""
SEEN_POINTS = 0.1
"""The difference for which the trials needed are stated."""
_SHIFTS = 5
_FALSE_DISCOVERIES = 0.05


def comparison(
    connection: "duckdb.DuckDBPyConnection",
    a: str,
    b: str,
    *,
    by: By | None = None,
    tool: str | None = None,
    code: str | None = None,
) -> dict[str, Any]:
    """Return what differs between the sessions of A and of B, as JSON values; arguments as `groups.pair`.

    For each measure: both rates with their clustered intervals, B - A with its 95 % interval (cluster t), the same
    within tool, operation and code (Mantel-Haenszel), the rest of it being the shift of the mix, and a reading:
    `higher`, `lower`, `no evidence of a difference` or `nothing to compare`. For periods also a placebo: the same
    difference between the two halves of A. Codes are compared by their first fair reissues, adjusted over all codes.

    Raises:
        RecoupError: as `groups.pair`.
    """
    sides = pair(connection, a, b, by=by, tool=tool, code=code)
    measures = [_measure(sides, name) for name in MEASURES]
    found: dict[str, Any] = plain(
        {
            "by": sides.by,
            "a": _side(sides.a),
            "b": _side(sides.b),
            "mixed_sessions": sides.mixed_sessions,
            "tool": tool,
            "code": code,
            "measures": [measure for measure in measures if measure["a"]["n"] or measure["b"]["n"]],
            "mix": _mix(sides),
            "codes": _codes(sides),
        }
    )
    return found


def _side(group: Group) -> dict[str, Any]:
    begun = [row.started_at for row in group.rows if row.started_at]
    return {
        "name": group.name,
        "sessions": len(group.sessions),
        "first_at": min(begun, default=None),
        "last_at": max(begun, default=None),
    }


def _measure(sides: Pair, name: str) -> dict[str, Any]:
    a, b = ([row for row in group.rows if row.measure == name] for group in (sides.a, sides.b))
    found = _difference(a, b)
    within = _within(a, b)
    has_both = found.difference is not None and within is not None
    return {
        "measure": name,
        "weighting": MEASURES[name],
        **_shown(found),
        "reading": _reading(found),
        "like_for_like": within,
        "mix_shift": (found.difference or 0) - within if has_both and within is not None else None,
        "trials_needed": _needed(found.a),
        "placebo": _placebo(a) if sides.by == "period" else None,
    }


def _shown(found: Difference) -> dict[str, Any]:
    return {
        "a": _rate(found.a),
        "b": _rate(found.b),
        "difference": found.difference,
        "lower": found.lower,
        "upper": found.upper,
        "p_value": found.p_value,
    }


def _reading(found: Difference) -> str:
    if found.difference is None:
        return "nothing to compare"
    if not found.is_distinguishable:
        return "no evidence of a difference"
    return "higher" if found.difference > 0 else "lower"


def _rate(group: Interval) -> dict[str, Any]:
    return {
        "k": group.k,
        "n": group.n,
        "value": group.rate,
        "lower": group.lower,
        "upper": group.upper,
        "sessions": group.sessions,
    }


def _difference(a: Sequence[Row], b: Sequence[Row]) -> Difference:
    return difference(*_per_session(a), *_per_session(b))


def _per_session(rows: Sequence[Row]) -> tuple[list[int], list[int]]:
    successes: Counter[str] = Counter()
    trials: Counter[str] = Counter()
    for row in rows:
        successes[row.session_id] += row.successes
        trials[row.session_id] += row.trials
    return [successes[session] for session in trials], list(trials.values())


def _within(a: Sequence[Row], b: Sequence[Row]) -> float | None:
    """Return B - A within tool, operation and code; None where no condition holds both."""
    counts: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for place, rows in ((2, a), (0, b)):
        for row in rows:
            counts[row.stratum][place] += row.successes
            counts[row.stratum][place + 1] += row.trials
    return mantel_haenszel(Stratum(*counts[stratum]) for stratum in sorted(counts)).stratified


def _needed(group: Interval) -> int | None:
    """Return the trials a side that show a change of `SEEN_POINTS`, at the likeness of the trials of a session seen."""
    if group.rate is None or not group.effective_n:
        return None
    other = group.rate + (SEEN_POINTS if group.rate < 0.5 else -SEEN_POINTS)
    return sessions_for_difference(group.rate, other, design_effect=max(1.0, group.n / group.effective_n))


def _placebo(rows: Sequence[Row]) -> dict[str, Any] | None:
    """Return the difference between the halves of one period: a cut where nothing happened."""
    began = {row.session_id: row.started_at for row in rows if row.started_at}
    order = sorted(began, key=lambda session: (str(began[session]), session))
    early = set(order[: len(order) // 2])
    found = _difference(
        [row for row in rows if row.session_id in early],
        [row for row in rows if row.session_id in began and row.session_id not in early],
    )
    if found.difference is None:
        return None
    is_moving = found.is_distinguishable
    return {"difference": found.difference, "lower": found.lower, "upper": found.upper, "is_moving": is_moving}


def _mix(sides: Pair) -> dict[str, Any]:
    """Return how differently the attempts of both sides spread over operations: 0 alike, 1 nothing in common."""
    shares = [_shares(group) for group in (sides.a, sides.b)]
    operations = sorted({*shares[0], *shares[1]})
    shifts = [(name, shares[0].get(name, 0.0), shares[1].get(name, 0.0)) for name in operations]
    largest = sorted(shifts, key=lambda shift: (-abs(shift[2] - shift[1]), shift[0]))[:_SHIFTS]
    return {
        "distance": sum(abs(after - before) for _, before, after in shifts) / 2,
        "shifts": [{"operation": name, "a": before, "b": after} for name, before, after in largest if before != after],
    }


def _shares(group: Group) -> dict[str, float]:
    counts: Counter[str] = Counter()
    for row in group.rows:
        if row.measure == "error":
            counts[row.stratum[1] or row.stratum[0]] += row.trials
    total = sum(counts.values())
    return {name: count / total for name, count in counts.items()}


def _codes(sides: Pair) -> list[dict[str, Any]]:
    """Return the codes that both sides reissued fairly, the clearest difference first."""
    groups: dict[tuple[str, str], tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for place, group in enumerate((sides.a, sides.b)):
        for row in group.rows:
            if row.measure == "fair_reissue":
                groups[row.stratum[0], row.stratum[2]][place].append(row)
    both = {key: _difference(*rows) for key, rows in sorted(groups.items()) if all(rows)}
    adjusted = benjamini_hochberg([found.p_value for found in both.values()])
    codes = [
        {
            "tool": tool,
            "error_code": code,
            **_shown(found),
            "adjusted_p_value": p_value,
            "reading": _reading(found) if p_value <= _FALSE_DISCOVERIES else "no evidence of a difference",
        }
        for ((tool, code), found), p_value in zip(both.items(), adjusted, strict=True)
    ]
    return sorted(codes, key=lambda row: (row["adjusted_p_value"], row["p_value"], row["tool"], row["error_code"]))
