"""Hand-made tables for the tests of the plots, and each plot drawn over them."""

import pandas as pd
from matplotlib.text import Text

from pipeline import plots

HOSTILE = [
    "$x$ and $\\frac{1}{0}$",
    "\\$ \\\\$ $",
    "\x1b[31mred\x1b[0m \x1b]8;;http://x\x07link",
    "<script>alert(1)</script> -->",
    "line\nbreak\r\ttab\x00nul",
    "\u202egnp.exe\u2066 right to left",
    "שלום مرحبا 錯誤 🔥",
    "A" * 100_000,
    "",
]
"""What a log may hold; DuckDB and pandas refuse lone surrogates."""


def episodes(code="TIMED_OUT", outcomes=(("recovered_unchanged", 2), ("abandoned", 1)), tool="tool"):
    """Episodes of one code, as (outcome, attempts)."""
    return pd.DataFrame(
        {
            "tool": tool,
            "origin_code": code,
            "outcome": [outcome for outcome, _ in outcomes],
            "attempt_count": [count for _, count in outcomes],
            "observed_ms": [1000 * count for _, count in outcomes],
        }
    )


def looks(code="RATE_LIMITED", pairs=((10, False), (25, True)), tool="tool", declared_ms=20_000):
    """Reissues of one code, as (seconds waited, success)."""
    return pd.DataFrame(
        {
            "tool": tool,
            "error_code": code,
            "declared_ms": declared_ms,
            "delay_ms": [1000 * delay for delay, _ in pairs],
            "is_success": [success for _, success in pairs],
        }
    )


VERDICTS = ("closed", "advanced", "failed", "indeterminate", "open", "stale", "fix_failed", "fix_unrunnable")


def fixes(code="CONFIG_STALE", fix="tool config sync", **counts):
    """One fix with so many trials of each verdict."""
    row = {f"{verdict}_count": counts.get(verdict, 0) for verdict in (*VERDICTS, "self_referential")}
    trials = sum(counts.get(verdict, 0) for verdict in VERDICTS[:3])
    bounds = {"rate_lower": 0.1 if trials else None, "rate_upper": 0.9 if trials else None}
    return pd.DataFrame(
        [{"tool": "tool", "error_code": code, "fix_command": fix, "trial_count": trials, **bounds, **row}]
    )


def codes(code="QUOTA_EXHAUSTED", tool="tool", kind="transient", n=4, wait=4, k=1):
    """One row of `marts.error_codes` as far as plots read it."""
    return pd.DataFrame(
        [
            {
                "tool": tool,
                "error_code": code,
                "declared_class": kind,
                "occurrence_count": n,
                "with_retryable_count": n,
                "with_retry_after_count": wait,
                "with_fix_required_count": 0,
                "with_fix_command_count": 0,
                "maturity": 3,
                "proven_maturity": 1,
                "maturity_state": "contradicted",
                "retryable_verdict": "contradicted",
                "fair_success_count": k,
                "fair_reissue_count": n,
                "rate_lower": None,
                "rate_upper": None,
            }
        ]
    )


def timeline(*steps, episode="e1", code="RATE_LIMITED", session="s1", outcome="recovered_unchanged"):
    """An episode, as (role, command, delay_ms, declared wait, code, status)."""
    names = ("role", "command", "delay_ms", "retry_after_ms", "error_code", "status")
    rows = [dict(zip(names, (*step, *[None] * 6), strict=False)) for step in steps]
    frame = pd.DataFrame(rows, columns=names)
    head = {"episode_id": episode, "session_id": session, "origin_code": code, "outcome": outcome}
    return frame.assign(step=range(1, len(rows) + 1), **head)


SHORT_WAIT = (("failure", "tool sync", None, None, "RATE_LIMITED"), ("success", "tool sync", 9_000, 20_000))


def _rows(make, names):
    return pd.concat([make(name) for name in names], ignore_index=True)


def _lane(name):
    return timeline(
        ("failure", name, None, None, name),
        ("fix", name, 1, None, None, "not_run"),
        ("other", name, 1),
        ("failure", name, 2, None, name + "2"),
        episode=name,
        code=name,
        session=name,
    )


DRAWN = {
    "recovery_curve": lambda *names, **kw: plots.recovery_curve(_rows(episodes, names), limit=12, **kw),
    "recovery_curve_seconds": lambda *names, **kw: plots.recovery_curve(
        _rows(episodes, names), clock=plots.SECONDS, **kw
    ),
    "wait_calibration": lambda *names, **kw: plots.wait_calibration(
        looks(names[0], tool=names[0]), names[0], tool=names[0], **kw
    ),
    "closed_loop_matrix": lambda *names, **kw: plots.closed_loop_matrix(
        _rows(lambda name: fixes(name, name, closed=2, stale=1), names), **kw
    ),
    "maturity_ladder": lambda *names, **kw: plots.maturity_ladder(
        _rows(lambda name: codes(name, name), [*names, "OTHER"]), **kw
    ),
    "interval_dots": lambda *names, **kw: plots.interval_dots(
        _rows(lambda name: codes(name, name, kind=name), [*names, "OTHER"]), **kw
    ),
    "episode_lanes": lambda *names, **kw: plots.episode_lanes(_rows(_lane, names), **kw),
}
EMPTY = {
    "recovery_curve": lambda: plots.recovery_curve(episodes(outcomes=())),
    "wait_calibration": lambda: plots.wait_calibration(looks(), "OTHER"),
    "closed_loop_matrix": lambda: plots.closed_loop_matrix(fixes().head(0)),
    "maturity_ladder": lambda: plots.maturity_ladder(codes().head(0)),
    "interval_dots": lambda: plots.interval_dots(codes(n=0)),
    "episode_lanes": lambda: plots.episode_lanes(timeline()),
}


def texts(chart):
    """Everything that is written in a chart."""
    return [text.get_text() for text in chart.findobj(Text) if text.get_visible() and text.get_text()]


def svg(chart, **kwargs):
    """A chart's markup with its own words."""
    return plots.to_svg(chart, title=chart.title, description=chart.description, **kwargs)
