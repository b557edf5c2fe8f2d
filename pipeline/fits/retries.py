"""Whether repeating a call helps: the mixture over all codes, and the chance within three reissues."""

from collections import defaultdict
from typing import TYPE_CHECKING

from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.mixture import bayesian_fdr, fit_mixture
from pipeline.statistics.reissues import hazards, r3

if TYPE_CHECKING:
    import duckdb

Key = tuple[str, str, str]
"""(tool, error_code, declared_class)"""

FALSE_DISCOVERY_RATE = 0.05
_COLUMNS = {
    "tool": "varchar",
    "error_code": "varchar",
    "declared_class": "varchar",
    "permanent_probability": "double",
    "is_permanent": "boolean",
    "r3": "double",
    "r3_lower": "double",
    "r3_upper": "double",
}
_QUERY = """
select tool, error_code, declared_class, reissue_count, is_recovered, is_first_success
from core.retry_chains order by all
"""


def fit_retries(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.retry_fits`: per code the chance that repeating helps, and whether it looks permanent.

    Columns: tool, error_code, declared_class, permanent_probability (posterior of the two-component mixture),
    is_permanent (inside the Bayesian-FDR set of 5 %), r3 (chance of a success within three fair reissues) with r3_lower
    and r3_upper (one-sided 95 % each). Source: definitions 6, statistics 2 and 5.
    """
    chains: dict[Key, list[tuple[int, bool, bool]]] = defaultdict(list)
    for tool, code, kind, count, recovered, first in connection.execute(_QUERY).fetchall():
        chains[tool, code, kind].append((count, recovered, first))
    write_table(connection, "core.retry_fits", _COLUMNS, _rows(chains) if chains else [])


def _rows(chains: dict[Key, list[tuple[int, bool, bool]]]) -> list[tuple[object, ...]]:
    keys = sorted(chains)
    successes = [sum(first for _, _, first in chains[key]) for key in keys]
    trials = [len(chains[key]) for key in keys]
    mixture = fit_mixture(successes, trials)
    flags = bayesian_fdr(mixture.posteriors, rate=FALSE_DISCOVERY_RATE)
    rows: list[tuple[object, ...]] = []
    for position, key in enumerate(keys):
        steps = hazards([count for count, _, _ in chains[key]], [done for _, done, _ in chains[key]])
        # two-sided 90 % bounds: the upper one is the one-sided 95 % bound that zero of 59 sessions brings below 5 %
        reach = r3(steps, confidence=0.90)
        rows.append((*key, mixture.posteriors[position], flags.flagged[position], reach.rate, reach.lower, reach.upper))
    return rows
