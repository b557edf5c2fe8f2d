"""Every real log, read where it lies beside the checkout (or in RECOUP_DATA): recognised, read twice alike, counted."""

import csv
import fnmatch
import os
from pathlib import Path

import pytest

from collectors import FORMATS, HEAD_BYTES
from collectors.conventions import CALL, RESULT
from collectors.events import Event

DATA = Path(os.environ.get("RECOUP_DATA", Path(__file__).parents[4] / "shared" / "data"))
MANIFEST = DATA / "MANIFEST.tsv"
NOTES = Path(__file__).parent / "manifest_notes.tsv"
KINDS = {
    "claude_stream_json": "claude_stream_json",
    "codex": "codex codex_tui_log",
    "codex_exec_json": "codex_exec_json",
    "copilot": "copilot",
    "cursor": "cursor",
    "gemini": "gemini_chat gemini_chat_lines gemini_stream gemini_responses",
    "harbor_atif": "harbor_atif",
    "hooks": "claude_hooks claude_hooks_document",
    "inspect": "inspect",
    "intercode": "intercode",
    "kimi": "kimi",
    "langsmith": "langsmith",
    "livemcpbench": "livemcpbench",
    "mcp": "mcp_jsonrpc",
    "mini_swe_agent": "mini_swe_agent",
    "opencode": "opencode opencode_events",
    "openhands": "openhands",
    "pi": "pi",
    "qwen": "qwen_chat",
    "swe_agent": "swe_agent",
    "tau2_bench": "tau2_bench",
    "tau_bench": "tau_bench",
    "who_and_when": "who_and_when",
}
"""Kinds of the manifest and the formats that may claim their files."""

pytestmark = pytest.mark.skipif(not MANIFEST.exists(), reason="the real logs are not beside this checkout")


def rows():
    """Return the rows of the manifest whose kind has formats of its own here."""
    if not MANIFEST.exists():
        return []
    with MANIFEST.open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] in KINDS]


def noted(path):
    """Return whether a note says why counts differ, or why the file is no format's."""
    lines = NOTES.read_text(encoding="utf-8").splitlines()
    return any(fnmatch.fnmatch(path, line.partition("\t")[0]) for line in lines if line)


def head_of(content):
    """Return what a format is shown of a file."""
    return content[:HEAD_BYTES] if b"\n" in content[:HEAD_BYTES] else content.partition(b"\n")[0]


def records_of(form, content, path):
    """Return the records of a file."""
    return list(form.read(content.splitlines(keepends=True) if form.UNIT == "line" else [content], path))


def test_every_file_is_recognised_by_one_format():
    """Content alone tells the format: one claims the file, and it is one of its kind."""
    claimed, allowed = {}, {}
    for row in rows():
        path = row["local_path"]
        claimed[path] = [form.NAME for form in FORMATS if form.looks_like(head_of((DATA / path).read_bytes()), "x")]
        allowed[path] = KINDS[row["kind"]].split()
    wrong = {path: names for path, names in claimed.items() if len(names) != 1 or names[0] not in allowed[path]}
    assert {} == {path: names for path, names in wrong.items() if not noted(path)}


def test_counts_are_those_of_the_manifest():
    """Every file is read twice with one result; calls and errors are the manifest's, or a note says why not."""
    different = {}
    for row in rows():
        path = row["local_path"]
        content = (DATA / path).read_bytes()
        form = next((form for form in FORMATS if form.looks_like(head_of(content), "x")), None)
        if form is None:
            continue
        records = records_of(form, content, path)
        assert records == records_of(form, content, path)
        events = [record for record in records if isinstance(record, Event)]
        calls = sum(event.event_name == CALL for event in events)
        results = [event for event in events if event.event_name == RESULT and event.uid.startswith("r:")]
        errors = sum(result.signalled_ok is False for result in results)
        stated = (row["tool_calls"], row["tool_errors"])
        if any(told not in ("-", str(found)) for told, found in zip(stated, (calls, errors), strict=True)):
            different[path] = (*stated, calls, errors)
    assert {} == {path: counts for path, counts in different.items() if not noted(path)}
