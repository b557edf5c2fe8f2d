"""The findings as SARIF 2.1.0 (OASIS), for viewers and dashboards of static analysis."""

import json
from typing import Any

from pipeline.analyses import ANALYSES
from pipeline.report.cells import change, measure
from pipeline.report.escape import escape
from pipeline.report.gate import Checked, Violation

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"breach": "error", "warning": "warning", "info": "note"}
_KINDS = {"supported": "pass", "insufficient": "open"}
_LIMITS = {
    "min_maturity": "Do the tool's errors carry what an agent needs?",
    "max_false_transient": "How many codes wrongly say that repeating helps?",
}


def render(report: dict[str, Any], checked: Checked, *, version: str) -> str:
    """Return a log of one run: a rule per analysis and limit, a result per finding and broken limit.

    A finding without a verdict is of kind `open`, one that supports the declaration of kind `pass`; both have level
    `none`, as the format asks. What a baseline knows has `baselineState` `unchanged`.

    Args:
        report: As `content.build` returns it.
        checked: The check of this report.
        version: Of recoup.
    """
    rules = [_rule(one.name, one.question) for one in ANALYSES] + [_rule(*limit) for limit in _LIMITS.items()]
    states = {one.id: "new" if one.is_new else "unchanged" for one in checked.violations}
    places = {rule["id"]: at for at, rule in enumerate(rules)}
    results = [_finding(one, places, states) for one in report["findings"]]
    results += [_limit(one, places) for one in checked.violations if one.limit in _LIMITS]
    run = {
        "tool": {"driver": {"name": "recoup", "version": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": results,
        "properties": {"unchecked": list(checked.unchecked)},
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, allow_nan=False) + "\n"


def _rule(name: str, question: str) -> dict[str, Any]:
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.split("_")),
        "shortDescription": {"text": name.replace("_", " ")},
        "fullDescription": {"text": question},
        "help": {"text": f"{question} `analyze explain CODE` shows the attempts behind a result."},
        "defaultConfiguration": {"level": "error"},
    }


def _finding(one: dict[str, Any], places: dict[str, int], states: dict[str, str]) -> dict[str, Any]:
    kind = _KINDS.get(one["verdict"], "fail")
    numbers = {name: one[name] for name in ("k", "n", "lower", "upper", "verdict", "weight")}
    proposed = change(one)
    told = {"measure": measure(one), "change": " = ".join(filter(None, proposed)) if proposed else ""}
    return {
        "ruleId": one["analysis"],
        "ruleIndex": places[one["analysis"]],
        "kind": kind,
        "level": _LEVELS[one["severity"]] if kind == "fail" else "none",
        "message": {"text": escape(one["sentence"])},
        "locations": [_location(one["tool"], one["error_code"])],
        "partialFingerprints": {"recoupFinding/v1": escape(one["id"])},
        **({"baselineState": states[one["id"]]} if one["id"] in states else {}),
        "properties": {name: value for name, value in (numbers | told).items() if value not in (None, "")},
    }


def _limit(one: Violation, places: dict[str, int]) -> dict[str, Any]:
    return {
        "ruleId": one.limit,
        "ruleIndex": places[one.limit],
        "kind": "fail",
        "level": "error",
        "message": {"text": escape(one.sentence)},
        "locations": [_location(one.tool, None)],
        "partialFingerprints": {"recoupFinding/v1": escape(one.id)},
        "baselineState": "new" if one.is_new else "unchanged",
    }


def _location(tool: str | None, error_code: str | None) -> dict[str, Any]:
    """Return where a finding is: a code of a tool; no file is known to hold it."""
    name = escape(error_code or tool) or "unknown"
    full = "/".join(escape(part) for part in (tool, error_code) if part) or name
    kind = "member" if error_code else "module"
    return {"logicalLocations": [{"name": name, "fullyQualifiedName": full, "kind": kind}]}
