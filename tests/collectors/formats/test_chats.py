"""What only chats of Gemini CLI and Qwen Code, and logs of Claude Code's hooks, can be odd in, beyond their stories."""

import json

from collectors.events import Event
from collectors.formats import claude_hooks, gemini_chat, gemini_chat_lines, gemini_stream, qwen_chat

SESSION = "5e551000-0000-4000-8000-000000000001"
TIME = "2026-05-04T10:00:00.000Z"


def encoded(**record):
    """Return a record as a line."""
    return json.dumps(record).encode() + b"\n"


def events(form, *lines):
    """Return the events of a file."""
    return [record for record in form.read(lines, "x") if isinstance(record, Event)]


def gemini_call(text, status="success"):
    """Return a message of the model with one call of a shell."""
    response = {"functionResponse": {"id": "run-1", "name": "run_shell_command", "response": {"output": text}}}
    call = {"id": "run-1", "name": "run_shell_command", "args": {"command": "tool run"}, "result": [response]}
    return {"id": "m1", "timestamp": TIME, "type": "gemini", "content": "", "toolCalls": [call | {"status": status}]}


def test_both_chats_of_gemini_name_a_call_alike():
    """A message that is written again is the same message, and the document holds it as well."""
    message = gemini_call("Output: no\nExit Code: 7")
    header = encoded(sessionId=SESSION, projectHash="p", startTime=TIME)
    document = encoded(sessionId=SESSION, projectHash="p", startTime=TIME, messages=[message])
    lines = [header, encoded(**message), encoded(**{"$set": {"messages": [message]}})]
    whole = {event.uid for event in events(gemini_chat, document)}
    assert {f"c:{SESSION}/run-1", f"r:{SESSION}/run-1"} == whole
    assert whole == {event.uid for event in events(gemini_chat_lines, *lines)}


def test_the_status_of_a_shell_is_not_its_end():
    """Gemini CLI says success of every command that it could start; the exit code says what came of it."""
    header = encoded(sessionId=SESSION, projectHash="p", startTime=TIME)
    [_, result] = events(gemini_chat_lines, header, encoded(**gemini_call("Output: no\nExit Code: 7")))
    assert ("error", 7, False) == (result.status, result.exit_code, result.signalled_ok)


def test_the_stream_of_gemini_joins_the_chat():
    """Its ids are those of the chat."""
    init = encoded(type="init", timestamp=TIME, session_id=SESSION, model="gemini-test")
    use = encoded(
        type="tool_use", timestamp=TIME, tool_name="run_shell_command", tool_id="run-1", parameters={"command": "tool"}
    )
    [call] = events(gemini_stream, init, use)
    assert f"c:{SESSION}/run-1" == call.uid


def test_telemetry_in_a_chat_of_qwen_is_a_second_result():
    """It knows the duration and the type of the error."""
    shared = {"sessionId": SESSION, "timestamp": TIME, "cwd": "/work/app", "version": "0.24.0"}
    call = {"functionCall": {"id": "call-1", "name": "read_file", "args": {"path": "a"}}}
    told = {"event.name": "qwen-code.tool_call", "call_id": "call-1", "function_name": "read_file", "duration_ms": 40}
    told |= {"success": False, "error_type": "file_not_found", "error": "no such file"}
    found = events(
        qwen_chat,
        encoded(uuid="u1", type="assistant", message={"role": "model", "parts": [call]}, **shared),
        encoded(uuid="u2", type="system", subtype="ui_telemetry", systemPayload={"uiEvent": told}, **shared),
    )
    [_, result] = found
    assert (f"e:{SESSION}/call-1", 40, "error") == (result.uid, result.duration_ms, result.status)


def hook(kind, **more):
    """Return a payload of a hook."""
    shared = {"session_id": SESSION, "cwd": "/work/app", "hook_event_name": kind, "tool_name": "Bash"}
    return encoded(**shared | {"tool_input": {"command": "tool run"}} | more)


def test_a_call_is_one_call_before_and_after():
    """So is one that only its end tells of, and one whose payload was logged twice with one time."""
    before, after = hook("PreToolUse", tool_use_id="toolu_1"), hook("PostToolUse", tool_use_id="toolu_1")
    assert ["c:toolu_1", "r:toolu_1"] == [event.uid for event in events(claude_hooks, before, after)]
    assert ["c:toolu_1", "r:toolu_1"] == [event.uid for event in events(claude_hooks, after)]
    stamped = [hook("PreToolUse", timestamp=TIME)] * 2
    assert 1 == len({event.uid for event in events(claude_hooks, *stamped)})
    assert 2 == len({event.uid for event in events(claude_hooks, *[hook("PreToolUse")] * 2)})
