"""A comparison in words."""

from typing import Any

from pipeline.analyses.words import counted, percent
from pipeline.report.compare import SEEN_POINTS
from pipeline.report.escape import escape

_NAMES = {
    "error": "failed attempts",
    "recovery": "recovered episodes",
    "fair_reissue": "fair reissues that worked",
    "compliance": "decisions as prescribed",
}
_CODES = 10


def to_text(found: dict[str, Any]) -> str:
    """Return a comparison for people; nothing in it moves a cursor."""
    lines = [_head(found), ""]
    for measure in found["measures"]:
        lines += _measure_lines(measure)
    lines += _mix_lines(found["mix"])
    lines += _code_lines(found["codes"])
    lines.append("Observed, not an experiment: what else differs between the groups may make the difference.")
    return "\n".join(lines) + "\n"


def _head(found: dict[str, Any]) -> str:
    a, b = (f"{escape(side['name'])} ({counted(side['sessions'], 'session')})" for side in (found["a"], found["b"]))
    subject = " of ".join(escape(found[name]) for name in ("code", "tool") if found[name])
    mixed = f"; {counted(found['mixed_sessions'], 'session')} in both left out" if found["mixed_sessions"] else ""
    return f"{found['by']} {a} against {b}{', ' + subject if subject else ''}{mixed}"


def _measure_lines(measure: dict[str, Any]) -> list[str]:
    name = _NAMES[measure["measure"]]
    rates = " -> ".join(_rate(measure[side]) for side in ("a", "b"))
    if measure["difference"] is None:
        return [f"{name}: {rates}: {measure['reading']}"]
    lines = [f"{name}: {rates}: {_points(measure)}, {measure['reading']}"]
    if measure["like_for_like"] is not None and abs(measure["mix_shift"]) >= 0.005:
        within, mix = (f"{100 * measure[key]:+.1f}" for key in ("like_for_like", "mix_shift"))
        lines.append(f"  like for like {within} points; the mix of operations makes {mix}")
    if measure["reading"] == "no evidence of a difference" and measure["trials_needed"]:
        needed = f"{100 * SEEN_POINTS:.0f} points would take about {measure['trials_needed']:,} a side"
        lines.append(f"  to see {needed} (weighting: {measure['weighting']})")
    placebo = measure["placebo"]
    if placebo is not None:
        said = "moved before the cut as well" if placebo["is_moving"] else "shows no move without a cut"
        lines.append(f"  placebo: the first period in halves, {_points(placebo)}: it {said}")
    return lines


def _rate(side: dict[str, Any]) -> str:
    if side["value"] is None:
        return "none"
    return f"{percent(side['value'])} % ({side['k']:,}/{side['n']:,})"


def _points(found: dict[str, Any]) -> str:
    difference, lower, upper = (f"{100 * found[key]:+.1f}" for key in ("difference", "lower", "upper"))
    return f"{difference} points (95 % interval {lower} to {upper})"


def _mix_lines(mix: dict[str, Any]) -> list[str]:
    if not mix["shifts"]:
        return []
    lines = ["", f"Mix of operations: {percent(mix['distance'])} % of the attempts would have to move to make it alike"]
    for shift in mix["shifts"]:
        lines.append(f"  {escape(shift['operation'])}: {percent(shift['a'])} % -> {percent(shift['b'])} %")
    return lines


def _code_lines(codes: list[dict[str, Any]]) -> list[str]:
    different = [code for code in codes if code["reading"] in ("higher", "lower")]
    lines = ["", "Codes, first fair reissue of a session (adjusted over all codes):"] if codes else [""]
    for code in different[:_CODES]:
        rates = " -> ".join(_rate(code[side]) for side in ("a", "b"))
        lines.append(f"  {escape(code['error_code'])} of {escape(code['tool'])}: {rates}: {_points(code)}")
    if len(codes) > len(different):
        rest = counted(len(codes) - len(different), "code")
        lines.append(f"  no evidence of a difference for {rest}")
    return [*lines, ""] if codes else lines
