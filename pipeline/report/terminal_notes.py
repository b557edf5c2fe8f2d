"""The sentences around findings and codes: the headline, what stands outside the scores, what was read."""

from typing import Any

from rich.text import Text

from pipeline.analyses.words import counted, duration, percent
from pipeline.report.escape import escape
from pipeline.report.layout import Glyphs

_SCORED = ("ok", "error")


def headline(report: dict[str, Any], glyphs: Glyphs) -> Text:
    """Return what was measured and how it went, in a few numbers."""
    told = report["summary"]
    recovery = told["recovery_rate"]
    parts = [
        f"{counted(told['sessions'], 'session')} of {counted(told['agents'], 'agent')}, "
        f"{counted(told['attempts'], 'attempt')}{_selection(report)}",
        f"failed {rate(told['error_rate'], glyphs)}",
        f"recovered {rate(recovery, glyphs)} of the episodes",
    ]
    if told["outcomes"]["censored"]:
        parts[-1] += f", {told['outcomes']['censored']} still open"
    return Text.assemble(("recoup  ", "bold"), "; ".join(parts))


def rate(told: dict[str, Any], glyphs: Glyphs) -> str:
    """Return a rate as `12/30 (40 %, 24-58)`; without a trial only that."""
    if not told["n"]:
        return "0/0"
    bounds = f"{percent(told['lower'])}{glyphs.dash}{percent(told['upper'])}"
    return f"{told['k']:,}/{told['n']:,} ({percent(told['value'])} %, {bounds})"


def statuses_note(report: dict[str, Any]) -> Text:
    """Return how many attempts say nothing about tools, by status; suspected failures apart."""
    counts = report["coverage"]["attempts_by_status"]
    others = [f"{count:,} {status.replace('_', ' ')}" for status, count in counts.items() if status not in _SCORED]
    suspected = report["summary"]["suspected"]
    told = ", ".join(others) or "none"
    told += f"; {suspected:,} of the unknown read like failures (suspected, in no rate)" if suspected else ""
    return Text.assemble(("Outside tool scores  ", "bold"), told)


def coverage_notes(report: dict[str, Any], glyphs: Glyphs) -> list[Text]:
    """Return what was read, skipped, repaired and lost."""
    told = report["coverage"]
    reasons = ", ".join(f"{count} {escape(reason)}" for reason, count in told["rejects_by_reason"].items())
    read = f"{counted(told['files'], 'file')}, {counted(told['records'], 'record')}, {counted(told['events'], 'event')}"
    rest = [
        f"{told['non_call_records']:,} records hold no call",
        f"{told['duplicates']:,} told twice",
        f"{told['repaired']:,} repaired",
        f"{told['lost']:,} lost" + (f" ({reasons})" if reasons else ""),
    ]
    rest += [f"{counted(told['torn_files'], 'unfinished last line')} waiting"] if told["torn_files"] else []
    rest += [f"{counted(told['unrecognised_files'], 'file')} of no known format"] if told["unrecognised_files"] else []
    return [Text.assemble(("Read  ", "bold"), f"{read}; {', '.join(rest)}")]


def details(report: dict[str, Any], glyphs: Glyphs) -> list[Text]:
    """Return what only the full report says: success three ways, endings, efficiency, maturity, cost, parameters."""
    told = report["summary"]
    notes = [
        ("Success", _success(told, glyphs)),
        ("Episodes", _endings(told)),
        ("Efficiency", _efficiency(told["rei"])),
        ("Maturity", _maturity(told["maturity"])),
        ("Cost of failing", _cost(told["waste"])),
        ("Computed with", ", ".join(f"{k}={v}" for k, v in report["parameters"].items() if v is not None)),
    ]
    return [Text.assemble((f"{title}  ", "bold"), text) for title, text in notes]


def _selection(report: dict[str, Any]) -> str:
    given = report["parameters"]
    parts = [f"{name} {escape(given[name])}" for name in ("tool", "since", "until") if given[name]]
    return f" ({', '.join(parts)})" if parts else ""


def _success(told: dict[str, Any], glyphs: Glyphs) -> str:
    names = {"first_attempt_success": "first attempt", "attempt_success": "any attempt", "final_success": "in the end"}
    return "; ".join(f"{words} {rate(told[name], glyphs)}" for name, words in names.items())


def _endings(told: dict[str, Any]) -> str:
    endings = [f"{count:,} {outcome.replace('_', ' ')}" for outcome, count in told["outcomes"].items() if count]
    return f"{told['episodes']:,}" + (f": {', '.join(endings)}" if endings else "")


def _efficiency(told: dict[str, Any]) -> str:
    def shown(value: float | None, factor: int = 100) -> str:
        return "not known" if value is None else f"{factor * value:.0f}"

    index = "blank (fewer than 10 legs that could recover)" if told["value"] is None else f"{told['value']:.1f}"
    return (
        f"REI {index}; recovery {shown(told['re'])} % over {told['n_re']:,} legs, stopping {shown(told['se'])} % over "
        f"{told['n_se']:,}; {told['against_advice']:,} recovered against advice; declared terminal "
        f"{shown(told['terminal_share'])} %, still open {shown(told['censored_share'])} %"
    )


def _maturity(told: dict[str, Any]) -> str:
    if told["mean"] is None:
        return "no failure"
    rungs = ", ".join(f"{rung} {count:,}" for rung, count in told["rungs"].items())
    tools = "; ".join(_tool(row) for row in told["tools"][:10])
    more = len(told["tools"]) - 10
    tools += f"; {counted(more, 'more tool')}" if more > 0 else ""
    return f"mean {told['mean']:.2f} of 3 over {told['occurrences']:,} failures ({rungs}); {tools}"


def _tool(row: dict[str, Any]) -> str:
    declared, proven = row["maturity"], row["proven_maturity"]
    level = str(declared) if proven == declared else f"{declared} (proven {proven})"
    return f"{escape(row['tool'])} {level}" + ("?" if row["is_provisional"] else "")


def _cost(told: dict[str, Any]) -> str:
    return f"{counted(told['calls'], 'call')}, {duration(told['ms'])}, {told['tokens']:,} tokens"
