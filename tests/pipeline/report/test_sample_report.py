"""The report over `sample_data`: what a first user sees."""

import json
import os
from io import StringIO
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from pipeline import ingest, models
from pipeline.parameters import Parameters
from pipeline.report import content, terminal
from pipeline.report.json import render
from pipeline.store import open_store

ROOT = Path(__file__).parents[3]
SNAPSHOTS = Path(__file__).with_name("snapshots")


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    """The report over the committed sample logs."""
    store = tmp_path_factory.mktemp("sample") / "recoup.duckdb"
    ingest.import_paths(store, [ROOT / "sample_data" / "claude_code", ROOT / "sample_data" / "envelope_log"])
    with open_store(store, write=True) as connection:
        models.build(connection, Parameters())
    with open_store(store) as connection:
        return content.build(connection, Parameters())


@pytest.mark.parametrize("width", [80, 160])
def test_the_first_screen_is_worth_looking_at(sample, width):
    """The first screen over the sample world, as it stands in the repository; UPDATE_GOLDEN=1 writes it anew."""
    file = StringIO()
    terminal.render(sample, Console(file=file, width=width), full=False)
    path = SNAPSHOTS / f"sample_{width}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(file.getvalue(), encoding="utf-8")

    assert path.read_text(encoding="utf-8") == file.getvalue()
    assert len(file.getvalue().splitlines()) <= terminal.SCREEN


def test_every_verdict_is_seen(sample):
    """The sample world shows each severity and each verdict at least once."""
    assert {finding["severity"] for finding in sample["findings"]} == {"breach", "warning", "info"}
    assert {finding["verdict"] for finding in sample["findings"]} == {
        "contradicted",
        "supported",
        "watch",
        "insufficient",
    }


@pytest.mark.parametrize(
    ("analysis", "code"),
    [
        ("misclassified_retryables", "QUOTA_EXHAUSTED"),
        ("misclassified_retryables", "PERMISSION_DENIED"),
        ("failed_closed_loops", "CONFIG_STALE"),
        ("failing_fixes", "DEPS_BROKEN"),
        ("false_successes", "STATUS_UNREADABLE"),
        ("unsafe_transients", "TIMEOUT"),
        ("fix_command_lint", "STATE_DIVERGED"),
        ("retry_after", "RATE_LIMITED"),
        ("missing_fixes", "BRANCH_NOT_PUSHED"),
    ],
)
def test_what_was_planted_is_found(sample, analysis, code):
    """Each planted contradiction of the sample world is a breach."""
    found = {(finding["analysis"], finding["error_code"]): finding for finding in sample["findings"]}

    assert found[analysis, code]["severity"] == "breach"


@pytest.mark.parametrize("code", ["UPSTREAM_TIMEOUT", "NOT_FOUND", "CREDENTIALS_EXPIRED"])
def test_what_is_true_is_not_accused(sample, code):
    """Codes whose declaration holds have no breach."""
    assert not [f for f in sample["findings"] if f["error_code"] == code and f["severity"] == "breach"]


def test_the_sample_report_is_as_its_schema_says(sample):
    """The report over the sample world validates."""
    schema = json.loads((ROOT / "docs" / "report.schema.json").read_text(encoding="utf-8"))

    Draft202012Validator(schema).validate(json.loads(render(sample)))
