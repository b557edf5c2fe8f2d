"""Public figures that the product reproduces exactly; run where the anchor file lies beside the checkout."""

import json
import os
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from collectors.fingerprint import fingerprint

ANCHORS = Path(os.environ.get("RECOUP_ANCHORS", Path(__file__).parents[2] / "shared" / "anchors"))
LOG = ANCHORS / "intercode_sql_react.ndjson"

pytestmark = pytest.mark.skipif(not LOG.exists(), reason="the anchor log is not beside this checkout")


@pytest.fixture
def anchor(analyse):
    """Return the analysed InterCode log."""
    return analyse(LOG)


def test_intercode_figures(anchor):
    """InterCode SQL, gpt-3.5 ReAct: the published error rate, and no identical reissue ever succeeds."""

    def one(query):
        [row] = anchor.execute(query).fetchall()
        return row

    assert (5551, 494) == one("select count(*), count(*) filter (where status = 'error') from core.attempts")
    assert (1034, 6.94) == one("select count(*), round(100 * avg(error_rate), 2) from marts.session_summaries")
    assert (34, 0) == one(
        "select count(*), count(*) filter (where is_success) from core.reissues where kind = 'unchanged'"
    )
    assert (441, 367) == one(
        "select count(*), count(*) filter (where is_success) from core.reissues where kind = 'changed'"
    )
    assert (386, 367) == one("select count(*), count(*) filter (where is_recovered) from core.episodes")
    assert (19,) == one(
        """
        select count(*) from core.attempts
        where status = 'error' and attempt_number = (
            select max(attempt_number) from core.attempts as last where last.session_id = attempts.session_id
        )
        """
    )
    codes = anchor.execute(
        """
        select
            error_code, occurrence_count, unchanged_count, unchanged_success_count,
            changed_count, changed_success_count
        from marts.error_codes where error_code in ('UNKNOWN_COLUMN', 'TABLE_NOT_EXIST', 'SYNTAX') order by error_code
        """
    ).fetchall()
    assert [
        ("SYNTAX", 33, 11, 0, 18, 8),
        ("TABLE_NOT_EXIST", 150, 0, 0, 150, 147),
        ("UNKNOWN_COLUMN", 255, 20, 0, 222, 180),
    ] == codes


def test_fingerprints_do_not_mix_codes():
    """Grouped by their texts alone, the errors of the log fall apart as their codes do: no group holds two codes."""
    groups = defaultdict(Counter)
    for line in LOG.read_text(encoding="utf-8").splitlines():
        error = (json.loads(line).get("envelope") or {}).get("error")
        if error:
            groups[fingerprint(error["message"])][error["code"]] += 1

    assert None not in groups
    assert (494, 12) == (sum(codes.total() for codes in groups.values()), len(groups))
    assert 6 == len(set().union(*groups.values()))
    assert {1} == {len(codes) for codes in groups.values()}
