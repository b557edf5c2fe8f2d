"""Explanations of findings over `sample_data`, and what the page says of its samples."""

import copy
from pathlib import Path

import pytest

from pipeline import analyses, ingest, models
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters
from pipeline.report import content, html, html_charts
from pipeline.report.escape import escape
from pipeline.report.evidence import FINDINGS
from pipeline.report.explain import explanation, to_text
from pipeline.report.explain_finding import SECTIONS
from pipeline.store import open_store

from .renderings import ANSI

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The store over the committed sample logs."""
    store = tmp_path_factory.mktemp("sample") / "recoup.duckdb"
    ingest.import_paths(store, [ROOT / "sample_data" / "claude_code", ROOT / "sample_data" / "envelope_log"])
    with open_store(store, write=True) as connection:
        models.build(connection, Parameters())
    with open_store(store) as connection:
        yield connection


@pytest.fixture(scope="module")
def findings(sample):
    """The findings of the report over the sample."""
    return content.build(sample, Parameters())["findings"]


def explain(connection, subject, **options):
    """Return the explanation of a subject."""
    return explanation(connection, subject, parameters=Parameters(), **options)


def test_every_finding_is_explained_by_its_id(sample, findings):
    """Each analysis' findings have their sentence, verdict, numbers, rule and all of their evidence."""
    chosen = {one["analysis"]: one for one in findings}.values()
    for one in chosen:
        found = explain(sample, one["id"], limit=10)
        text = to_text(found)
        [told] = found["findings"]

        assert {name: told[name] for name in ("id", "sentence", "verdict", "k", "n")} == {
            name: one[name] for name in ("id", "sentence", "verdict", "k", "n")
        }
        assert text.startswith(f"finding {one['id']}: {one['severity']}, {one['verdict']}\n  {escape(one['sentence'])}")
        assert f"terms: docs/definitions.md, {SECTIONS[one['analysis']]}" in text
        seen = {step["attempt_id"] for episode in found["episodes"] for step in episode["steps"]}
        seen |= {step["attempt_id"] for step in found["attempts"]}
        seen |= {episode["episode_id"] for episode in found["episodes"]}
        assert one["evidence"]
        assert set(one["evidence"]) <= seen


def test_a_finding_in_words(sample):
    """A start that only one id has is enough; counts, interval, clause and proposal stand before the attempts."""
    text = to_text(explain(sample, "retry_after:tool:RATE", limit=1))

    assert text.startswith("finding retry_after:tool:RATE_LIMITED:transient: breach, contradicted\n")
    assert "counted: 0 of 10, 95 % interval 0\u201328 %" in text
    assert "source: REQ-C-014" in text
    assert "change: set retry_after_ms to 81710" in text
    assert "reissue after 23 s: unchanged, fair" in text
    assert "1 case of the 10 ids that the finding names; `--limit` shows more" in text


def test_evidence_outside_of_episodes(sample):
    """An attempt that is part of no episode is shown alone."""
    found = explain(sample, "false_successes:curl")

    assert (0, 2) == (len(found["episodes"]), len(found["attempts"]))
    assert 2 == to_text(found).count(": part of no episode\n   1 ")


def test_a_start_that_several_have(sample, findings):
    """A start that several ids share is an error that lists them."""
    with pytest.raises(RecoupError) as caught:
        explain(sample, "fix_command_lint:")

    assert "SUBJECT_NOT_FOUND" == caught.value.entry.code
    ids = sorted(one["id"] for one in findings if one["analysis"] == "fix_command_lint")
    assert ids == caught.value.context["candidates"]


@pytest.mark.parametrize(("subject", "tool"), [("nothing:at:all", None), ("retry_after:tool:RATE", "curl"), ("", "no")])
def test_what_is_not_there(sample, subject, tool):
    """An unknown subject, or one of another tool, is an error that lists the accepted kinds."""
    with pytest.raises(RecoupError) as caught:
        explain(sample, subject, tool=tool)

    assert "SUBJECT_NOT_FOUND" == caught.value.entry.code
    assert {"error code", "episode id or its start", "finding id or its start"} == set(caught.value.context["accepted"])


def test_codes_and_episodes_come_first(sample):
    """What is a code stays a code: no finding is added to it."""
    found = explain(sample, "RATE_LIMITED")

    assert found["codes"]
    assert ([], []) == (found["findings"], found["attempts"])


def test_hostile_text_of_a_finding_stays_text(sample):
    """Sequences in the sentence and the proposal of a finding are not obeyed."""
    found = copy.deepcopy(explain(sample, "retry_after:tool:RATE"))
    found["findings"][0] |= {"sentence": ANSI, "proposal": {"field": "retry_after_ms", "value": ANSI}}

    assert "\x1b" not in to_text(found)


def test_every_rule_names_a_section_that_exists():
    """Each analysis names a section of the definitions."""
    titles = (ROOT / "docs" / "definitions.md").read_text(encoding="utf-8").splitlines()

    assert {one.name for one in analyses.ANALYSES} == set(SECTIONS)
    assert {f"## {section}" for section in SECTIONS.values()} <= set(titles)


def test_the_page_says_where_evidence_ends(busy_report):
    """Beyond the last finding with evidence the page says so; a small page says nothing."""
    few, many = copy.deepcopy(busy_report), copy.deepcopy(busy_report)
    model = next(one for one in busy_report["findings"] if one["evidence"])
    many["findings"] = [model | {"id": f"made:{number}"} for number in range(FINDINGS + 7)]
    few["findings"] = many["findings"][:FINDINGS]

    assert f"for the first {FINDINGS} of {FINDINGS + 7} findings" in html.render(many, html_charts.Extras({}))
    assert "Evidence is shown for the first" not in html.render(few, html_charts.Extras({}))


def test_a_wait_chart_says_how_many_it_draws(sample, findings, monkeypatch):
    """A chart of more reissues than are drawn says of how many, the same ones each time; a full one says nothing."""
    report = content.build(sample, Parameters())
    whole = html_charts.extras(sample, Parameters(), report).waits
    monkeypatch.setattr(html_charts, "MOST_LOOKS", 10)
    cut, again = (html_charts.extras(sample, Parameters(), report).waits for _ in range(2))

    assert whole
    assert not any("A sample:" in chart for chart in whole)
    assert any("A sample: 10 of " in chart for chart in cut)
    words = [[chart.partition("<figcaption>")[2] for chart in charts] for charts in (cut, again)]
    assert words[0] == words[1]


def test_the_full_report_says_where_ids_are(busy_report, void_report, shown):
    """The whole report on a terminal tells how to look up one finding; without findings it does not."""
    assert "one finding alone: ids are findings[].id of" in shown(busy_report, full=True)
    assert "one finding alone" not in shown(void_report, full=True)
