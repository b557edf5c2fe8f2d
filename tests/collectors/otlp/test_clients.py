"""What the records of each client become."""

import pytest

from collectors.conventions import CALL, RESULT, TURN
from collectors.events import Event, Skipped
from collectors.otlp.clients import events_of, name_of
from collectors.otlp.model import LogRecord, Resource, Scope, SpanEvent, SpanRecord

KEY = "0123456789abcdef0123456789abcdef"
END = 1_780_000_000_000_000_000
ENVELOPE = '{"ok":false,"data":null,"error":{"code":"RATE_LIMITED","message":"slow down","retryable":true},"meta":{}}'


def log(name="", attributes=None, *, event_name="", body=None, service="x", scope="", time=END):
    """Return a log record; `name` goes to the attribute, where clients put it."""
    stated = {"event.name": name} if name else {}
    return LogRecord(
        resource=Resource(attributes={"service.name": service}, text="{}"),
        scope=Scope(name=scope),
        event_name=event_name,
        time_unix_nano=time,
        observed_time_unix_nano=None,
        severity_number=0,
        severity_text="",
        body=body,
        attributes=stated | (attributes or {}),
        trace_id=None,
        span_id=None,
        flags=0,
    )


def span(name, attributes, *, status=0, message="", kind=1, events=(), service="x", parent="p" * 16):
    """Return a span of one second."""
    return SpanRecord(
        resource=Resource(attributes={"service.name": service}, text="{}"),
        scope=Scope(),
        name=name,
        kind=kind,
        trace_id="t" * 32,
        span_id="s" * 16,
        parent_span_id=parent,
        start_time_unix_nano=END - 10**9,
        end_time_unix_nano=END,
        status_code=status,
        status_message=message,
        attributes=attributes,
        events=tuple(SpanEvent(name=event, time_unix_nano=END, attributes=held) for event, held in events),
        links=(),
    )


def read(record):
    """Return the events of a record."""
    return [event for event in events_of(record, name_of(record), lambda: KEY) if isinstance(event, Event)]


def both(record):
    """Return the call and the result of a record."""
    call, result = read(record)
    assert (call.event_name, result.event_name) == (CALL, RESULT)
    assert call.uid[2:] == result.uid[2:]
    return call, result


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (log(event_name="a.b"), "a.b"),
        (log("codex.tool_result", event_name="event otel/src/x.rs:54"), "codex.tool_result"),
        (log("x", {"otel.event.name": "first"}), "first"),
        (log("tool_result", body="claude_code.tool_result"), "claude_code.tool_result"),
        (log("tool_result", scope="com.anthropic.claude_code.events"), "claude_code.tool_result"),
        (log("gemini_cli.tool_call", body="Tool call: x."), "gemini_cli.tool_call"),
        (log(body="claude_code.api_request"), "claude_code.api_request"),
        (log(body="claude_code. is a program"), ""),
        (log(body={"a": 1}), ""),
        (log(event_name="x" * 300), "x" * 256),
    ],
)
def test_the_name_is_found_where_each_client_puts_it(record, name):
    """The field counts unless it is a source line, then the attributes, then a known body; short ones are completed."""
    assert name_of(record) == name


CLAUDE = {"session.id": "s", "tool_name": "Bash", "tool_use_id": "toolu_1", "success": "false", "duration_ms": "400"}


def test_claude_tells_of_a_call_at_its_end():
    """Texts are read as what they say, and the call began its duration before."""
    call, result = both(log("claude_code.tool_result", CLAUDE | {"tool_parameters": '{"full_command":"tool go"}'}))
    assert (call.uid, call.command, call.program) == ("c:toolu_1", "tool go", "tool")
    assert (call.time_unix_nano, result.time_unix_nano) == (END - 400_000_000, END)
    assert (result.status, result.signalled_ok, result.exit_code) == ("error", False, None)


def test_claude_without_details_names_no_command():
    """Without the details the call has no identity, so that no two of them pass for the same."""
    call, _ = both(log("claude_code.tool_result", CLAUDE))
    assert (call.operation_key, call.invocation_key, call.flags) == (None, None, ("no_command",))


@pytest.mark.parametrize(
    ("details", "tool"),
    [('{"mcp_server_name":"gh","mcp_tool_name":"search"}', "mcp__gh__search"), ("", "mcp_tool")],
)
def test_claude_names_mcp_tools_only_in_the_details(details, tool):
    """`mcp_tool` is all tools of all servers; the details say which."""
    call, _ = both(log("claude_code.tool_result", CLAUDE | {"tool_name": "mcp_tool", "tool_parameters": details}))
    assert call.tool_name == tool


@pytest.mark.parametrize(("source", "status"), [("user_reject", "refused"), ("hook", "blocked"), ("config", "blocked")])
def test_claude_rejects_a_call_without_a_result(source, status):
    """A rejection is the call's end; an acceptance says nothing that the result does not."""
    attributes = CLAUDE | {"decision": "reject", "source": source}
    _, result = both(log("claude_code.tool_decision", attributes))
    assert result.status == status
    assert read(log("claude_code.tool_decision", attributes | {"decision": "accept"})) == []


def test_claude_spans_are_a_call_and_its_end():
    """The tool's span, always unset, is the call; its child says how it ended; both name the log record's call."""
    (call,) = read(span("claude_code.tool", {"tool_use_id": "toolu_1", "tool_name": "Bash", "full_command": "tool go"}))
    (result,) = read(span("claude_code.tool.execution", {"tool_use_id": "toolu_1", "success": False}, status=2))
    assert (call.uid, result.uid, result.status) == ("c:toolu_1", "r:toolu_1", "error")


def test_codex_output_counts_more_than_its_flag():
    """An exit code and an envelope in the output are read, and contradict a good flag aloud."""
    output = f"Exit code: 12\nWall time: 0.1 seconds\nOutput:\n{ENVELOPE}"
    attributes = {"conversation.id": "c", "call_id": "1", "tool_name": "shell", "success": True, "output": output}
    call, result = both(log("codex.tool_result", attributes | {"arguments": '{"command":["tool","go"]}'}))
    assert (call.uid, call.command) == ("c:c/1", "tool go")
    assert (result.status, result.exit_code, result.error_code) == ("error", 12, "RATE_LIMITED")
    assert (result.signalled_ok, "signal_conflict" in result.flags) == (False, True)


def test_codex_calls_without_an_id_stay_alone():
    """A call that was never dispatched is the harness's failure, under a name of its own."""
    call, result = both(log("codex.tool_result", {"conversation.id": "c", "tool_name": "shell", "success": "false"}))
    assert (call.uid, result.status) == (f"c:c/h:{KEY}", "harness_fault")
    assert "no_call_id" in call.flags


def test_codex_tells_of_failed_requests_only():
    """A request to the provider that went well is no event."""
    (turn,) = read(log("codex.api_request", {"conversation.id": "c", "http.response.status_code": 429}))
    assert (turn.event_name, turn.turn_kind, turn.reason) == (TURN, "api_error", "429")
    assert read(log("codex.api_request", {"conversation.id": "c", "http.response.status_code": 200})) == []


@pytest.mark.parametrize(
    ("stated", "status", "exit_code"),
    [
        ({"success": True}, "ok", None),
        ({"success": True, "metadata": '{"exitCode": 3, "isError": true}'}, "error", 3),
        ({"success": False, "error_type": "invalid_tool_params"}, "not_run", None),
        ({"success": False, "error_type": "tool_not_registered"}, "not_run", None),
        ({"success": False, "error_type": "file_not_found"}, "error", None),
        ({"success": False, "decision": "reject"}, "refused", None),
        ({"success": "false", "status": "cancelled"}, "cancelled", None),
    ],
)
@pytest.mark.parametrize("client", ["gemini_cli", "qwen-code"])
def test_gemini_and_qwen_state_how_a_call_ended(client, stated, status, exit_code):
    """The exit code in the metadata counts over the flag, and the error's type says what kind of end it was."""
    attributes = {"session.id": "s", "function_name": "run_shell_command", "function_args": '{"command":"tool go"}'}
    call, result = both(log(f"{client}.tool_call", attributes | stated))
    assert (call.command, result.status, result.exit_code) == ("tool go", status, exit_code)


def test_spans_of_gemini_are_left_to_its_logs():
    """Log and span of one call have no id in common, so only one of them counts."""
    assert read(span("execute_tool x", {"gen_ai.operation.name": "execute_tool"}, service="gemini-cli")) == []


GENAI = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x", "gen_ai.conversation.id": "s"}


@pytest.mark.parametrize(
    ("attributes", "how", "status"),
    [
        ({}, {}, "ok"),
        ({"gen_ai.tool.call.result": ENVELOPE}, {}, "ok"),
        ({"error.type": "timeout"}, {}, "error"),
        ({}, {"status": 2, "message": ENVELOPE}, "error"),
        ({}, {"status": 2, "events": [("exception", {"exception.message": ENVELOPE})]}, "error"),
        ({"error.type": "ToolRetryError", "pydantic_ai.tool.failure_stage": "validation"}, {"status": 2}, "not_run"),
    ],
)
def test_spans_of_genai_tools(attributes, how, status):
    """A bad status or an error type is a failure; an envelope is found in the result, the status or the exception."""
    call, result = both(span("execute_tool x", GENAI | {"gen_ai.tool.call.id": "1"} | attributes, **how))
    assert (call.uid, call.tool_name, result.status, result.duration_ms) == ("c:s/1", "x", status, 1000)
    has_envelope = ENVELOPE in str((attributes, how))
    assert (result.error_code == "RATE_LIMITED", result.envelope_ok is False) == (has_envelope, has_envelope)


def test_a_call_that_is_put_off_has_no_end():
    """A deferral is no error and no success."""
    (call,) = read(span("execute_tool x", GENAI | {"pydantic_ai.tool.deferral.kind": "approval"}))
    assert call.event_name == CALL


def test_client_and_server_of_mcp_tell_of_one_call():
    """The server's span names the client's as its parent, and so does its call."""
    attributes = {"mcp.method.name": "tools/call", "gen_ai.tool.name": "x"}
    client = read(span("tools/call x", attributes, kind=3, parent=None))
    server = read(span("tools/call x", attributes | {"error.type": "tool_error"}, kind=2, parent="s" * 16, status=2))
    assert [event.uid for event in client] == [event.uid for event in server]
    assert server[1].status == "error"
    _, unknown = both(span("tools/call x", attributes | {"rpc.response.status_code": "-32602"}, kind=3, status=2))
    assert unknown.status == "not_run"


@pytest.mark.parametrize(
    ("name", "attributes"),
    [
        ("x", {"openinference.span.kind": "TOOL", "tool.name": "x", "input.value": "{}", "output.value": ENVELOPE}),
        ("x.tool", {"traceloop.span.kind": "tool", "traceloop.entity.name": "x", "traceloop.entity.output": ENVELOPE}),
        ("x", {"langfuse.observation.type": "tool", "langfuse.observation.output": ENVELOPE}),
    ],
)
def test_spans_of_other_conventions(name, attributes):
    """Frameworks with a convention of their own tell of calls and envelopes as well."""
    call, result = both(span(name, attributes))
    assert (call.tool_name, result.error_code) == ("x", "RATE_LIMITED")


@pytest.mark.parametrize(
    ("record", "kind"),
    [
        (log("claude_code.hook_registered"), "claude_code.hook_registered"),
        (log(event_name="something.else"), "other log record"),
        (log("codex." + "x" * 200), "other log record"),
        (span("GET /users/17", {"http.route": "/users"}), "other span"),
        (span("chat m", {"gen_ai.operation.name": "chat"}), "other span"),
    ],
)
def test_what_is_no_event_is_counted_under_few_names(record, kind):
    """Records of known clients are counted by name, all others as two kinds, whatever senders call them."""
    assert list(events_of(record, name_of(record), lambda: KEY)) == [Skipped(kind=kind, count=1)]


def test_a_time_that_is_not_stated_is_taken_from_the_attribute():
    """Some clients state the time only as text; without any the record is flagged and enters no duration."""
    attributes = CLAUDE | {"event.timestamp": "2026-05-29T01:46:40Z"}
    _, result = both(log("claude_code.tool_result", attributes, time=None))
    assert result.time_unix_nano == 1_780_019_200_000_000_000
    _, result = both(log("claude_code.tool_result", CLAUDE, time=None))
    assert (result.time_unix_nano, result.flags) == (None, ("no_timestamp",))


def test_who_the_person_is_is_not_kept():
    """Of the other attributes those about the person are left out, and secrets are taken out."""
    token = "ghp_" + "a1B2c3D4" * 5
    _, result = both(log("claude_code.tool_result", CLAUDE | {"user.email": "a@b.example", "note": token, "n": 1}))
    assert "a@b.example" not in result.attributes
    assert token not in result.attributes
    assert '"n":1' in result.attributes


def test_an_own_event_that_names_nothing_gets_a_name():
    """An event emitted by hand, without uid and session, is told by its call or its content."""
    (event,) = read(log(event_name=RESULT, attributes={"session.id": "s", "gen_ai.tool.call.id": "1"}))
    assert (event.uid, event.session_id) == ("r:s:1", "s")
    (event,) = read(log(event_name=RESULT))
    assert event.uid == f"r:h:{KEY}"
