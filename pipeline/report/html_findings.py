"""Findings on the page: a sentence, its numbers drawn, what to change, and the attempts behind it."""

from typing import Any

from pipeline.analyses.words import counted, duration
from pipeline.report.cells import change, measure
from pipeline.report.evidence import FINDINGS, Case
from pipeline.report.html_parts import anchor, code, drawn, linked, shown, told
from pipeline.report.terminal_findings import severities

MOST = 300
"""Findings on a page; it says how many more there are."""
_WORDS = {"breach": "Breach", "warning": "Warning", "info": "Note"}
_KINDS = {"unchanged": "same call again", "changed": "changed call"}


def findings(report: dict[str, Any], evidence: dict[str, tuple[Case, ...]], *, has_links: bool = False) -> str:
    """Return the list of what to change, and the notes folded below it; `has_links`: sessions are links."""
    every = report["findings"][:MOST]
    urgent = [one for one in every if one["severity"] != "info"]
    notes = [one for one in every if one["severity"] == "info"]
    blocks = [_list(urgent, evidence, has_links)] if urgent else [f"<p>{_nothing(report)}</p>"]
    if notes:
        words = f"{severities(notes)}: what is supported, undecided, or good to know"
        blocks.append(f'<details class="notes"><summary>{words}</summary>{_list(notes, evidence, has_links)}</details>')
    total = len(report["findings"])
    if any(one["evidence"] for one in report["findings"][FINDINGS:]):
        blocks.append(
            f'<p class="of sample">Evidence is shown for the first {FINDINGS:,} of {total:,} findings; '
            "that of the others: <code>analyze explain</code> and the id, <code>findings[].id</code> of "
            "<code>analyze report --format json</code></p>"
        )
    if total > MOST:
        blocks.append(f"<p>{total - MOST:,} more findings: <code>analyze report --full</code></p>")
    return "".join(blocks)


def _nothing(report: dict[str, Any]) -> str:
    if not report["summary"]["attempts"]:
        return "No attempts were read: nothing can be said."
    return "Nothing here contradicts what the errors say."


def _list(findings: list[dict[str, Any]], evidence: dict[str, tuple[Case, ...]], has_links: bool) -> str:
    items = "".join(_finding(one, evidence.get(one["id"], ()), has_links) for one in findings)
    return f'<ol class="findings">{items}</ol>'


def _finding(one: dict[str, Any], cases: tuple[Case, ...], has_links: bool) -> str:
    name = anchor("finding", one["id"])
    value = one["k"] / one["n"] if one["n"] else None
    numbers = measure(one)
    figures = (
        f'<p class="measure">{drawn(one["lower"], value, one["upper"], one["severity"])}<span>{numbers}</span></p>'
    )
    return (
        f'<li class="finding {one["severity"]}" id="{name}" data-finding="{shown(one["id"])}">'
        f'<p class="about"><span class="badge">{_WORDS[one["severity"]]}</span> {_subject(one)}</p>'
        f"<h3>{told(one['sentence'])}</h3>"
        + (figures if numbers else "")
        + _change(one)
        + _evidence(one, cases, has_links)
        + "</li>"
    )


def _subject(one: dict[str, Any]) -> str:
    named = code(one["error_code"], limit=80) if one["error_code"] else "no code"
    verdict = "" if one["severity"] == "breach" else f", {one['verdict']}"
    return f'{named} <span class="of">of {shown(one["tool"], limit=80) or "?"}{verdict}</span>'


def _change(one: dict[str, Any]) -> str:
    proposed = change(one)
    if proposed is None:
        return ""
    field, value = proposed
    words = f"set {code(field)} to {code(value, limit=200)}" if value else code(field)
    return f'<p class="change"><b>Change:</b> {words}</p>'


def _evidence(one: dict[str, Any], cases: tuple[Case, ...], has_links: bool) -> str:
    if not cases:
        return ""
    kept = len(one["evidence"])
    words = f"Evidence: {counted(len(cases), 'case')}"
    said = f"A sample: {counted(len(cases), 'case')} from the {counted(kept, 'attempt')} that the finding names"
    said += f" ({one['n']:,} trials in all)" if one["n"] and one["n"] > kept else ""
    return (
        f'<details class="evidence"><summary>{words}</summary><p class="of">{said}.</p>'
        + "".join(_case(case, has_links) for case in cases)
        + "</details>"
    )


def _case(case: Case, has_links: bool) -> str:
    first = case.steps[0]
    ended = (first["outcome"] or "").replace("_", " ")
    session = code(first["session_id"], limit=60)
    session = linked(session, "session", first["session_id"]) if has_links else session
    told_of = f"{shown(first['agent_name'], limit=60) or 'an agent'}, session {session}"
    half = len(case.steps) // 2
    steps = [_step(step, first) for step in case.steps]
    if case.left_out:
        steps.insert(half, f'<li class="gap">{counted(case.left_out, "call")} left out</li>')
    title = f'<p class="case">{told_of}{f": <b>{ended}</b>" if ended else ""}</p>'
    return f'{title}<ol class="steps">{"".join(steps)}</ol>'


def _step(step: dict[str, Any], first: dict[str, Any]) -> str:
    kind = "fix" if step["is_fix"] else "ok" if step["true_ok"] else "bad" if step["status"] == "error" else "other"
    return (
        f'<li class="{kind}">{_wait(step)}<div class="call"><span class="at">{_at(step, first)}</span>'
        f"<span>{code(step['asked'], limit=200)}</span></div>"
        f'<div class="result">{_result(step, kind)}</div></li>'
    )


def _at(step: dict[str, Any], first: dict[str, Any]) -> str:
    if step["started_ms"] is None or first["started_ms"] is None:
        return "?"
    return f"+{duration(max(step['started_ms'] - first['started_ms'], 0))}"


def _wait(step: dict[str, Any]) -> str:
    """Return what lies between the failure and its reissue."""
    if step["delay_ms"] is None or step["reissue_kind"] is None:
        return ""
    words = f"waited {duration(step['delay_ms'])}, then {_KINDS.get(step['reissue_kind'], shown(step['reissue_kind']))}"
    words += (
        ", before the declared wait was over" if step["is_early"] else ", a fair reissue" if step["is_fair"] else ""
    )
    return f'<div class="wait">{words}</div>'


def _result(step: dict[str, Any], kind: str) -> str:
    status = {"fix": "fix, " + (step["status"] or "?"), "ok": "worked"}.get(kind, step["status"])
    parts = [f'<b class="status">{shown(status).replace("_", " ")}</b>']
    parts += [code(step["error_code"], limit=80)] if step["error_code"] else []
    parts += [f"exit {step['exit_code']}"] if step["exit_code"] is not None else []
    parts += [f'<q dir="auto">{shown(step["message"], limit=200)}</q>'] if step["message"] else []
    return " ".join(parts) + _declared(step)


def _declared(step: dict[str, Any]) -> str:
    said = [] if step["retryable"] is None else [f"retryable:{str(step['retryable']).lower()}"]
    said += [f"wait {duration(step['retry_after_ms'])}"] if step["retry_after_ms"] is not None else []
    said += [f"fix {code(step['fix_command'], limit=200)}"] if step["fix_command"] else []
    return f'<span class="said">says {", ".join(said)}</span>' if said else ""
