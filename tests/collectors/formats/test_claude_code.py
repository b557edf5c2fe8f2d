"""What only a Claude Code transcript can be odd in, beyond its stories."""

import json

from collectors.formats import claude_code


def line(**record):
    """Return a line of a transcript."""
    shared = {"sessionId": "s", "uuid": "u", "timestamp": "2026-05-04T10:00:00.000Z", "version": "2.1.40"}
    return json.dumps(shared | record).encode() + b"\n"


def result(content, **more):
    """Return the result that a record with that content gives."""
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": content} | more.pop("block", {})
    [event, *_] = claude_code.read([line(type="user", message={"content": [block]}, **more)], "x")
    return event


def failed(text, **more):
    """Return status and reason of a result with the error flag."""
    event = result(text, block={"is_error": True}, **more)
    return event.status, event.status_reason


def test_texts_of_the_harness_mean_something_only_under_its_error_flag():
    """Output that quotes a refusal is output."""
    text = "The user doesn't want to proceed with this tool use."
    assert ("refused", "user_rejected") == failed(text)
    assert "ok" == result(text).status
    assert ("error", "exit_code") == failed("Exit code 3\n" + text)
    assert ("error", "is_error") == failed("grep: " + text, version="1.0.53")


def test_hooks_rules_and_permissions():
    """Each way to be kept from running has its own status."""
    assert ("blocked", "hook") == failed("PreToolUse:Bash hook error: [./check.sh]: no")
    assert ("blocked", "hook") == failed("Hook PreToolUse:Bash denied this tool")
    assert ("blocked", "permission_rule") == failed("Permission to use Bash with command rm -r x has been denied.")
    assert ("blocked", "policy") == failed("<tool_use_error>Blocked: standalone sleep 60.</tool_use_error>")
    assert ("refused", "permission_not_granted") == failed(
        "Claude requested permissions to write to /etc/x, but you haven't granted it yet."
    )


def test_a_command_that_was_not_found_never_ran():
    """Before 2.0.37 the shell's words are all that says so; among other output they prove nothing."""
    assert ("not_run", "command_not_found") == failed("/bin/bash: line 1: nvcc: command not found", version="1.0.53")
    assert ("not_run", "command_not_found") == failed("(eval):1: command not found: nvcc", version="1.0.53")
    assert ("error", "is_error") == failed("building\n/bin/bash: line 1: nvcc: command not found", version="1.0.53")


def test_an_error_without_an_exit_code_is_marked_where_one_was_due():
    """From 2.0.37 on a failed command states its exit code: a result without one did not come from the command."""
    assert ("error", "exit_not_stated") == failed("Validation failed", version="2.0.37")
    assert ("error", "is_error") == failed("Validation failed", version="2.0.36")
    assert ("error", "is_error") == failed("Validation failed", version="weird")
    assert ("error", "tool_use_error") == failed("<tool_use_error>File does not exist.</tool_use_error>")


def test_a_file_that_was_read_is_no_evidence():
    """What a read, an edit or a search shows is data, whatever stands in it."""
    text = '{"ok":false,"error":{"code":"UNAVAILABLE"}}\nTraceback (most recent call last):'
    shown = result(text, toolUseResult={"type": "text", "file": {"filePath": "x"}})
    printed = result(text, toolUseResult={"stdout": text, "stderr": ""})
    assert (None, None, False) == (shown.error_code, shown.output, shown.looks_failed)
    assert ("UNAVAILABLE", True) == (printed.error_code, printed.looks_failed)


def test_a_background_command_is_running_until_its_end_is_told():
    """The launch receipt is no success, and both records of the end have one uid."""
    receipt = result("Command running in background with ID: b1.", toolUseResult={"backgroundTaskId": "b1"})
    assert ("running", '{"task_id":"b1"}') == (receipt.status, receipt.attributes)
    text = (
        "<task-notification>\n<task-id>b1</task-id>\n<status>completed</status>\n<summary>a < b (exit code 3)</summary>"
    )
    ends = list(
        claude_code.read(
            [
                line(type="queue-operation", operation="enqueue", content=text),
                line(type="user", message={"content": text}, timestamp="2026-05-04T10:09:00.000Z"),
            ],
            "x",
        )
    )
    assert {("e:s/b1", "task:b1", "error", 3, "background_end")} == {
        (end.uid, end.call_id, end.status, end.exit_code, end.status_reason) for end in ends
    }


def test_interleaved_sub_agents_of_version_1_are_told_apart():
    """Their records have no agent id: each thread is named after its first record."""
    lines = [
        line(type="user", isSidechain=True, uuid="a", parentUuid=None, message={"content": "one"}),
        line(type="user", isSidechain=True, uuid="b", parentUuid=None, message={"content": "two"}),
    ]
    for uuid, parent in (("a2", "a"), ("b2", "b"), ("a3", "a2"), ("b3", "b2")):
        content = [{"type": "tool_use", "id": f"t{uuid}", "name": "Bash", "input": {"command": "ls"}}]
        lines.append(
            line(type="assistant", isSidechain=True, uuid=uuid, parentUuid=parent, message={"content": content})
        )
    actors = {event.call_id: event.actor_id for event in claude_code.read(lines, "x") if hasattr(event, "actor_id")}
    assert {"ta2": "sidechain:a", "tb2": "sidechain:b", "ta3": "sidechain:a", "tb3": "sidechain:b"} == actors


def test_a_prompt_is_what_a_person_wrote():
    """Words of the harness, of a parent agent and of a notification are no prompts; a command run by hand is one."""

    def kinds(text, **more):
        events = claude_code.read([line(type="user", message={"content": text}, **more)], "x")
        return [event.turn_kind for event in events if hasattr(event, "turn_kind")]

    assert ["prompt"] == kinds("go") == kinds("<b>html</b>") == kinds("<bash-input>ls</bash-input>")
    assert ["prompt"] == kinds("<command-name>/review</command-name>") == kinds("[Image #1] what is this?")
    for text in (
        "<command-name>/clear</command-name>",
        "<system-reminder>x</system-reminder>",
        "",
        " ",
        "Caveat: The messages below were",
    ):
        assert [] == kinds(text)
    assert [] == kinds("go", isMeta=True) == kinds("go", isSidechain=True, agentId="a")
    assert [] == kinds("go", origin={"kind": "task-notification"})


def test_one_wrong_type_costs_that_field_only():
    """A field of another type than usual is left out; the record is read."""
    event = result("one", toolUseResult=17, cwd=["x"], version={"major": 2}, isSidechain="no")
    assert ("ok", None, "main") == (event.status, event.agent_version, event.actor_id)


def test_numbers_beyond_64_bits_are_left_out():
    """A column could not hold them."""
    event = result("one", toolUseResult={"totalTokens": 10**30, "durationMs": 1e300, "code": 10**20})
    assert (None, None, None) == (event.tokens, event.duration_ms, event.http_status)


def test_qwen_code_is_another_format():
    """Its chats share the names of the record, not the shape of the message."""
    head = line(type="user", parentUuid=None, cwd="/x", message={"role": "user", "parts": [{"text": "go"}]})
    assert not claude_code.looks_like(head, "x")
    assert claude_code.looks_like(line(type="user", message={"content": "go"}), "x")


def test_a_first_line_longer_than_the_head_is_recognised():
    """The start of a long first prompt is enough."""
    head = line(isSidechain=False, type="user", message={"role": "user", "content": "x" * 100_000})[:65_536]
    assert claude_code.looks_like(head, "x")


def test_a_wait_until_a_date_depends_on_when_it_was_told():
    """Equal texts are remembered, but not what they mean at another time."""
    text = (
        '{"ok":false,"error":{"code":"RATE_LIMITED","context":{"retry_after_header":"Mon, 04 May 2026 10:02:00 GMT"}}}'
    )
    early, late = result(text), result(text, timestamp="2026-05-04T10:01:00.000Z")
    assert (120_000, 60_000) == (early.retry_after_ms, late.retry_after_ms)
