"""Numbers of the report as words: pages, comments and gates write them alike."""

from typing import Any

from pipeline.analyses.words import counted, duration, percent
from pipeline.report.escape import escape

DASH = "\u2013"
_RUNGS = {"retryable": "retryable", "retry_after": "wait", "fix_required": "fix", "fix_command": "command"}


def share(k: int, n: int) -> str:
    """Return `k/n`; a dash where there was no trial."""
    return f"{k:,}/{n:,}" if n else DASH


def bounds(lower: float | None, upper: float | None) -> str:
    """Return a 95 % interval as `12-34 %` with an en dash; empty where there is none."""
    return "" if lower is None or upper is None else f"{percent(lower)}{DASH}{percent(upper)} %"


def rate(told: dict[str, Any]) -> str:
    """Return a rate of the report as `12/30 (40 %, 24-58 %)`."""
    if not told["n"]:
        return "0/0"
    return f"{share(told['k'], told['n'])} ({percent(told['value'])} %, {bounds(told['lower'], told['upper'])})"


def recovered(code: dict[str, Any]) -> str:
    """Return how many of a code's episodes recovered, censored ones left out."""
    return share(code["recovered_count"], code["episode_count"] - code["censored_count"])


def fair(code: dict[str, Any]) -> str:
    """Return how many of a code's fair reissues worked."""
    return share(code["fair_success_count"], code["fair_reissue_count"])


def loops(code: dict[str, Any]) -> str:
    """Return in how many of a code's closed loops the code came back."""
    return share(code["failed_loop_count"], code["closed_loop_count"])


def maturity(row: dict[str, Any]) -> str:
    """Return the declared level, and the proven one where it differs; `?` marks few occurrences."""
    declared, proven = row["maturity"], row["proven_maturity"]
    return (str(declared) if proven == declared else f"{declared} → {proven}") + ("?" if row["is_provisional"] else "")


def rungs(code: dict[str, Any]) -> str:
    """Return the rungs a code carries: by name where all its failures do, with `k/n` where some do."""
    total = code["occurrence_count"]
    held = {words: code[f"with_{rung}_count"] for rung, words in _RUNGS.items()}
    told = [words if count == total else f"{words} {share(count, total)}" for words, count in held.items() if count]
    return ", ".join(told) or DASH


def waste(code: dict[str, Any]) -> str:
    """Return what a code's failures cost: calls, time, tokens, where they are known."""
    parts = [counted(code["wasted_calls"], "call")] if code["wasted_calls"] else []
    parts += [duration(code["wasted_ms"])] if code["wasted_ms"] else []
    parts += [f"{code['wasted_tokens']:,} tokens"] if code["wasted_tokens"] else []
    return ", ".join(parts) or DASH


def change(finding: dict[str, Any]) -> tuple[str, str] | None:
    """Return the field of the error to change and its new value; the value is empty where the author chooses it."""
    proposal = finding["proposal"]
    if proposal is None:
        return None
    value = proposal["value"]
    told = "" if value is None else str(value).lower() if isinstance(value, bool) else escape(str(value))
    return proposal["field"], told


def measure(finding: dict[str, Any]) -> str:
    """Return what was counted: `0 of 26, 95 % interval 0-13 %`; empty where the sentence states a fact."""
    if finding["k"] is None or finding["n"] is None:
        return ""
    interval = bounds(finding["lower"], finding["upper"])
    return f"{finding['k']:,} of {finding['n']:,}" + (f", 95 % interval {interval}" if interval else "")
