"""An explanation in words: what is known of a code, and what happened in an episode."""

from typing import Any

from pipeline.analyses.words import between, counted, cut, duration, of, percent
from pipeline.report.escape import escape

_LONGEST_COMMAND, _LONGEST_MESSAGE = 120, 200
_INDENT = " " * 5


def code_lines(code: dict[str, Any]) -> list[str]:
    """Return the lines about a code; a row of `marts.error_codes`."""
    lines = [
        f"{escape(code['error_code'])} of {escape(code['tool'])}, declared {code['declared_class']}",
        f"  {counted(code['occurrence_count'], 'failure')} in {counted(code['episode_count'], 'episode')}, "
        f"{code['recovered_count']:,} of them recovered",
    ]
    if code["fair_reissue_count"]:
        rate = percent(code["fair_success_rate"])
        lines.append(
            f"  {of(code['fair_success_count'], code['fair_reissue_count'], 'fair reissue')} succeeded: {rate} %, "
            f"{between(code['rate_lower'], code['rate_upper'])}"
        )
    if code["closed_loop_count"]:
        lines.append(f"  {of(code['failed_loop_count'], code['closed_loop_count'], 'closed loop')} failed")
    return lines


def episode_lines(episode: dict[str, Any]) -> list[str]:
    """Return the lines about an episode; a row of `core.episodes` with its `steps`."""
    took = episode["time_to_recovery_ms"]
    flags = f" ({', '.join(episode['flags'])})" if episode["flags"] else ""
    lines = [
        f"episode {escape(episode['episode_id'])}: {episode['outcome']}{flags}",
        f"  {escape(episode['tool'])} {escape(cut(episode['operation'], _LONGEST_COMMAND))}".rstrip(),
        f"  session {escape(episode['session_id'])}, actor {escape(episode['actor_id'])}, "
        + (f"recovered after {duration(took)}" if took is not None else counted(episode["attempt_count"], "attempt")),
    ]
    before: dict[str, Any] = {}
    for number, step in enumerate(episode["steps"], 1):
        lines += _step_lines(number, step, before)
        before = step
    return lines


def attempt_lines(step: dict[str, Any]) -> list[str]:
    """Return the lines about an attempt that is part of no episode; a step."""
    return [f"attempt {escape(step['attempt_id'])}: part of no episode", *_step_lines(1, step, {})]


def _step_lines(number: int, step: dict[str, Any], before: dict[str, Any]) -> list[str]:
    asked = escape(cut(step["asked"] or step["operation"], _LONGEST_COMMAND))
    same = before.get("asked") == step["asked"] and step["asked"]
    lines = [f"  {number:>2} {_when(step)}  {'the same call' if same else asked}"]
    lines += [_INDENT + text for text in (_relation(step), _outcome(step), *_ladder(step)) if text]
    return [*lines, f"{_INDENT}at {escape(step['path'])}:{step['position']}"]


def _when(step: dict[str, Any]) -> str:
    started = step["started_at"]
    return started.strftime("%Y-%m-%d %H:%M:%S") if started else "at an unknown time"


def _relation(step: dict[str, Any]) -> str:
    if step["role"] == "fix":
        return f"the fix_command, run: closed loop {step['verdict']}"
    if step["reissue_kind"] is None:
        return ""
    wait = "" if step["delay_ms"] is None else f" after {duration(step['delay_ms'])}"
    fairness = ", fair" if step["is_fair"] else ", too early" if step["is_early"] else ""
    return f"reissue{wait}: {step['reissue_kind'].replace('_', ' ')}{fairness}"


def _outcome(step: dict[str, Any]) -> str:
    code = f" {escape(step['error_code'])}" if step["error_code"] else ""
    exit_code = "" if step["exit_code"] is None else f", exit {step['exit_code']}"
    message = escape(cut(step["message"], _LONGEST_MESSAGE)) if step["status"] == "error" else ""
    return f"-> {step['status']}{code}{exit_code}" + (f": {message}" if message else "")


def _ladder(step: dict[str, Any]) -> list[str]:
    """Return what the error said about the way back; nothing where the attempt did not fail."""
    if step["status"] != "error":
        return []
    stated = []
    if step["retryable"] is not None:
        stated.append(f"retryable: {str(step['retryable']).lower()}")
    if step["retry_after_ms"] is not None:
        stated.append(f"retry after {duration(step['retry_after_ms'])}")
    for rung in ("fix_required", "fix_command"):
        if step[rung]:
            stated.append(f"{rung}: {escape(cut(step[rung], _LONGEST_COMMAND))}")
    return ["says " + "; ".join(stated) if stated else "says nothing about the way back"]
