"""What only a capture of MCP messages can be odd in, beyond its stories."""

import json

import pytest

from collectors.events import Event
from collectors.formats import mcp_jsonrpc


def line(second, message):
    """Return a line of a capture."""
    return json.dumps({"ts": f"2026-05-04T10:00:{second:02d}.000Z", "msg": {"jsonrpc": "2.0"} | message}).encode()


def call(second, number, **arguments):
    """Return a line with a call."""
    return line(second, {"id": number, "method": "tools/call", "params": {"name": "get", "arguments": arguments}})


def events(*lines):
    """Return the events of a capture."""
    return [record for record in mcp_jsonrpc.read(lines, "x") if isinstance(record, Event)]


def answered(**answer):
    """Return the result of a call with that answer."""
    return events(call(1, 1), line(2, {"id": 1} | answer))[1]


@pytest.mark.parametrize(
    ("code", "message", "status", "reason"),
    [
        (-32602, "Unknown tool: get", "not_run", "unknown_tool"),
        (-32602, "Invalid arguments", "not_run", "invalid_input"),
        (-32601, "Method not found", "not_run", "protocol_error"),
        (-32603, "Internal error", "harness_fault", "protocol_error"),
        (-32000, "Connection closed", "harness_fault", "mcp_transport"),
        (-32001, "Request timed out", "killed", "X_TRANSPORT_TIMEOUT"),
    ],
)
def test_an_error_of_the_protocol_is_none_of_the_tool(code, message, status, reason):
    """The tool never answered."""
    result = answered(error={"code": code, "message": message})
    assert (status, reason, False) == (result.status, result.status_reason, result.signalled_ok)


def test_prose_in_a_good_result_is_a_suspicion():
    """What it says is kept; whether it failed is not known."""
    result = answered(result={"content": [{"type": "text", "text": "Error: connection refused"}]})
    assert ("ok", True, True) == (result.status, result.signalled_ok, result.looks_failed)
    assert "suspected_failure" in result.flags
    assert "Error: connection refused" == result.output


def test_an_error_with_a_code_in_a_good_result_is_certain():
    """In structured content as in text."""
    problem = {"error": {"code": "NOT_FOUND", "message": "no such record", "retryable": False}}
    for content in (
        {"structuredContent": problem, "content": []},
        {"content": [{"type": "text", "text": json.dumps(problem)}]},
    ):
        result = answered(result=content)
        assert (True, "NOT_FOUND") == (result.signalled_ok, result.error_code)


def test_an_id_that_comes_again_is_another_call():
    """Clients may count anew; an answer belongs to the call that waits for it."""
    [first, one, second, two] = events(
        call(1, 1, n=1),
        line(2, {"id": 1, "result": {"content": [{"type": "text", "text": "a"}]}}),
        call(3, 1, n=2),
        line(4, {"id": 1, "result": {"content": [{"type": "text", "text": "b"}]}}),
    )
    assert first.call_id == one.call_id
    assert second.call_id == two.call_id
    assert first.call_id != second.call_id


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("elicitation/create", {"result": {"action": "decline"}}),
        ("elicitation/create", {"result": {"action": "accept", "content": {"name": "x"}}}),
        ("sampling/createMessage", {"result": {"role": "assistant", "content": {"type": "text", "text": "yes"}}}),
        ("roots/list", {"result": {"roots": []}}),
        ("roots/list", {"error": {"code": -32601, "message": "Method not found"}}),
        ("ping", {"result": {}}),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_ids_of_both_sides_are_apart(asked, answer, is_first):
    """A server counts its own requests: what answers one of them is no result of the call with the same id."""
    request = line(2, {"id": 1, "method": asked, "params": {"message": "Sure?"}})
    opening = [request, call(2, 1)] if is_first and asked != "ping" else [call(2, 1), request]
    result = line(4, {"id": 1, "result": {"content": [{"type": "text", "text": "broken"}], "isError": True}})
    [asking, told] = events(*opening, line(3, {"id": 1} | answer), result)
    assert (asking.call_id, "broken") == (told.call_id, told.output)


def test_the_way_tells_whose_answer_an_error_is():
    """Where the capture says which way a message went, an error that a server gives is the call's."""
    ask = {"ts": 2, "dir": "in", "msg": {"jsonrpc": "2.0", "id": 1, "method": "roots/list"}}
    asked = {"ts": 1, "dir": "out", "msg": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "a"}}}
    failure = {"ts": 3, "dir": "in", "msg": {"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "no"}}}
    refusal = {"ts": 4, "dir": "out", "msg": {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "x"}}}
    for order in ((failure, refusal), (refusal, failure)):
        [_, told] = events(*(json.dumps(record).encode() for record in (asked, ask, *order)))
        assert "no" == told.output


def test_an_answer_whose_call_is_elsewhere_is_a_result():
    """A capture may begin behind the request; answers to other requests are counted."""
    content = {"content": [{"type": "text", "text": "x"}]}
    assert ["recoup.result"] == [event.event_name for event in events(line(1, {"id": 9, "result": content}))]
    assert [] == events(line(1, {"id": 9, "result": {"tools": []}}))
