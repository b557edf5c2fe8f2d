"""The gate: which findings are over the limits, which of them are new, and what could not be checked."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.analyses.words import counted
from pipeline.report.escape import escape

SEVERITIES = ("breach", "warning", "info")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a tool's errors must keep."""

    min_maturity: int | None = None
    """Least proven maturity of a tool, 0 to 3; None: not checked."""
    max_false_transient: int | None = None
    """Codes that may say retryable:true though repeating never works; None: not checked apart."""
    fail_on: tuple[str, ...] = ("breach",)
    """Severities, each with the graver ones, and names of analyses; what is supported or undecided never fails."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Limits for all tools, and those of single ones."""

    limits: Limits = Limits()
    tools: Mapping[str, Limits] = field(default_factory=dict)

    def of(self, tool: str | None) -> Limits:
        """Return the limits that hold for a tool."""
        return self.tools.get(tool or "", self.limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """One thing over a limit. Text of logs in it is raw."""

    id: str
    """A finding's, or `<limit>:<tool>`."""
    limit: str
    """`fail_on`, `min_maturity` or `max_false_transient`."""
    severity: str
    tool: str | None
    error_code: str | None
    sentence: str
    is_new: bool
    """Not in the baseline: only this fails."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found."""

    violations: tuple[Violation, ...]
    unchecked: tuple[str, ...]
    """What was not checked, and why, a sentence each."""
    attempts: int
    failures: int

    @property
    def exit_code(self) -> int:
        """0 all within the limits, 1 something new is over one, 3 there was nothing to check."""
        if not self.failures:
            return 3
        return 1 if any(one.is_new for one in self.violations) else 0


def check(report: dict[str, Any], rules: Rules, *, baseline: Collection[str] = ()) -> Checked:
    """Return what of a report is over the limits.

    Args:
        report: As `content.build` returns it.
        rules: The limits.
        baseline: Ids of violations that are known and do not fail.
    """
    found = [*_findings(report, rules), *_maturity(report, rules), *_false_transients(report, rules)]
    violations = {one.id: one for one in found}
    return Checked(
        violations=tuple(_aged(one, baseline) for one in violations.values()),
        unchecked=tuple(_unchecked(report, rules)),
        attempts=report["summary"]["attempts"],
        failures=report["summary"]["maturity"]["occurrences"],
    )


def _aged(one: Violation, baseline: Collection[str]) -> Violation:
    from dataclasses import replace

    return replace(one, is_new=one.id not in baseline)


def _findings(report: dict[str, Any], rules: Rules) -> list[Violation]:
    return [
        Violation(
            id=one["id"],
            limit="fail_on",
            severity=one["severity"],
            tool=one["tool"],
            error_code=one["error_code"],
            sentence=one["sentence"],
            is_new=True,
        )
        for one in report["findings"]
        if is_over(one, rules.of(one["tool"]))
    ]


def is_over(finding: dict[str, Any], limits: Limits) -> bool:
    """Tell whether `fail_on` names a finding: its severity or a less grave one, or its analysis.

    A finding without a verdict never is: too few cases prove nothing.
    """
    if finding["verdict"] in ("insufficient", "supported"):
        return False
    graver = SEVERITIES[SEVERITIES.index(finding["severity"]) :]
    return finding["analysis"] in limits.fail_on or any(one in limits.fail_on for one in graver)


def _maturity(report: dict[str, Any], rules: Rules) -> list[Violation]:
    found = []
    for row in report["summary"]["maturity"]["tools"]:
        least = rules.of(row["tool"]).min_maturity
        if least is None or row["is_provisional"] or row["proven_maturity"] >= least:
            continue
        proven, declared = row["proven_maturity"], row["maturity"]
        sentence = f"{row['tool']} has a proven maturity of {proven} (declared {declared}), less than {least}."
        found.append(_limit("min_maturity", row["tool"], sentence))
    return found


def _false_transients(report: dict[str, Any], rules: Rules) -> list[Violation]:
    found = []
    for tool, codes in sorted(_false_by_tool(report).items()):
        most = rules.of(tool).max_false_transient
        if most is not None and len(codes) > most:
            named = ", ".join(codes[:10])
            sentence = (
                f"{counted(len(codes), 'code')} of {tool}, more than {most}, declared retryable:true though repeating "
                f"does not help: {named}."
            )
            found.append(_limit("max_false_transient", tool, sentence))
    return found


def _false_by_tool(report: dict[str, Any]) -> dict[str, list[str]]:
    """Return the codes that say retryable:true and are contradicted, by tool."""
    found: dict[str, list[str]] = {}
    for one in report["codes"]:
        if one["declared_class"] == "transient" and one["retryable_verdict"] == "contradicted":
            found.setdefault(one["tool"], []).append(one["error_code"])
    return found


def _limit(limit: str, tool: str, sentence: str) -> Violation:
    id = f"{limit}:{tool}"
    return Violation(id=id, limit=limit, severity="breach", tool=tool, error_code=None, sentence=sentence, is_new=True)


def _unchecked(report: dict[str, Any], rules: Rules) -> list[str]:
    """Return what the check says nothing about; text of logs in it is harmless."""
    codes = report["codes"]
    undecided = sum(one["verdict"] == "insufficient" for one in report["findings"])
    never = sum(not row["fair_reissue_count"] for row in codes)
    unlooped = sum(bool(row["with_fix_command_count"]) and not row["closed_loop_count"] for row in codes)
    few = [row["tool"] for row in report["summary"]["maturity"]["tools"] if row["is_provisional"]]
    graded = [tool for tool in few if rules.of(tool).min_maturity is not None]
    known = {row["tool"] for row in report["summary"]["maturity"]["tools"]} | {
        one["tool"] for one in report["findings"]
    }
    absent = sorted(set(rules.tools) - known)
    lost = report["coverage"]["lost"]
    told = {
        f"{counted(undecided, 'finding')} without a verdict (too few cases)": undecided,
        f"retryable of {never:,} of {counted(len(codes), 'code')} (never fairly reissued)": never,
        f"the fix command of {counted(unlooped, 'code')} (never run and tried again)": unlooped,
        f"the maturity of {', '.join(map(escape, graded[:10]))} (too few failures)": graded,
        f"{', '.join(map(escape, absent[:10]))} (limits are set, no failure was seen)": absent,
        f"{counted(lost, 'record')} that could not be read": lost,
    }
    return [sentence for sentence, is_told in told.items() if is_told]
