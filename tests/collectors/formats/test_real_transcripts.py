"""Real transcripts, read where they lie beside the checkout (or in RECOUP_DATA)."""

import csv
import os
from pathlib import Path

import pytest

from collectors import HEAD_BYTES, sniff
from collectors.conventions import CALL, RESULT
from collectors.events import Event, Reject

DATA = Path(os.environ.get("RECOUP_DATA", Path(__file__).parents[4] / "shared" / "data"))
MANIFEST = DATA / "MANIFEST.tsv"

pytestmark = pytest.mark.skipif(not MANIFEST.exists(), reason="the real transcripts are not beside this checkout")


def manifest():
    """Return the rows of the manifest that are Claude Code transcripts."""
    with MANIFEST.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    return [row for row in rows if row["kind"] == "claude_code" and row["local_path"].endswith(".jsonl")]


def records_of(path):
    """Return the records of a transcript."""
    with path.open("rb") as lines:
        form = sniff(lines.read(HEAD_BYTES), str(path))
        lines.seek(0)
        assert "claude_code" == form.NAME
        return list(form.read(lines, str(path)))


def test_calls_and_errors_are_those_of_the_manifest():
    """Every transcript is read, twice with one result, and holds the calls and errors that its manifest counts."""
    counted, stated = {}, {}
    for row in manifest():
        records = records_of(DATA / row["local_path"])
        assert records == records_of(DATA / row["local_path"])
        events = [record for record in records if isinstance(record, Event)]
        calls = [event for event in events if event.event_name == CALL]
        results = [event for event in events if event.event_name == RESULT and event.uid.startswith("r:")]
        errors = [result for result in results if result.signalled_ok is False]
        counted[row["local_path"]] = (len(calls), len(errors))
        stated[row["local_path"]] = (int(row["tool_calls"]), int(row["tool_errors"]))
        assert [] == [record for record in records if isinstance(record, Reject)]
    assert stated
    assert stated == counted
