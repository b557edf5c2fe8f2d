"""The gate: what is over a limit."""

import pytest

from pipeline.report import gate, gate_text
from pipeline.report.gate import Limits, Rules


def _ids(report, limits, **chosen):
    return [one.id for one in gate.check(report, Rules(limits), **chosen).violations]


def test_breaches_fail_by_default(busy_report):
    """Without settings every breach is over the limit, and nothing else."""
    wanted = [one["id"] for one in busy_report["findings"] if one["severity"] == "breach"]

    assert wanted == _ids(busy_report, Limits())
    assert 1 == gate.check(busy_report, Rules()).exit_code


@pytest.mark.parametrize("name", ["warning", "info"])
def test_a_severity_takes_the_graver_ones_along(busy_report, name):
    """`warning` fails on breaches too; what is undecided or supported never fails."""
    held = gate.SEVERITIES[: gate.SEVERITIES.index(name) + 1]
    wanted = [
        one["id"]
        for one in busy_report["findings"]
        if one["severity"] in held and one["verdict"] not in ("insufficient", "supported")
    ]

    assert wanted == _ids(busy_report, Limits(fail_on=(name,)))


def test_an_analysis_by_name(busy_report):
    """A name of an analysis fails on what it finds only."""
    found = _ids(busy_report, Limits(fail_on=("false_successes",)))

    assert found
    assert {"false_successes"} == {id.split(":")[0] for id in found}


def test_least_maturity(busy_report):
    """A tool below the least proven maturity fails; one with few failures is named as not checked."""
    for row in busy_report["summary"]["maturity"]["tools"]:
        row["is_provisional"] = row["tool"] != "tool"
    checked = gate.check(busy_report, Rules(Limits(fail_on=(), min_maturity=3)))

    assert ["min_maturity:tool"] == [one.id for one in checked.violations]
    assert any("maturity of make" in sentence for sentence in checked.unchecked)


@pytest.mark.parametrize(("most", "failing"), [(0, 1), (1, 0), (None, 0)])
def test_most_false_transients(busy_report, most, failing):
    """QUOTA_EXHAUSTED alone wrongly says retryable:true: one is over a limit of none only."""
    found = _ids(busy_report, Limits(fail_on=(), max_false_transient=most))

    assert ["max_false_transient:tool"][:failing] == found


def test_limits_of_one_tool(busy_report):
    """A tool's own limits hold for it instead of the common ones."""
    rules = Rules(Limits(), {"tool": Limits(fail_on=())})

    assert "tool" not in {one.tool for one in gate.check(busy_report, rules).violations}


def test_only_what_is_new_fails(busy_report):
    """With all of now in the baseline the check is good; without one of it, that one fails."""
    known = _ids(busy_report, Limits())

    assert 0 == gate.check(busy_report, Rules(), baseline=known).exit_code
    again = gate.check(busy_report, Rules(), baseline=known[1:])
    assert [known[0]] == [one.id for one in again.violations if one.is_new]
    assert f"{len(known) - 1} more in the baseline" in gate_text.to_text(again)


def test_nothing_to_check(void_report):
    """A store without failures is neither good nor bad."""
    checked = gate.check(void_report, Rules())

    assert 3 == checked.exit_code
    assert "nothing was checked" in gate_text.to_text(checked)


def test_it_says_what_was_not_checked(busy_report):
    """Codes never fairly reissued, tools never seen and lost records are named."""
    busy_report["coverage"]["lost"] = 7
    checked = gate.check(busy_report, Rules(Limits(), {"nowhere\x1b[31m": Limits()}))
    last = gate_text.to_text(checked).splitlines()[-1]

    assert last.startswith("not checked: ")
    assert all(words in last for words in ("never fairly reissued", "nowhere (limits", "7 records"))
    assert "\x1b" not in last
