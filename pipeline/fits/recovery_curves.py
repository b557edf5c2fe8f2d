"""Time to recovery where agents give up and logs stop: Aalen-Johansen curves per code, over calls and over time."""

from collections import defaultdict
from typing import TYPE_CHECKING

from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.survival import Ending, cumulative_incidence, recovered_by

if TYPE_CHECKING:
    import duckdb

Key = tuple[str, str, str]
"""(tool, error_code, declared_class)"""
Clock = tuple[list[int], list[Ending]]
"""Times and endings of the episodes of one code."""

HORIZONS = {"calls": 3, "ms": 5 * 60 * 1000}
"""Three further calls; five minutes."""
_ENDINGS = {"recovered": Ending.RECOVERED, "lost": Ending.LOST, "censored": Ending.CENSORED}
_CODE = {"tool": "varchar", "error_code": "varchar", "declared_class": "varchar", "clock": "varchar"}
_POINTS = _CODE | {
    "time": "bigint",
    "at_risk_count": "bigint",
    "recovered_count": "bigint",
    "lost_count": "bigint",
    "incidence": "double",
    "variance": "double",
}
_SUMS = _CODE | {
    "horizon": "bigint",
    "episode_count": "bigint",
    "recovered_count": "bigint",
    "censored_count": "bigint",
    "recovered_rate": "double",
    "rate_lower": "double",
    "rate_upper": "double",
    "if_censored_lost": "double",
    "if_censored_recovered": "double",
}
# one episode a session: those of a session that loops are alike
_QUERY = """
select tool, error_code, declared_class, ending, further_call_count, observed_ms
from core.recovery_times where is_first_of_session and error_code is not null order by all
"""


def trace_recoveries(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.recovery_points`: the curve of each code, one row per time with an event.

    Columns: the code, clock (`calls` or `ms`), time in that unit, episodes still open just before it (at_risk_count),
    recovered_count and lost_count at it, incidence (recovered by then, 0..1) and its variance. Source: statistics 5.
    """
    rows = [
        (*key, clock, *step)
        for key, clock, (times, endings) in _clocks(connection)
        for step in cumulative_incidence(times, endings)
    ]
    write_table(connection, "core.recovery_points", _POINTS, rows)


def sum_recoveries(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.recovery_fits`: what share of each code's episodes has recovered by the horizon of each clock.

    Columns: the code, clock and horizon; episode_count, recovered_count and censored_count by then; the cumulative
    incidence with its 95 % interval; the share if every censored episode were lost, or had recovered. Source:
    statistics 5.
    """
    rows = []
    for key, clock, (times, endings) in _clocks(connection):
        by = recovered_by(times, endings, HORIZONS[clock])
        counts = (by.n, by.recovered, by.censored)
        rows.append((*key, clock, HORIZONS[clock], *counts, by.rate, by.lower, by.upper, by.least, by.most))
    write_table(connection, "core.recovery_fits", _SUMS, rows)


def _clocks(connection: "duckdb.DuckDBPyConnection") -> list[tuple[Key, str, Clock]]:
    found: dict[tuple[Key, str], Clock] = defaultdict(lambda: ([], []))
    for tool, code, kind, ending, calls, spent_ms in connection.execute(_QUERY).fetchall():
        # an episode without times still has its calls
        for clock, time in (("calls", calls), ("ms", spent_ms)):
            if time is not None:
                times, endings = found[(tool, code, kind), clock]
                times.append(time)
                endings.append(_ENDINGS[ending])
    return [(key, clock, found[key, clock]) for key, clock in sorted(found)]
