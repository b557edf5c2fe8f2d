"""Ways of trying again compared under like conditions: pooled and stratified, side by side."""

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pipeline.fits.comparing import arms, compared
from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.strata import Stratum

if TYPE_CHECKING:
    import duckdb

BASELINE = "unchanged"
WAYS = ("after_fix", "after_other", "changed")
"""Kinds of reissues that are held against an unchanged one."""

Counts = Counter[tuple[tuple[str, ...], str, bool]]
"""Trials by stratum, kind and success."""

_COLUMNS = {
    "tool": "varchar",
    "error_code": "varchar",
    "kind": "varchar",
    "kind_k": "bigint",
    "kind_n": "bigint",
    "unchanged_k": "bigint",
    "unchanged_n": "bigint",
    "compared_kind_n": "bigint",
    "compared_unchanged_n": "bigint",
    "pooled_difference": "double",
    "difference": "double",
    "difference_lower": "double",
    "difference_upper": "double",
    "p_value": "double",
    "strata_count": "bigint",
    "is_reversed": "boolean",
    "is_enough": "boolean",
    "is_total": "boolean",
}
_QUERY = """
select
    tool, error_code, coalesce(model, ''), coalesce(tool_version, ''), coalesce(operation, ''), kind, is_success,
    count(*)
from core.strata_trials group by all order by all
"""


def compare_ways(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.strata_fits`: per tool, and per code, each way of trying again against the unchanged reissue.

    Columns: tool, error_code (null over all codes of a tool: is_total); kind; successes and trials of both, and trials
    in strata that hold both; the pooled and the Mantel-Haenszel difference with its 95 % interval; strata_count that
    hold both; whether the differences have opposite signs, and whether there is enough to speak of. Source:
    statistics 8.
    """
    codes: dict[tuple[str, str | None], Counts] = defaultdict(Counter)
    for tool, code, *conditions, kind, success, count in connection.execute(_QUERY).fetchall():
        codes[tool, code][tuple(conditions), kind, success] += count
        # over all codes of a tool the code is a condition too
        codes[tool, None][(*conditions, code), kind, success] += count
    keys = sorted(codes, key=lambda key: (key[0], key[1] or ""))
    rows = [(*key, *row, key[1] is None) for key in keys for row in _rows(codes[key])]
    write_table(connection, "core.strata_fits", _COLUMNS, rows)


def _rows(counts: Counts) -> list[tuple[object, ...]]:
    held = {kind for _, kind, _ in counts}
    return [_row(counts, kind) for kind in WAYS if kind in held and BASELINE in held]


def _row(counts: Counts, kind: str) -> tuple[object, ...]:
    conditions = sorted({stratum for stratum, _, _ in counts})
    strata = [Stratum(*_tally(counts, stratum, kind), *_tally(counts, stratum, BASELINE)) for stratum in conditions]
    held, found = arms(strata), compared(strata)
    differences = (found.pooled, found.stratified, found.lower, found.upper, found.p_value)
    return (kind, *held, *differences, found.compared, found.is_reversed, held.is_enough)


def _tally(counts: Counts, stratum: tuple[str, ...], kind: str) -> tuple[int, int]:
    """Return successes and trials of one way under one condition."""
    successes = counts[stratum, kind, True]
    return successes, successes + counts[stratum, kind, False]
