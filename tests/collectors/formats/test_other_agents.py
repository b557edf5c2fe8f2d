"""What only logs of Antigravity, Droid, gptme, Posit Assistant, QwenPaw and Vibe can be odd in, beyond the stories."""

import json

import pytest

from collectors.conventions import CALL, RESULT, TURN
from collectors.events import Event
from collectors.formats import antigravity, droid, droid_stream, gptme, posit, qwenpaw, vibe

TIME = "2026-05-04T10:00:00Z"


def encoded(**record):
    """Return a record as a line."""
    return json.dumps(record).encode() + b"\n"


def events(form, *lines, path="x"):
    """Return the events of a file."""
    return [record for record in form.read(lines, path) if isinstance(record, Event)]


def step(index, kind, source="MODEL", **others):
    """Return a step of Antigravity."""
    shared = {"step_index": index, "source": source, "type": kind, "status": "DONE", "created_at": TIME}
    return encoded(**shared | others)


def response(index, *names):
    """Return a step in which Antigravity calls tools."""
    return step(index, "PLANNER_RESPONSE", tool_calls=[{"name": name, "args": {}} for name in names])


def person(text):
    """Return a message of a person in a session of Droid."""
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    return encoded(type="message", id="m1", timestamp=TIME, message=message)


@pytest.mark.parametrize(
    ("form", "line", "path", "session", "actor"),
    [
        (posit, encoded(id=0, message={"role": "user", "content": "x"}), "w/c1/lm-messages.jsonl", "c1", "main"),
        (
            posit,
            encoded(id=0, message={"role": "user", "content": "x"}),
            "w/c1/subagents/a1/lm-messages.jsonl",
            "c1",
            "a1",
        ),
        (posit, encoded(id=0, message={"role": "user", "content": "x"}), "copy.jsonl", "copy", "main"),
        (vibe, encoded(role="user", content="x", message_id="m"), "session_1/messages.jsonl", "session_1", "main"),
        (gptme, encoded(role="user", content="x", timestamp=TIME), "2026-x/conversation.jsonl", "2026-x", "main"),
        (
            antigravity,
            step(0, "USER_INPUT", "USER_EXPLICIT", content="x"),
            "brain/b1/.system_generated/logs/transcript.jsonl",
            "b1",
            "main",
        ),
    ],
)
def test_folders_name_the_session(form, line, path, session, actor):
    """Where records name no session, the folder does in which the program keeps it, and elsewhere the file."""
    [event] = events(form, line, path=path)
    assert (session, actor) == (event.session_id, event.actor_id)


def test_agents_of_a_conversation_keep_their_calls_apart():
    """Two agents of one conversation of Posit Assistant may use the same id."""
    call = {"type": "tool-call", "toolCallId": "1", "toolName": "read", "input": {}}
    line = encoded(id=0, message={"role": "assistant", "content": [call]})
    paths = ("w/c1/lm-messages.jsonl", "w/c1/subagents/a1/lm-messages.jsonl")
    assert 2 == len({event.uid for path in paths for event in events(posit, line, path=path)})


@pytest.mark.parametrize(
    ("text", "is_prompt"),
    [
        ("Go.", True),
        ("<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder>\nGo.", True),
        ("<system-reminder>a</system-reminder>\n", False),
        ("<system-reminder>never closed", True),
    ],
)
def test_reminders_of_droid_are_no_prompt(text, is_prompt):
    """What the program puts before the words of a person is none of them."""
    assert is_prompt == bool(events(droid, person(text)))


def test_many_reminders_are_read_in_one_pass():
    """A message of two megabytes of reminders is read as any other."""
    assert [] == events(droid, person("<system-reminder></system-reminder> " * 60_000))


def test_the_words_of_the_shell_of_droid_count_in_its_results_alone():
    """The same words in a file that was read state no exit code."""
    text = "Error: Command failed (exit code: 3)\nno"
    uses = [{"type": "tool_use", "id": name, "name": name, "input": {}} for name in ("Execute", "Read")]
    results = [{"type": "tool_result", "tool_use_id": name, "content": text} for name in ("Execute", "Read")]
    lines = [
        encoded(type="message", id="m1", timestamp=TIME, message={"role": "assistant", "content": uses}),
        encoded(type="message", id="m2", timestamp=TIME, message={"role": "user", "content": results}),
    ]
    found = [event.exit_code for event in events(droid, *lines) if event.event_name == RESULT]
    assert [3, None] == found


def test_the_risk_that_a_model_of_droid_sees_tells_no_call_from_another():
    """The same command is the same call, however dangerous it is said to be."""
    lines = [
        encoded(
            type="tool_call",
            sessionId="s",
            timestamp=1,
            id=risk,
            toolName="Execute",
            parameters={"command": "ls", "riskLevel": risk},
        )
        for risk in ("low", "high")
    ]
    assert 1 == len({event.exact_key for event in events(droid_stream, *lines)})


def test_results_of_antigravity_answer_by_kind_and_order():
    """Of two calls of one kind the older is answered first; a call of another kind waits for its own."""
    lines = [
        response(1, "run_command", "run_command", "view_file"),
        step(2, "VIEW_FILE", content="text"),
        step(3, "RUN_COMMAND", content="The command failed with exit code: 2\nOutput:\nno"),
        step(4, "RUN_COMMAND", content="The command completed successfully."),
    ]
    found = [(event.call_id, event.exit_code) for event in events(antigravity, *lines) if event.event_name == RESULT]
    assert [("1.2", None), ("1.0", 2), ("1.1", None)] == found


def test_a_result_of_antigravity_never_answers_an_earlier_response():
    """What the last response did not ask for stands alone, and the unanswered call stays so."""
    lines = [response(1, "run_command"), response(2, "view_file"), step(3, "RUN_COMMAND", content="x")]
    found = events(antigravity, *lines)
    assert ["1.0", "2.0"] == [event.call_id for event in found if event.event_name == CALL]
    assert ["3"] == [event.call_id for event in found if event.event_name == RESULT]


def test_a_result_of_antigravity_came_when_it_was_completed():
    """The step has the time of the start, its text also that of the end."""
    text = "Created At: 2026-05-04T10:00:00Z\nCompleted At: 2026-05-04T10:05:00Z\n\n\t\t\t\tdone"
    [_, result] = events(antigravity, response(1, "run_command"), step(2, "RUN_COMMAND", content=text))
    [start] = events(antigravity, response(1, "run_command"))
    assert 300 * 10**9 == result.time_unix_nano - start.time_unix_nano


def test_a_session_of_qwenpaw_keeps_its_name_when_it_grows():
    """The name comes from the first message alone."""
    first = {"id": "m1", "role": "user", "content": "Go.", "timestamp": "2026-05-04 10:00:00.000"}
    second = {"id": "m2", "role": "assistant", "content": "Yes.", "timestamp": "2026-05-04 10:00:01.000"}
    names = {
        event.session_id
        for messages in ([first], [first, second])
        for event in events(qwenpaw, encoded(agent={"memory": {"content": [[message, []] for message in messages]}}))
    }
    assert 1 == len(names)


def test_what_the_program_put_into_a_session_of_vibe_is_no_prompt():
    """A message that was injected is not of a person."""
    line = encoded(role="user", content="rules", message_id="m", injected=True)
    assert [] == events(vibe, line)


def test_code_in_an_answer_of_gptme_is_no_call():
    """What was run cannot be told from what was only shown."""
    line = encoded(role="assistant", content="```shell\nls\n```", timestamp=TIME, metadata={"model": "m"})
    assert [TURN] == [event.event_name for event in events(gptme, line)]
