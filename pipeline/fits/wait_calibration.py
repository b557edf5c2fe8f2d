"""Declared waits held against what was seen: success as a rising function of the delay."""

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.waits import LEAST, judge_wait, recommended_wait

if TYPE_CHECKING:
    import duckdb

_COLUMNS = {
    "tool": "varchar",
    "error_code": "varchar",
    "declared_class": "varchar",
    "declared_ms": "bigint",
    "look_count": "bigint",
    "declared_k": "bigint",
    "declared_n": "bigint",
    "declared_lower": "double",
    "declared_upper": "double",
    "early_k": "bigint",
    "early_n": "bigint",
    "early_lower": "double",
    "early_upper": "double",
    "reached_ratio": "double",
    "recommended_ratio": "double",
    "recommended_ms": "bigint",
    "recommended_k": "bigint",
    "recommended_n": "bigint",
    "is_too_short": "boolean",
    "is_too_long": "boolean",
    "is_total": "boolean",
}
_QUERY = """
select tool, error_code, declared_class, declared_ms, delay_ms, is_success from core.wait_looks order by all
"""

Key = tuple[str, str, str]
"""(tool, error_code, declared_class)"""


class Look(NamedTuple):
    """One reissue after a declared wait."""

    declared_ms: int
    delay_ms: int
    success: bool


def calibrate_waits(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.wait_fits`: per code, and per declared wait where a code declares several, what its reissues say.

    Columns: the code; declared_ms (null over several waits); success at 1 to 1.5 times the wait (declared_*) and below
    half of it (early_*); reached_ratio (where later waits reach 80 %); the recommended wait as a share of the declared
    one and, for one wait, in milliseconds, never outside the observed delays, with the success from there on; verdicts.
    Source: definitions 6, statistics 6.
    """
    codes: dict[Key, list[Look]] = defaultdict(list)
    for tool, code, kind, *look in connection.execute(_QUERY).fetchall():
        codes[tool, code, kind].append(Look(*look))
    rows = [row for key in sorted(codes) for row in _rows(key, codes[key])]
    write_table(connection, "core.wait_fits", _COLUMNS, rows)


def _rows(key: Key, looks: list[Look]) -> list[tuple[object, ...]]:
    waits = sorted({look.declared_ms for look in looks})
    if len(waits) == 1:
        return [_row(key, waits[0], looks, is_total=True)]
    strata = [[look for look in looks if look.declared_ms == wait] for wait in waits]
    each = [_row(key, s[0].declared_ms, s, is_total=False) for s in strata if len(s) >= LEAST]
    return [_row(key, None, looks, is_total=True), *each]


def _row(key: Key, declared_ms: int | None, looks: list[Look], *, is_total: bool) -> tuple[object, ...]:
    successes = [look.success for look in looks]
    judged = judge_wait([look.delay_ms for look in looks], successes, [look.declared_ms for look in looks])
    # waits steer delays, so several waits are laid over each other as shares of the declared one
    ratios = [look.delay_ms / look.declared_ms for look in looks]
    wait = recommended_wait(ratios, successes)
    in_time = None if wait.delay is None or declared_ms is None else round(wait.delay * declared_ms)
    return (
        *key,
        declared_ms,
        len(looks),
        judged.at_declared.k,
        judged.at_declared.n,
        judged.at_declared.lower,
        judged.at_declared.upper,
        judged.early.k,
        judged.early.n,
        judged.early.lower,
        judged.early.upper,
        judged.reaches,
        wait.delay,
        in_time,
        wait.evidence.k,
        wait.evidence.n,
        judged.too_short,
        judged.too_long,
        is_total,
    )
