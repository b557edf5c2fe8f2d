"""What stands around findings and codes on the page: key figures, agents, other statuses, coverage, parameters."""

from typing import Any

from pipeline.analyses.words import counted, duration, percent
from pipeline.report.cells import DASH, bounds, rate, share
from pipeline.report.html_parts import definition, drawn, shown, table
from pipeline.report.terminal_findings import severities

_SCORED = ("ok", "error")


def lede(report: dict[str, Any]) -> str:
    """Return what was read and what asks for a change, in one sentence."""
    told, given = report["summary"], report["parameters"]
    urgent = [one for one in report["findings"] if one["severity"] != "info"]
    chosen = [f"{name} {shown(str(given[name]))}" for name in ("tool", "since", "until") if given[name]]
    return (
        f"{severities(urgent) or 'Nothing to change'} in {counted(told['attempts'], 'attempt')} of "
        f"{counted(told['sessions'], 'session')} by {counted(told['agents'], 'agent')}"
        + (f" ({', '.join(chosen)})" if chosen else "")
    )


def figures(report: dict[str, Any]) -> str:
    """Return the four key figures."""
    told = report["summary"]
    cost = told["waste"]
    mean = told["maturity"]["mean"]
    spent = [counted(cost["calls"], "call")] + ([f"{cost['tokens']:,} tokens"] if cost["tokens"] else [])
    return definition(
        [
            ("Failed", _figure(told["error_rate"], "attempts")),
            ("Recovered", _figure(told["recovery_rate"], "episodes")),
            (
                "Maturity",
                f"<b>{DASH if mean is None else f'{mean:.2f}'}</b> <span>of 3, mean of "
                f"{counted(told['maturity']['occurrences'], 'failure')}</span>",
            ),
            ("Cost of failing", f"<b>{duration(cost['ms'])}</b> <span>{', '.join(spent)}</span>"),
        ]
    ).replace("<dl>", '<dl class="figures">')


def _figure(told: dict[str, Any], things: str) -> str:
    if not told["n"]:
        return f"<b>{DASH}</b> <span>no {things}</span>"
    return (
        f"<b>{percent(told['value'])} %</b> <span>{share(told['k'], told['n'])} {things}, "
        f"{bounds(told['lower'], told['upper'])}</span>"
    )


def agents(report: dict[str, Any], rows: list[dict[str, Any]]) -> str:
    """Return how far agents did what errors said.

    Args:
        report: Its summary states the total, where it is measured.
        rows: Of `marts.compliance`.
    """
    told = report["summary"]["compliance"]
    stated = [(name.capitalize(), rate(told[name])) for name in ("strict", "lenient") if isinstance(told[name], dict)]
    if not rows:
        return (definition(stated) if stated else "") or "<p>Not measured: no decision after an error was seen.</p>"
    titles = ["Agents", "Decisions", "Did what the error said", "95 % interval", "In at most three attempts"]
    body = [
        [
            "all" if row["value"] is None else f"{row['dimension']} {shown(row['value'], limit=60)}",
            f"{row['decision_count']:,}",
            share(row["lenient_count"], row["decision_count"])
            + " "
            + drawn(row["lenient_lower"], row["lenient_rate"], row["lenient_upper"]),
            bounds(row["lenient_lower"], row["lenient_upper"]),
            share(row["strict_count"], row["decision_count"]),
        ]
        for row in rows
    ]
    caption = "Decisions of agents after an error that said what to do"
    return (definition(stated) if stated else "") + table(caption, titles, body, numbers=frozenset({1, 2, 3, 4}))


def statuses(report: dict[str, Any]) -> str:
    """Return the attempts that say nothing about tools."""
    rows = [row for row in report["coverage"]["statuses"] if row["status"] not in _SCORED]
    if not rows:
        return "<p>None.</p>"
    body = [
        [
            shown(row["status"]).replace("_", " "),
            shown(row["reason"]) or DASH,
            shown(row["evidence"]),
            f"{row['attempt_count']:,}",
            f"{row['session_count']:,}",
        ]
        for row in rows
    ]
    titles = ["Status", "Reason", "Evidence", "Attempts", "Sessions"]
    return table("Attempts that are in no rate of a tool", titles, body, numbers=frozenset({3, 4}))


def coverage(report: dict[str, Any]) -> str:
    """Return what was read and lost."""
    told = report["coverage"]
    reasons = ", ".join(f"{shown(reason)} {count:,}" for reason, count in told["rejects_by_reason"].items())
    return definition(
        [
            ("Files", f"{told['files']:,} read, {told['unrecognised_files']:,} of no known format, "
             f"{told['torn_files']:,} with an unfinished last line"),
            ("Records", f"{told['records']:,}, {told['non_call_records']:,} of them without a call"),
            ("Events", f"{told['events']:,}, {told['duplicates']:,} told twice"),
            ("Damaged", f"{told['repaired']:,} repaired, {told['salvaged']:,} read in part, {told['lost']:,} lost"
             + (f" ({reasons})" if reasons else "")),
        ]
    )  # fmt: skip


def unmeasured(report: dict[str, Any]) -> str:
    """Return what could not be measured, and why."""
    codes = report["codes"]
    undecided = sum(one["verdict"] == "insufficient" for one in report["findings"])
    told = report["summary"]
    unfair = sum(not row["fair_reissue_count"] for row in codes)
    unlooped = sum(bool(row["with_fix_command_count"]) and not row["closed_loop_count"] for row in codes)
    lines = [
        f"{counted(undecided, 'finding')} without a verdict: too few cases. Each says how many more it needs.",
        f"{counted(unfair, 'code')} of {len(codes):,} never fairly reissued: whether repeating helps is not known.",
        f"{counted(unlooped, 'code')} with a fix command that never closed a loop: whether the fix works is not known.",
        f"{counted(told['outcomes']['censored'], 'episode')} still open where the log ends: in no rate.",
        f"{counted(told['suspected'], 'attempt')} only read like failures: suspected, in no rate.",
    ]
    if told["rei"]["value"] is None:
        lines.append("The recovery index is blank: fewer than 10 legs that could recover.")
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>"


def details(report: dict[str, Any]) -> str:
    """Return success three ways, how episodes ended, efficiency and what everything was computed with."""
    told = report["summary"]
    names = {"first_attempt_success": "at once", "attempt_success": "any attempt", "final_success": "in the end"}
    endings = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in told["outcomes"].items() if count)
    given = ", ".join(
        f"{name} {shown(str(value))}" for name, value in report["parameters"].items() if value is not None
    )
    return definition(
        [
            ("Success", "; ".join(f"{words} {rate(told[name])}" for name, words in names.items())),
            ("Failed, by session", rate(told["error_rate_by_session"])),
            ("Recovered, by session", rate(told["recovery_rate_by_session"])),
            ("Episodes", f"{told['episodes']:,}" + (f": {endings}" if endings else "")),
            ("Recovery index", _index(told["rei"])),
            ("Computed with", given),
        ]
    )


def _index(told: dict[str, Any]) -> str:
    index = "blank" if told["value"] is None else f"{told['value']:.1f}"
    re, se = (DASH if told[key] is None else f"{100 * told[key]:.0f} %" for key in ("re", "se"))
    return f"{index}: recovering {re} over {told['n_re']:,} legs, stopping {se} over {told['n_se']:,}"
