"""The few statistics SQL cannot do: each file reads models and writes one table; `FITS` lists them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pipeline.fits.code_purity import split_codes
from pipeline.fits.fix_effects import compare_fixes
from pipeline.fits.live import watch_codes
from pipeline.fits.quantiles import write_quantiles
from pipeline.fits.recovery_curves import sum_recoveries, trace_recoveries
from pipeline.fits.retries import fit_retries
from pipeline.fits.strata import compare_ways
from pipeline.fits.wait_calibration import calibrate_waits
from pipeline.fits.waste_shares import share_waste
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

Fit = Callable[["duckdb.DuckDBPyConnection", Parameters], None]

FITS: dict[str, Fit] = {
    "core.retry_fits": fit_retries,
    "core.waste_shares": share_waste,
    "core.wait_fits": calibrate_waits,
    "core.fix_fits": compare_fixes,
    "core.purity_fits": split_codes,
    "core.strata_fits": compare_ways,
    "core.live_fits": watch_codes,
    "core.recovery_points": trace_recoveries,
    "core.recovery_fits": sum_recoveries,
}
"""Models that are computed in Python, by the table they write."""

__all__ = ["FITS", "Fit", "write_quantiles"]
