"""One report, all renderings: the same numbers, and no text of a log that does anything."""

import csv
import io
import json
import re
from xml.etree import ElementTree

import pytest

from pipeline.parameters import Parameters
from pipeline.report import csv as tables
from pipeline.report import gate, html, html_charts, junit, markdown, sarif
from pipeline.report.cells import DASH, measure
from pipeline.report.escape import escape

from .renderings import ANSI, FORMULA, HOSTILE, LONG, Page, poisoned


@pytest.fixture(scope="module")
def busy_extras(busy, report_of):
    """Evidence and charts of the busy world."""
    return html_charts.extras(busy.connection, Parameters(), report_of(busy))


@pytest.fixture
def checked(busy_report):
    """The busy report against the default limits."""
    return gate.check(busy_report, gate.Rules())


def _numbers(text):
    return re.findall(r"\d[\d,.]*", text)


def test_every_rendering_shows_the_same_numbers_of_findings(busy_report, busy_extras, checked):
    """k, n and interval of each finding are alike in the page, Markdown, SARIF and CSV."""
    page = Page(html.render(busy_report, busy_extras))
    results = json.loads(sarif.render(busy_report, checked, version="1"))["runs"][0]["results"]
    rows = list(csv.DictReader(io.StringIO(_findings_csv(busy_report))))
    comment = markdown.render(busy_report)
    assert len(busy_report["findings"]) == len(results) == len(rows)
    for finding, result, row in zip(busy_report["findings"], results, rows, strict=True):
        [item] = page.all("li", data_finding=escape(finding["id"]))
        words = measure(finding)
        assert words in item[2]
        assert words in comment or finding["severity"] == "info"
        for name in ("k", "n", "lower", "upper"):
            assert finding[name] == result["properties"].get(name)
            assert ("" if finding[name] is None else str(finding[name])) == row[name]


def _findings_csv(report):
    return tables.table([*report["findings"][0]], [list(one.values()) for one in report["findings"]])


def test_every_rendering_shows_the_same_numbers_of_codes(busy, busy_report, busy_extras):
    """Counts of each code are alike in the page, Markdown and the CSV of the mart, and are those of the report."""
    page = Page(html.render(busy_report, busy_extras))
    lines = [line for line in markdown.render(busy_report).splitlines() if line.startswith("| ")][1:]
    files = dict(tables.files(busy.connection, Parameters(), busy_report))
    mart = {row["error_code"]: row for row in csv.DictReader(io.StringIO(files["error_codes.csv"]))}
    rows = [one for one in page.all("tr") if "data-search" in one[1]]
    assert len(busy_report["codes"]) == len(lines) == len(rows) == len(mart)
    for code, line, row in zip(busy_report["codes"], lines, rows, strict=True):
        settled = code["episode_count"] - code["censored_count"]
        shares = [
            (code["recovered_count"], settled),
            (code["fair_success_count"], code["fair_reissue_count"]),
            (code["failed_loop_count"], code["closed_loop_count"]),
        ]
        wanted = [f"{k}/{n}" if n else DASH for k, n in shares]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        assert [str(code["occurrence_count"]), *wanted] == cells[3:7]
        assert all(share in row[2] for share in wanted)
        for name in ("occurrence_count", "fair_success_count", "fair_reissue_count", "wasted_tokens", "maturity"):
            assert str(code[name]) == mart[code["error_code"]][name]


def test_every_rendering_shows_the_same_key_figures(busy_report, busy_extras):
    """Failed and recovered k/n and interval stand alike in the page and in Markdown."""
    page, comment = html.render(busy_report, busy_extras), markdown.render(busy_report)
    for name in ("error_rate", "recovery_rate"):
        told = busy_report["summary"][name]
        assert f"{told['k']:,}/{told['n']:,}" in page
        assert f"{told['k']:,}/{told['n']:,} ({100 * told['value']:.0f} %" in comment


def test_hostile_text_stays_text_in_the_page(busy_report, busy_extras):
    """Script tags, handlers, terminal sequences and bidirectional overrides of logs are shown, never in effect."""
    markup = html.render(poisoned(busy_report), busy_extras)
    page = Page(markup)

    assert 1 == len(page.all("script"))
    assert not page.all("img")
    assert not [one for one in page.elements if any(name.startswith("on") for name in one[1])]
    assert not [char for char in ("\x1b", "\u202e", "\u2066", "\u200b") if char in markup]
    assert len(markup) < 3_000_000


def test_the_page_forbids_what_it_does_not_need(busy_report, busy_extras):
    """The policy allows the page's own script by its hash, no other source, and nothing in the page names one."""
    from base64 import b64encode
    from hashlib import sha256

    page = Page(html.render(busy_report, busy_extras))
    [policy] = page.all("meta", http_equiv="Content-Security-Policy")
    [script] = page.all("script")

    digest = b64encode(sha256(script[2].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy[1]["content"]
    assert policy[1]["content"].startswith("default-src 'none'")
    named = [one[1].get("src") or one[1].get("href") or "" for one in page.elements]
    assert {"#", "d", ""} == {address[:1] for address in named}


def test_evidence_says_that_it_is_a_sample(busy_report, busy_extras):
    """Each unfolding names how many cases it shows of how many, and shows at most so many calls."""
    page = Page(html.render(busy_report, busy_extras))
    unfolding = page.all("details", class_="evidence")

    assert len(unfolding) == sum(bool(one) for one in busy_extras.evidence.values()) > 0
    assert all("A sample:" in one[2] for one in unfolding)


def test_a_report_over_nothing_says_so(void, void_report):
    """An empty store has a page, a comment and tables that say that nothing was read."""
    extras = html_charts.extras(void.connection, Parameters(), void_report)

    assert "No attempts were read" in html.render(void_report, extras)
    assert "No failure carried a code" in markdown.render(void_report)
    assert "error_codes.csv" in dict(tables.files(void.connection, Parameters(), void_report))


def test_one_tool_only(busy, report_of):
    """Evidence, charts and tables of a report about one tool hold nothing of another."""
    report = report_of(busy, tool="make")
    extras = html_charts.extras(busy.connection, Parameters(), report)
    files = dict(tables.files(busy.connection, Parameters(), report))

    assert "QUOTA_EXHAUSTED" not in html.render(report, extras)
    assert "QUOTA_EXHAUSTED" not in files["error_codes.csv"]


def test_markdown_is_a_comment_whatever_logs_say(busy_report):
    """Hostile text makes no link, mention, image, heading or cell, and the comment stays below its limit."""
    bad = poisoned(busy_report)
    bad["codes"] = bad["codes"] * 200
    comment = markdown.render(bad)

    assert len(comment) <= markdown.LONGEST
    assert not re.search(r"<script|<img|\]\(|@everyone|#1|\x1b|\u202e", re.sub(r"&#\d+;", "", comment))
    rows = [line for line in comment.splitlines() if line.startswith("| ")]
    assert {10} == {line.count("|") for line in rows}
    assert "more codes not shown here" in comment


@pytest.mark.parametrize("text", [FORMULA, "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\x1b[0m=1"])
def test_csv_runs_nothing(text):
    """Text that a spreadsheet would run has an apostrophe in front; numbers stay numbers."""
    [_, row] = csv.reader(io.StringIO(tables.table(["text", "number"], [[text, -1.5]])))

    assert row[0].startswith("'")
    assert "-1.5" == row[1]


def test_csv_values():
    """What is not known is empty, lists are JSON, booleans lower case, text one harmless line."""
    values = [None, ["a"], True, 0.1, "a\nb" + ANSI]
    [_, row] = csv.reader(io.StringIO(tables.table(list("abcde"), [values])))

    assert ["", '["a"]', "true", "0.1", "a bredlink"] == row


def test_junit_is_read_by_a_standard_reader(busy, report_of, checked):
    """The package junitparser reads the file: its counts are those of the cases, failures those of the check."""
    junitparser = pytest.importorskip("junitparser")
    busy_report = report_of(busy)
    undecided = next(one for one in busy_report["findings"] if one["error_code"] is None)
    undecided["verdict"] = "insufficient"
    [suite] = junitparser.JUnitXml.fromstring(junit.render(busy_report, gate.check(busy_report, gate.Rules())).encode())
    failed = [case for case in suite if case.is_failure]
    skipped = [case for case in suite if case.is_skipped]

    assert (suite.tests, suite.failures, suite.skipped) == (len(list(suite)), len(failed), len(skipped))
    failing = {(one.tool, one.error_code, one.id.split(":")[0]) for one in checked.violations}
    assert len(failing) == len(failed) > 0
    assert f"(no code): {undecided['analysis']}" in {case.name for case in skipped}
    assert "PERMISSION_DENIED: failed_closed_loops" in {case.name for case in skipped}


def test_junit_of_hostile_text_is_well_formed(busy_report):
    """Markup and control characters of logs leave the XML well formed."""
    bad = poisoned(busy_report)
    root = ElementTree.fromstring(junit.render(bad, gate.check(bad, gate.Rules())))

    assert any(escape(HOSTILE)[:30] in (case.get("name") or "") for case in root.iter("testcase"))
    assert LONG not in ElementTree.tostring(root, encoding="unicode")
