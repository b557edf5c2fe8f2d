"""The summary over the worked examples: 14 sessions with every number known."""

from pathlib import Path

import pytest

from pipeline.parameters import Parameters
from pipeline.report import content

WORKED = Path(__file__).parents[2] / "cases" / "worked" / "sessions.ndjson"


def test_the_worked_numbers_are_the_report_s(analyse):
    """Recovery, its bounds, the outcomes, RE, SE, REI and the cost are those worked out by hand."""
    told = content.build(analyse(WORKED), Parameters())["summary"]
    recovery, rei = told["recovery_rate"], told["rei"]

    assert (recovery["k"], recovery["n"]) == (8, 13)
    assert (recovery["if_censored_lost"], recovery["if_censored_recovered"]) == (8 / 14, 9 / 14)
    assert {name: count for name, count in told["outcomes"].items() if count} == {
        "recovered_after_fix": 1,
        "recovered_changed": 1,
        "recovered_after_other": 1,
        "recovered_unchanged": 5,
        "escalated": 2,
        "unresolved": 3,
        "censored": 1,
    }
    assert (rei["re"], rei["se"]) == (pytest.approx(7.5 / 11), pytest.approx((2 + 1 / 3) / 3))
    assert (rei["n_re"], rei["n_se"], rei["legs"], rei["against_advice"]) == (11, 3, 16, 1)
    assert rei["value"] == pytest.approx(70.2, abs=0.05)
    assert (told["errors"], told["waste"]["calls"], told["waste"]["tokens"]) == (23, 25, 2500)
