"""The gate's answer for people and for programs."""

from dataclasses import asdict
from typing import Any

from pipeline.analyses.words import counted
from pipeline.report.escape import escape
from pipeline.report.gate import Checked

_WORDS = {0: "ok", 1: "over the limits", 3: "nothing was checked: no failure was read"}


def to_data(checked: Checked) -> dict[str, Any]:
    """Return a check as JSON values; text of logs is raw."""
    return {
        "ok": checked.exit_code == 0,
        "attempts": checked.attempts,
        "failures": checked.failures,
        "violations": [asdict(one) for one in checked.violations],
        "new": sum(one.is_new for one in checked.violations),
        "unchecked": list(checked.unchecked),
    }


def to_text(checked: Checked) -> str:
    """Return a check as lines: what is new and over a limit, what the baseline knows, what was not checked."""
    new = [one for one in checked.violations if one.is_new]
    known = len(checked.violations) - len(new)
    lines = [
        f"{one.limit.upper() if one.limit != 'fail_on' else one.severity.upper()}  {escape(one.sentence)}"
        for one in new
    ]
    counts = f"{counted(len(new), 'finding')} over the limits" + (f", {known:,} more in the baseline" if known else "")
    read = f"{counted(checked.attempts, 'attempt')}, {counted(checked.failures, 'failure')}"
    lines.append(f"{_WORDS[checked.exit_code]}: {counts}; {read}")
    lines.append(f"not checked: {'; '.join(checked.unchecked) or 'nothing was left out'}")
    return "\n".join(lines) + "\n"
