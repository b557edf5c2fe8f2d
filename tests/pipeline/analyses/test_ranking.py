import random
from pathlib import Path

import pytest

from pipeline import analyses
from pipeline.analyses import ANALYSES
from pipeline.analyses.ranking import all_findings
from pipeline.models import MODELS
from pipeline.parameters import Parameters

ORDER = {"breach": 0, "warning": 1, "info": 2}


def test_what_to_change_first_stands_first(busy):
    """Findings go by severity, then by the failing calls they concern."""
    found = all_findings(busy.connection, Parameters())

    assert [(ORDER[f.severity], -f.weight) for f in found] == sorted((ORDER[f.severity], -f.weight) for f in found)
    assert found[0].error_code == "QUOTA_EXHAUSTED"
    assert {finding.severity for finding in found} == set(ORDER)


def test_ids_are_unique_and_evidence_is_short(busy):
    """No two findings share an id, and each names at most ten attempts or episodes that exist."""
    found = all_findings(busy.connection, Parameters())
    known = {row[0] for row in busy.connection.execute("select attempt_id from core.attempts").fetchall()}

    assert len({finding.id for finding in found}) == len(found)
    assert all(0 < len(finding.evidence) <= 10 for finding in found)
    assert all(set(finding.evidence) <= known for finding in found)


def test_the_order_of_shipping_leaves_no_trace(busy, world):
    """The same events in another order give the same findings, to the last id of evidence."""
    world.events += busy.events
    random.Random(7).shuffle(world.events)

    assert all_findings(busy.connection, Parameters()) == all_findings(world.build(), Parameters())


def test_a_tool_chooses_its_findings(busy):
    """With a tool, findings about others are left out."""
    assert {finding.tool for finding in all_findings(busy.connection, Parameters(), tool="make")} == {"make"}


def test_an_empty_store_has_no_findings(void):
    """Without attempts there is nothing to say."""
    assert all_findings(void.connection, Parameters()) == []


@pytest.mark.parametrize("analysis", ANALYSES, ids=lambda analysis: analysis.name)
def test_an_analysis_is_complete(analysis):
    """Each analysis has its mart, the four sections of documentation, a test file and a row in the docs."""
    module = getattr(analyses, analysis.name)
    root = Path(__file__).parents[3]

    assert analysis.mart in MODELS
    for section in ("What it measures: ", "Why it matters: ", "How to act: ", "Source: "):
        assert f"\n{section}" in module.__doc__
    assert Path(__file__).with_name(f"test_{analysis.name}.py").exists()
    assert f"| `{analysis.name}` | {analysis.question} |" in (root / "docs" / "report.md").read_text(encoding="utf-8")
