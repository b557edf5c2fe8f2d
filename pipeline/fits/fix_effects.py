"""What a fix does beyond waiting: calls after it against calls after a similar delay without it."""

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from pipeline.fits.comparing import arms, compared
from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.strata import Stratum

if TYPE_CHECKING:
    import duckdb

Counts = Counter[tuple[tuple[str, int], bool, bool]]
"""Trials by (model, delay band), with the fix or without, and success."""

_COLUMNS = {
    "tool": "varchar",
    "error_code": "varchar",
    "fix_k": "bigint",
    "fix_n": "bigint",
    "none_k": "bigint",
    "none_n": "bigint",
    "compared_fix_n": "bigint",
    "compared_none_n": "bigint",
    "pooled_difference": "double",
    "difference": "double",
    "difference_lower": "double",
    "difference_upper": "double",
    "p_value": "double",
    "is_reversed": "boolean",
    "is_enough": "boolean",
}
_QUERY = """
select tool, error_code, coalesce(model, ''), delay_band, arm = 'fix', is_success
from core.fix_trials where is_command and delay_ms is not null order by all
"""


def compare_fixes(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.fix_fits`: per code with a fix command, the success of calls with the fix and without it.

    Columns: tool, error_code; successes and trials with (fix_k, fix_n) and without (none_k, none_n); trials in strata
    that hold both; the pooled difference and the Mantel-Haenszel difference by model and delay with its 95 % interval;
    whether the two differ in sign, and whether each arm has enough to speak of. Source: definitions 7, statistics 8.
    """
    codes: dict[tuple[str, str], Counts] = defaultdict(Counter)
    for tool, code, model, band, is_fixed, success in connection.execute(_QUERY).fetchall():
        codes[tool, code][(model, band), is_fixed, success] += 1
    write_table(connection, "core.fix_fits", _COLUMNS, [(*key, *_row(codes[key])) for key in sorted(codes)])


def _row(counts: Counts) -> tuple[object, ...]:
    strata = [
        Stratum(*_tally(counts, stratum, is_fixed=True), *_tally(counts, stratum, is_fixed=False))
        for stratum in sorted({stratum for stratum, _, _ in counts})
    ]
    held, found = arms(strata), compared(strata)
    differences = (found.pooled, found.stratified, found.lower, found.upper, found.p_value)
    return (*held, *differences, found.is_reversed, held.is_enough)


def _tally(counts: Counts, stratum: tuple[str, int], *, is_fixed: bool) -> tuple[int, int]:
    successes = counts[stratum, is_fixed, True]
    return successes, successes + counts[stratum, is_fixed, False]
