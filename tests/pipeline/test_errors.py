import json
import re

import pytest

from pipeline.errors import ENTRIES, REGISTRY, RecoupError

SPEC_EXITS = {"transient": {10, 11, 12, 130}, "correctable": {2, 4, 5, 8, 13}, "terminal": {1, 3, 5, 6, 7, 9}}


def test_codes_are_unique_and_well_formed():
    """A code is upper case, stable and declared once."""
    assert len(ENTRIES) == len(REGISTRY)
    assert [] == [code for code in ENTRIES if not re.fullmatch(r"[A-Z][A-Z0-9_]+", code)]


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda entry: entry.code)
def test_rungs_agree_with_the_class(entry):
    """No entry contradicts itself: a wait only beside retryable, a fix only without, an exit code of its class."""
    assert entry.exit_code in SPEC_EXITS[entry.declared_class]
    assert entry.retryable == (entry.retry_after_ms is not None)
    assert not (entry.retryable and (entry.fix_required or entry.fix_command))
    assert entry.fix_required or not entry.fix_command


@pytest.mark.parametrize("entry", REGISTRY, ids=lambda entry: entry.code)
def test_an_error_carries_its_whole_ladder(entry):
    """What is raised states every declared rung and no others."""
    error = RecoupError(entry.code, "it failed", context={"path": "x"}).to_error()

    assert (entry.code, "it failed", entry.retryable) == (error["code"], error["message"], error["retryable"])
    for rung in ("retry_after_ms", "fix_required", "fix_command", "suggestion"):
        assert getattr(entry, rung) == error.get(rung)
        assert (rung in error) == (getattr(entry, rung) is not None)
    assert {"path": "x"} == error["context"]


def test_fix_command_can_be_left_out():
    """Where a static command would act on something else than the caller named, only the condition stays."""
    error = RecoupError("STORE_NOT_FOUND", "there is no store").to_error(with_fix_command=False)

    assert "fix_command" not in error
    assert error["fix_required"]


def test_our_own_errors_pass_our_own_analysis(analyse, tmp_path):
    """Measured by the product itself, every error of recoup is complete and no fix_command breaks a rule."""
    log = tmp_path / "own.ndjson"
    log.write_text("".join(_call(number, entry) for number, entry in enumerate(REGISTRY)))

    db = analyse(log)

    found = db.execute(
        "select error_code, maturity, declared_class from core.attempts where status = 'error'"
    ).fetchall()
    # exit 130 is a person's doing: the attempt was killed, and no error of the tool
    assert {(entry.code, 3, entry.declared_class) for entry in REGISTRY if entry.exit_code != 130} == set(found)
    linted = db.execute("select error_code, rules from marts.fix_command_lint").fetchall()
    assert [(entry.code, []) for entry in REGISTRY if entry.fix_command] == linted


def _call(number, entry):
    envelope = {
        "ok": False,
        "data": None,
        "error": RecoupError(entry.code, "it failed").to_error(),
        "warnings": [],
        "meta": {},
    }
    record = {"ts": f"2026-03-01T10:00:{number:02}Z", "session_id": f"s{number}", "call_id": f"c{number}", "agent": "a"}
    return (
        json.dumps(record | {"argv": ["collector", "status"], "exit_code": entry.exit_code, "envelope": envelope})
        + "\n"
    )
