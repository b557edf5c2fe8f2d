"""Episodes as lanes: what was called, what it said, how long the agent waited, what it tried, and what came of it."""

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from pipeline.plots.names import Record
from pipeline.plots.style import LIGHT, Chart, Palette, bare, empty, finished, look, row_label, shortened
from pipeline.plots.text import plain, safe, seconds

if TYPE_CHECKING:
    import pandas as pd

TITLE = "Episodes"
_ROW = 0.6
_MOST_STEPS = 7
_LEAST_STEPS = 4
_NOTICEABLE_MS = 1000
_WAIT_MS = 5000
"""A gap of this length is drawn as a wait even where none was declared."""
_ROOM = 100
"""Characters that fit below all steps of a lane, on two levels."""
_MARKS = {"failure": "X", "success": "o", "fix": "D", "other": "."}


def episode_lanes(timelines: "pd.DataFrame", *, limit: int = 10, palette: Palette = LIGHT) -> Chart:
    """Draw a lane per episode: its attempts in order, and between two of them the time that passed.

    Named are: a failure of another code than the one before, a fix, another call, and a command that worked where the
    first did not. A wait shorter than the failure declared is dashed.

    Args:
        timelines: One row per attempt, in order of the lanes and of `step`: columns episode_id, step, role (failure,
            success, fix, other), status, error_code, command, delay_ms (since the end of the attempt before),
            retry_after_ms (declared by the attempt before), session_id, origin_code and outcome; as `Store.timelines`
            returns.
        limit: Lanes at most.
        palette: `LIGHT` or `DARK`.
    """
    if not len(timelines):
        return empty(TITLE, "No episode was chosen.", palette)
    every = [group.to_dict("records") for _, group in timelines.groupby("episode_id", sort=False)]
    lanes = [_cut(steps) for steps in every[:limit]]
    widest = max(_LEAST_STEPS, *(len(steps) for steps in lanes))
    room = _ROOM // widest
    with look(palette):
        chart = Chart(
            TITLE,
            "One lane each, from the first failure on. Between two calls: the time passed, and (≥) the wait declared.",
            height=_ROW * len(lanes) + 0.55,
            palette=palette,
            note=shortened(len(every), len(lanes), "episodes"),
            marks=_marks(palette),
        )
        axes = chart.add_subplot()
        for position, steps in enumerate(lanes):
            first = steps[0]
            row_label(axes, position, _text(first["origin_code"]) or "no code", _text(first["command"]), palette)
            _draw_steps(axes, position, steps, room, palette)
            _draw_end(axes, position, first, palette)
        bare(axes)
        axes.set(xlim=(-0.4, widest - 0.4), ylim=(len(lanes) - 0.38, -0.55), yticks=[], xticks=[])
        axes.set_xlabel("calls of the session, in order")
        return finished(chart, "Episodes, call by call. " + " ".join(_told(steps) for steps in every[:limit]))


def _cut(steps: list[dict[Hashable, Any]]) -> list[dict[Hashable, Any]]:
    """Leave out the middle of a long episode; the gap says how many."""
    if len(steps) <= _MOST_STEPS:
        return steps
    last = steps[-1] | {"omitted": len(steps) - _MOST_STEPS}
    return [*steps[: _MOST_STEPS - 1], last]


def _draw_end(axes: Axes, position: int, first: Record, palette: Palette) -> None:
    for text, size, colour, offset, align in (
        (first["outcome"].replace("_", " "), 8.5, palette.ink, 0.5, "bottom"),
        (safe(first["session_id"], limit=22), 7.5, palette.muted, -1, "top"),
    ):
        axes.annotate(
            text,
            (1, position),
            xycoords=axes.get_yaxis_transform(),
            xytext=(10, offset),
            textcoords="offset points",
            va=align,
            size=size,
            color=colour,
        )


def _draw_steps(axes: Axes, position: int, steps: Sequence[Record], room: int, palette: Palette) -> None:
    colours = {"failure": palette.bad, "success": palette.good, "fix": palette.fix, "other": palette.muted}
    code = _text(steps[0]["origin_code"])
    is_high = False
    for at, step in enumerate(steps):
        if at:
            _draw_gap(axes, at, position, step, palette)
        role = step["role"]
        axes.plot(
            at,
            position,
            marker=_MARKS[role],
            markersize=10,
            color=palette.paper if _is_failed_fix(step) else colours[role],
            markeredgecolor=palette.bad if _is_failed_fix(step) else palette.paper,
            markeredgewidth=1.6 if _is_failed_fix(step) else 0.8,
            zorder=3,
        )
        told = safe(_words(step, code, _text(steps[0]["command"])), limit=room)
        code = _text(step["error_code"]) if role == "failure" else code
        if told:
            # neighbours stand on two levels, so that neither hides the other
            level = 0.34 if is_high else 0.17
            below = axes.text(at, position + level, told, ha="center", va="top", size=7.5, color=palette.ink)
            below.set_in_layout(False)
        is_high = bool(told) and not is_high


def _draw_gap(axes: Axes, at: int, position: int, step: Record, palette: Palette) -> None:
    if step.get("omitted"):
        axes.plot([at - 1, at], [position, position], color=palette.muted, linestyle=":", linewidth=1.2, zorder=1)
        axes.text(
            at - 0.5,
            position - 0.12,
            f"+{step['omitted']} calls",
            ha="center",
            va="bottom",
            size=7.5,
            color=palette.muted,
        )
        return
    delay, declared = _number(step["delay_ms"]), _number(step["retry_after_ms"])
    is_wait = delay is not None and (delay >= _WAIT_MS or declared is not None)
    is_early = delay is not None and declared is not None and delay < declared
    axes.plot(
        [at - 1, at],
        [position, position],
        color=palette.wait if is_wait else palette.muted,
        linewidth=3 if is_wait else 1.2,
        linestyle=(0, (1.5, 1)) if is_early else "-",
        zorder=1,
    )
    if delay is not None and (is_wait or delay >= _NOTICEABLE_MS):
        colour = palette.ink if is_wait else palette.muted
        axes.text(at - 0.5, position - 0.12, seconds(delay / 1000), ha="center", va="bottom", size=7.5, color=colour)
    if declared is not None:
        told = f"≥ {seconds(declared / 1000)}"
        axes.text(at - 0.5, position + 0.12, told, ha="center", va="top", size=7.5, color=palette.muted)


def _number(value: float | None) -> float | None:
    """Return the value; None for what pandas writes where there is none."""
    return None if value is None or value != value else float(value)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _is_failed_fix(step: Record) -> bool:
    return bool(step["role"] == "fix" and step["status"] != "ok")


def _words(step: Record, code: str, first_command: str) -> str:
    """Return what stands below a mark: what is new there."""
    role, command = step["role"], _text(step["command"])
    if role == "failure" and _text(step["error_code"]) != code:
        return _text(step["error_code"]) or "no code"
    if role in ("fix", "other"):
        return f"failed: {command}" if _is_failed_fix(step) else command
    return command if role == "success" and command != first_command else ""


def _marks(palette: Palette) -> list[Line2D]:
    roles = (
        ("failure", palette.bad, "failed"),
        ("fix", palette.fix, "declared fix"),
        ("other", palette.muted, "other call"),
        ("success", palette.good, "worked"),
    )
    waits: tuple[tuple[Any, str], ...] = (("-", "wait"), ((0, (1.5, 1)), "shorter than declared"))
    return [
        *(
            Line2D([], [], marker=_MARKS[role], color=colour, markersize=8, linestyle="none", label=text)
            for role, colour, text in roles
        ),
        *(Line2D([], [], color=palette.wait, linewidth=3, linestyle=line, label=text) for line, text in waits),
    ]


def _told(steps: Sequence[Record]) -> str:
    parts = []
    for step in steps[: 2 * _MOST_STEPS]:
        delay = _number(step["delay_ms"])
        after = f"after {seconds(delay / 1000)} " if delay is not None and delay >= _NOTICEABLE_MS else ""
        what = _text(step["error_code"]) or "no code" if step["role"] == "failure" else _text(step["command"])
        parts.append(f"{after}{step['role']} {plain(what, limit=40)}" + (" failed" if _is_failed_fix(step) else ""))
    rest = f", {len(steps) - len(parts)} more" if len(steps) > len(parts) else ""
    outcome = steps[-1]["outcome"].replace("_", " ")
    return f"{plain(steps[0]['session_id'])}: {', '.join(parts)}{rest}: {outcome}."
