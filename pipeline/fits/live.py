"""What is proven under continuous looking: e-values per code and version, and alarms over all codes."""

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.live import ALPHA, log_e_above, log_e_below, running_bounds
from pipeline.statistics.multiplicity import e_bh

if TYPE_CHECKING:
    import duckdb

_COLUMNS = {
    "tool": "varchar",
    "error_code": "varchar",
    "declared_class": "varchar",
    "tool_version": "varchar",
    "trial_count": "bigint",
    "success_count": "bigint",
    "threshold": "double",
    "log_e": "double",
    "running_lower": "double",
    "running_upper": "double",
    "is_current": "boolean",
    "is_alarm": "boolean",
}
_QUERY = """
select tool, error_code, declared_class, tool_version, count(*), count(*) filter (where is_success), max(order_ns)
from core.live_trials group by all order by all
"""


class Watched(NamedTuple):
    """The evidence on one code in one version of its tool."""

    tool: str
    error_code: str
    declared_class: str
    tool_version: str
    trials: int
    successes: int
    last_ns: int


def watch_codes(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.live_fits`: per code, class and tool version the evidence against the declared class.

    Columns: the code and version; trials and successes since that version began; threshold (a transient code is held
    against `tau_low`, others against `tau_high`); log_e, the log e-value against the class; running_lower and
    running_upper, the rates not excluded at any look; is_current (the tool's latest version); is_alarm (among the
    current ones, by e-BH at 5 %). Source: statistics 4.
    """
    watched = [Watched(*row) for row in connection.execute(_QUERY).fetchall()]
    latest: dict[str, tuple[int, str]] = defaultdict(lambda: (-1, ""))
    for one in watched:
        latest[one.tool] = max(latest[one.tool], (one.last_ns, one.tool_version))
    current = [one for one in watched if latest[one.tool][1] == one.tool_version]
    alarms = e_bh([_log_e(one, parameters) for one in current], alpha=ALPHA)
    alarming = {one for one, is_alarm in zip(current, alarms, strict=True) if is_alarm}
    rows = [_row(one, parameters, one in alarming, latest[one.tool][1] == one.tool_version) for one in watched]
    write_table(connection, "core.live_fits", _COLUMNS, rows)


def _row(one: Watched, parameters: Parameters, is_alarm: bool, is_current: bool) -> tuple[object, ...]:
    bounds = running_bounds(one.successes, one.trials)
    log_e = _log_e(one, parameters)
    shown = None if log_e == float("-inf") else log_e
    counts = (one.trials, one.successes, _threshold(one, parameters))
    return (*one[:4], *counts, shown, bounds.lower, bounds.upper, is_current, is_alarm)


def _threshold(one: Watched, parameters: Parameters) -> float:
    return parameters.tau_low if one.declared_class == "transient" else parameters.tau_high


def _log_e(one: Watched, parameters: Parameters) -> float:
    against = log_e_below if one.declared_class == "transient" else log_e_above
    return against(one.successes, one.trials, _threshold(one, parameters))
