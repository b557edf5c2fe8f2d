"""SARIF: valid by the schema, and what its fields say."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft4Validator

from pipeline.analyses import ANALYSES
from pipeline.report import gate, sarif

from .renderings import poisoned

SCHEMA = Path(__file__).parents[2] / "node/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"
needs_schema = pytest.mark.skipif(not SCHEMA.exists(), reason="npm install in tests/node brings the SARIF schema")


def _log(report, **chosen):
    return json.loads(sarif.render(report, gate.check(report, gate.Rules(), **chosen), version="1.2"))


@needs_schema
@pytest.mark.parametrize("change", [lambda report: report, poisoned], ids=["plain", "hostile"])
def test_valid_by_the_schema(busy_report, change):
    """The schema of SARIF 2.1.0 accepts the log, also where the logs hold hostile text."""
    faults = Draft4Validator(json.loads(SCHEMA.read_text())).iter_errors(_log(change(busy_report)))

    assert [] == [fault.message for fault in faults]


def test_rules_are_the_analyses(busy_report):
    """Each analysis is a rule with a help text, and each result names its rule by id and place."""
    [run] = _log(busy_report)["runs"]
    rules = run["tool"]["driver"]["rules"]

    assert {one.name for one in ANALYSES} <= {rule["id"] for rule in rules}
    assert all(rule["help"]["text"] for rule in rules)
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])


def test_levels_and_fingerprints(busy_report):
    """The level follows the severity, the fingerprint is the finding's id, the place is the code of its tool."""
    [run] = _log(busy_report)["runs"]
    first, quota = run["results"][0], busy_report["findings"][0]

    assert ("error", "fail") == (first["level"], first["kind"])
    assert {"recoupFinding/v1": quota["id"]} == first["partialFingerprints"]
    [place] = first["locations"][0]["logicalLocations"]
    assert f"{quota['tool']}/{quota['error_code']}" == place["fullyQualifiedName"]


def test_without_a_verdict_no_level(busy_report):
    """What is undecided is `open`, what is supported `pass`: the format asks for level none."""
    for verdict, kind in (("insufficient", "open"), ("supported", "pass")):
        busy_report["findings"][0]["verdict"] = verdict
        first = _log(busy_report)["runs"][0]["results"][0]
        assert (kind, "none") == (first["kind"], first["level"])


def test_a_baseline_marks_what_is_known(busy_report):
    """A finding of the baseline is unchanged, another new."""
    known = busy_report["findings"][0]["id"]
    results = _log(busy_report, baseline={known})["runs"][0]["results"]

    assert "unchanged" == results[0]["baselineState"]
    assert "new" in {one.get("baselineState") for one in results}
