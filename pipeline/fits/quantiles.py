"""Student's t for intervals in SQL."""

from typing import TYPE_CHECKING

from pipeline.fits.tables import write_table
from pipeline.statistics.special import t_quantile

if TYPE_CHECKING:
    import duckdb

MAX_DEGREES = 400


def write_quantiles(connection: "duckdb.DuckDBPyConnection") -> None:
    """Write `meta.t_quantiles` (df, t): the 97.5 % point of Student's t that clustered intervals use in place of z."""
    rows = [(df, t_quantile(0.975, df)) for df in range(1, MAX_DEGREES + 1)]
    write_table(connection, "meta.t_quantiles", {"df": "integer", "t": "double"}, rows)
