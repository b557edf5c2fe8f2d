"""Whether one code hides several errors: what message, operation or exit code tell about how a failure ends."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from pipeline.fits.tables import write_table
from pipeline.parameters import Parameters
from pipeline.statistics.multiplicity import benjamini_hochberg
from pipeline.statistics.purity import entropy, g_test, permutation_p_value, shared_information

if TYPE_CHECKING:
    import duckdb

Key = tuple[str, str, str]
"""(tool, error_code, declared_class)"""

FACETS = ("template", "operation", "exit_code")
_WORTH_TESTING = 0.05
"""The G-test finds too much where cells are small; what it lets pass is tested by permutation."""
_COLUMNS = {
    "tool": "varchar",
    "error_code": "varchar",
    "declared_class": "varchar",
    "entropy": "double",
    "facet": "varchar",
    "information": "double",
    "by_chance": "double",
    "p_value": "double",
    "adjusted_p_value": "double",
}
_QUERY = """
select tool, error_code, declared_class, behaviour, template, coalesce(operation, ''), coalesce(exit_code::varchar, '')
from core.behaviours order by all
"""


class Split(NamedTuple):
    """The facet that tells most about how the failures of one code end."""

    entropy: float
    facet: str | None = None
    information: float | None = None
    by_chance: float | None = None
    p_value: float | None = None
    """Of the best of all facets; None where no facet tells more than chance."""


def split_codes(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Write `core.purity_fits`: per code the entropy of its behaviours and the facet that tells most about them.

    Columns: the code; entropy in bits; facet (`template`, `operation` or `exit_code`), its mutual information with the
    behaviour and the mean of that over all permutations, in bits; the permutation p-value of the best facet (times the
    number of facets) and the same adjusted over all codes. Source: definitions 12, statistics 9.
    """
    codes: dict[Key, list[tuple[str, ...]]] = defaultdict(list)
    for tool, code, kind, *rest in connection.execute(_QUERY).fetchall():
        codes[tool, code, kind].append(tuple(rest))
    keys = sorted(codes)
    splits = [_split(codes[key]) for key in keys]
    tested = [split.p_value for split in splits if split.p_value is not None]
    adjusted = iter(benjamini_hochberg(tested))
    rows = [
        (*key, *split, None if split.p_value is None else next(adjusted))
        for key, split in zip(keys, splits, strict=True)
    ]
    write_table(connection, "core.purity_fits", _COLUMNS, rows)


def _split(failures: list[tuple[str, ...]]) -> Split:
    behaviours = [failure[0] for failure in failures]
    mixed = entropy(Counter(behaviours).values())
    facets = {name: [failure[place] for failure in failures] for place, name in enumerate(FACETS, start=1)}
    useful = {name: values for name, values in facets.items() if len(set(values)) > 1}
    if mixed == 0 or not useful:
        return Split(mixed)
    shared = {name: shared_information(values, behaviours) for name, values in useful.items()}
    best = max(shared, key=lambda name: shared[name].excess)
    found = shared[best]
    p_value = min(1.0, len(useful) * _p_value(useful[best], behaviours)) if found.excess > 0 else None
    return Split(mixed, best, found.observed, found.by_chance, p_value)


def _p_value(facets: Sequence[str], behaviours: Sequence[str]) -> float:
    counts = Counter(zip(facets, behaviours, strict=True))
    kinds = sorted(set(behaviours))
    rough = g_test([[counts[facet, kind] for kind in kinds] for facet in sorted(set(facets))]).p_value
    return permutation_p_value(facets, behaviours) if rough < _WORTH_TESTING else max(rough, _WORTH_TESTING)
