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
    "other_agents": "antigravity claude_code codex droid droid_stream gptme pi posit qwenpaw vibe",
    "pi": "pi",
    "qwen": "qwen_chat",
    "swe_agent": "swe_agent",
    "tau2_bench": "tau2_bench",
    "tau_bench": "tau_bench",
    "who_and_when": "who_and_when",
}
"""Kinds of the manifest and the formats that may claim their files."""
NO_LOGS = {
    "claude_code/*/subagents/*.meta.json": "what a sub-agent was started with; its transcript lies beside it",
    "claude_code/simonw-cct/sample_session.json": "an export of the web page: a document of records, not a transcript",
    "otel/open-agent-traces/*.json": "spans as the SDK of the OpenAI Agents dumps them, which is no OTLP",
    "otel/trail_synthetic/*.parquet": "a table in Parquet",
    "other_agents/agentsview/omnigent_*.json": "cells of a SQLite table without the type, session and time of the row",
    "other_agents/agentsview/posit-assistant_*_conversation.json": "a tree of ids; the messages are lm-messages.jsonl",
    "other_agents/agentsview/posit-assistant_*_index.json": "titles of conversations",
    "other_agents/agentsview/posit-assistant_*_workspace.json": "the path of a workspace",
}
"""Files of the real data that no format claims, and what they are."""

pytestmark = pytest.mark.skipif(not MANIFEST.exists(), reason="the real logs are not beside this checkout")


def rows():
    """Return the rows of the manifest whose kind has formats of its own here."""
    if not MANIFEST.exists():
        return []
    with MANIFEST.open(encoding="utf-8", newline="") as lines:
        return [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] in KINDS]


def is_no_log(path):
    """Return whether the file is known as one that no format claims."""
    return any(fnmatch.fnmatch(path, pattern) for pattern in NO_LOGS)


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
    assert {} == {path: names for path, names in wrong.items() if not noted(path) and not is_no_log(path)}


def test_every_other_file_is_known_not_to_be_a_log():
    """Of all files one format each claims what is a log, and none what is listed as no log."""
    with MANIFEST.open(encoding="utf-8", newline="") as lines:
        paths = [row["local_path"] for row in csv.DictReader(lines, delimiter="\t")]
    heads = {path: head_of((DATA / path).read_bytes()) for path in paths}
    claimed = {path: [form.NAME for form in FORMATS if form.looks_like(head, "x")] for path, head in heads.items()}
    expected = {path: 0 if is_no_log(path) else 1 for path in paths}
    assert {} == {path: names for path, names in claimed.items() if len(names) != expected[path]}
    assert set(NO_LOGS) == {pattern for pattern in NO_LOGS for path in paths if fnmatch.fnmatch(path, pattern)}


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
