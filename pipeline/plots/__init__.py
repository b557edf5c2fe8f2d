"""Figures over the public tables: each function takes a DataFrame and returns a chart that stands alone."""

from pipeline.plots.intervals import FAILED_LOOPS, FAIR_REISSUES, FIRST_REISSUES, Rate, interval_dots
from pipeline.plots.lanes import episode_lanes
from pipeline.plots.loops import closed_loop_matrix
from pipeline.plots.maturity import maturity_ladder
from pipeline.plots.recovery import CALLS, SECONDS, Clock, recovery_curve
from pipeline.plots.style import DARK, LIGHT, Chart, Palette, stylesheet
from pipeline.plots.svg import to_svg
from pipeline.plots.waits import wait_calibration

__all__ = [
    "CALLS",
    "DARK",
    "FAILED_LOOPS",
    "FAIR_REISSUES",
    "FIRST_REISSUES",
    "LIGHT",
    "SECONDS",
    "Chart",
    "Clock",
    "Palette",
    "Rate",
    "closed_loop_matrix",
    "episode_lanes",
    "interval_dots",
    "maturity_ladder",
    "recovery_curve",
    "stylesheet",
    "to_svg",
    "wait_calibration",
]
