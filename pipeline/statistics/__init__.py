"""The statistics of recoup: values in, values out, no store and no dependency; docs/statistics.md explains them."""

from pipeline.statistics.differences import Difference, difference, sessions_for_difference
from pipeline.statistics.intervals import (
    Interval,
    interval,
    needed_to_exclude,
    samples_needed,
    session_interval,
    wilson,
)
from pipeline.statistics.live import (
    RunningBounds,
    log_e_above,
    log_e_below,
    log_e_value,
    proven_above,
    proven_below,
    running_bounds,
)
from pipeline.statistics.mixture import Flags, Mixture, bayesian_fdr, fit_mixture
from pipeline.statistics.multiplicity import benjamini_hochberg, e_bh
from pipeline.statistics.purity import (
    GTest,
    SharedInformation,
    entropy,
    g_test,
    permutation_p_value,
    shared_information,
)
from pipeline.statistics.reissues import Hazard, Reach, hazards, r3
from pipeline.statistics.strata import SelectionBounds, Stratified, Stratum, mantel_haenszel, selection_bounds
from pipeline.statistics.survival import Ending, Recovered, Step, cumulative_incidence, recovered_by
from pipeline.statistics.waits import (
    Point,
    Wait,
    WaitVerdict,
    isotonic,
    judge_wait,
    recommended_wait,
    success_by_delay,
)
from pipeline.statistics.waste import Spread, share_time, spread

__all__ = [
    "Difference",
    "Ending",
    "Flags",
    "GTest",
    "Hazard",
    "Interval",
    "Mixture",
    "Point",
    "Reach",
    "Recovered",
    "RunningBounds",
    "SelectionBounds",
    "SharedInformation",
    "Spread",
    "Step",
    "Stratified",
    "Stratum",
    "Wait",
    "WaitVerdict",
    "bayesian_fdr",
    "benjamini_hochberg",
    "cumulative_incidence",
    "difference",
    "e_bh",
    "entropy",
    "fit_mixture",
    "g_test",
    "hazards",
    "interval",
    "isotonic",
    "judge_wait",
    "log_e_above",
    "log_e_below",
    "log_e_value",
    "mantel_haenszel",
    "needed_to_exclude",
    "permutation_p_value",
    "proven_above",
    "proven_below",
    "r3",
    "recommended_wait",
    "recovered_by",
    "running_bounds",
    "samples_needed",
    "selection_bounds",
    "session_interval",
    "sessions_for_difference",
    "share_time",
    "shared_information",
    "spread",
    "success_by_delay",
    "wilson",
]
