"""What each plot shows of its table: numbers, intervals, what was left out, what cannot be told."""

import pandas as pd
import pytest

from pipeline import plots
from pipeline.plots.text import TIMES
from tests.pipeline.plot_frames import SHORT_WAIT, codes, episodes, fixes, looks, texts, timeline

# The recovery curve


def test_recovery_is_the_cumulative_incidence():
    """The worked example of the statistics: 5 of 10 recovered, cumulative incidence 77 %."""
    outcome = {0: "censored", 1: "recovered_unchanged", 2: "abandoned"}
    times, endings = (2, 3, 3, 5, 6, 8, 8, 10, 12, 15), (1, 0, 1, 2, 1, 0, 2, 1, 0, 1)
    frame = episodes("CODE", [(outcome[ending], time) for time, ending in zip(times, endings, strict=True)])

    chart = plots.recovery_curve(frame, clock=plots.SECONDS)

    assert "CODE: 5/10 recovered  77 %" in chart.description
    assert "3 cut off" in chart.description


def test_recovery_counts_calls_behind_the_first_failure():
    """An episode of two attempts recovers at the first further call."""
    chart = plots.recovery_curve(episodes("CODE", [("recovered_unchanged", 2)] * 5 + [("abandoned", 1)]))
    steps = [line.get_xdata() for line in chart.axes[0].lines]
    assert any(1.0 in list(xs) and 2.0 not in list(xs) for xs in steps)


def test_censoring_band():
    """What is cut off may have recovered: the band reaches from all lost to all recovered."""
    chart = plots.recovery_curve(episodes("CODE", [("censored", 1), ("censored", 1)]))
    [band] = chart.axes[0].collections
    heights = band.get_paths()[0].vertices[:, 1]
    assert (heights.min(), heights.max()) == (0.0, 1.0)


def test_one_code_of_two_tools_is_two_panels():
    """A code is a tool's own: the same name from another tool is never pooled."""
    frame = pd.concat([episodes("BUSY", tool="a"), episodes("BUSY", tool="b")])
    assert {"BUSY a", "BUSY b"} <= set(texts(plots.recovery_curve(frame)))
    with pytest.raises(ValueError, match="several tools emit 'BUSY'"):
        plots.wait_calibration(pd.concat([looks("BUSY", tool="a"), looks("BUSY", tool="b")]), "BUSY")


def test_chosen_codes_keep_their_order():
    """Codes are shown as asked for; the others stay in the curve of all."""
    frame = pd.concat([episodes(code) for code in ("A", "B", "C")])
    written = texts(plots.recovery_curve(frame, codes=["C", "A"]))
    assert [text for text in written if text in ("A", "B", "C")] == ["C", "A"]
    assert "2 of 3 codes shown." in written


# Waits


def test_recommended_wait_lies_inside_what_was_seen():
    """Ten of ten after 80 s and none of six after 20 s: 80 s is recommended, with its evidence."""
    pairs = [(22, False)] * 6 + [(80, True)] * 10
    chart = plots.wait_calibration(looks(pairs=pairs), "RATE_LIMITED")
    written = texts(chart)
    assert "▾ declared 20 s" in written
    assert "recommended 80 s ▾" in written
    assert {"0/6", "10/10"} <= set(written)
    assert "After the recommended wait: 10/10 succeed." in chart.description


def test_no_wait_is_recommended_on_too_little():
    """Nine successes are not ten: no wait is recommended, and the chart says so."""
    chart = plots.wait_calibration(looks(pairs=[(80, True)] * 9), "RATE_LIMITED")
    assert not [text for text in texts(chart) if "recommended 80" in text]
    assert "No wait is recommended" in chart.description


def test_several_declared_waits_are_laid_over_each_other():
    """Where a code declares several waits, time is counted in declared waits and no tick claims seconds."""
    frame = pd.concat([looks(pairs=[(10, True)], declared_ms=10_000), looks(pairs=[(80, True)], declared_ms=40_000)])
    written = texts(plots.wait_calibration(frame, "RATE_LIMITED"))
    assert "▾ declared 10 s to 40 s" in written
    assert "waited before the reissue, in declared waits" in written
    assert f"2{TIMES}" in written


# Tables of codes


def test_interval_of_the_table_is_shown():
    """A stated interval is used as it is; a missing one is Wilson's."""
    stated = codes("STATED", n=10, k=5).assign(rate_lower=0.11, rate_upper=0.88)
    missing = codes("MISSING", n=10, k=9)
    told = plots.interval_dots(pd.concat([stated, missing])).description
    assert "STATED: 5/10, 50 % [11, 88], contradicted" in told
    assert "MISSING: 9/10, 90 % [60, 98], contradicted" in told


def test_rows_that_differ_say_so():
    """A code with two classes, or of two tools, is two rows with different names."""
    frame = pd.concat([codes("SAME"), codes("SAME", kind="terminal"), codes("SAME", tool="other")])
    for chart in (plots.interval_dots(frame), plots.maturity_ladder(frame)):
        assert {"tool, transient", "tool, terminal", "other"} <= set(texts(chart))


def test_limit_is_told():
    """Rows that find no room are counted below the chart, and those with the most trials stay."""
    frame = pd.concat([codes(f"CODE_{n:02}", n=n) for n in range(1, 31)])
    for chart in (plots.interval_dots(frame, limit=5), plots.maturity_ladder(frame, limit=5)):
        assert "5 of 30 codes shown." in texts(chart)
        assert "CODE_30" in chart.description
        assert "CODE_25:" not in chart.description


def test_ladder_tells_missing_from_not_needed():
    """A missing rung is a box with k/n, a rung the class does not have a dot; a broken promise lowers the score."""
    chart = plots.maturity_ladder(codes(kind="transient", n=4, wait=1))
    written = texts(chart)
    assert "1/4" in written
    assert "3 → 1" in written
    dots = [line for line in chart.axes[0].lines if line.get_marker() == "."]
    assert len(dots) == 2, "a transient error has no fix_required and no fix_command"
    assert "retry_after_ms 1/4; maturity 3, proven 1" in chart.description


def test_ladder_of_tools():
    """Tools are shown by the share of all their errors that have a code."""
    frame = codes(n=10).drop(columns=["error_code", "declared_class", "maturity_state"]).assign(with_code_count=7)
    chart = plots.maturity_ladder(frame)
    assert chart.title == "Maturity ladder of tools"
    assert "tool: code 7/10" in chart.description


def test_matrix_shows_the_rate_of_the_table():
    """Only closed, advanced and failed decide; the rate and its interval are the table's."""
    frame = pd.concat([fixes(closed=1, failed=3, stale=2), fixes("NEVER_TRIED", open=2)])
    chart = plots.closed_loop_matrix(frame)
    assert "3/4  75 % [10, 90]" in texts(chart)
    assert "NEVER_TRIED with tool config sync: 2 open; failed none decided" in chart.description
    assert "advanced" in texts(chart)
    assert "fix unrunnable" not in texts(chart), "a verdict nobody met needs no column"


# Lanes


def test_lane_shows_the_wait():
    """Between two calls stand the time that passed and the wait that was declared; a shorter one is dashed."""
    written = texts(plots.episode_lanes(timeline(*SHORT_WAIT)))
    assert "9 s" in written
    assert "≥ 20 s" in written
    assert "recovered unchanged" in written

    def dashed(delay):
        steps = (SHORT_WAIT[0], ("success", "tool sync", delay, 20_000))
        [gap] = [line for line in plots.episode_lanes(timeline(*steps)).axes[0].lines if len(line.get_xdata()) == 2]
        return gap.is_dashed()

    assert dashed(9_000)
    assert not dashed(21_000)


def test_lane_names_what_is_new():
    """A fix, another code and a changed command are named; the repeated code is not."""
    chart = plots.episode_lanes(
        timeline(
            ("failure", "tool sync", None, None, "RATE_LIMITED"),
            ("fix", "tool login", 100, None, None, "ok"),
            ("failure", "tool sync", 100, None, "RATE_LIMITED"),
            ("failure", "tool sync", 100, None, "GONE"),
            ("success", "tool sync --all", 100),
        )
    )
    written = texts(chart)
    assert written.count("RATE_LIMITED") == 1, "as the name of the lane"
    assert {"tool login", "GONE", "tool sync --all"} <= set(written)


def test_long_episode_is_cut():
    """Of a long episode the middle is left out, and the gap says how much."""
    steps = [("failure", "tool sync", None, None, "RATE_LIMITED")] + [
        ("failure", "tool sync", 10, None, "RATE_LIMITED")
    ] * 30
    chart = plots.episode_lanes(timeline(*steps))
    assert "+24 calls" in texts(chart)
    assert ", 17 more: " in chart.description
