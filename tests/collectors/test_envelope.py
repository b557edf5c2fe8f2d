import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.envelope import Ladder, find, from_value, is_damaged
from collectors.events import Event

CASES = Path(__file__).parents[1] / "cases"
RECEIVED = 1_777_888_800 * 10**9
"""2026-05-04T10:00:00Z, the stamp of every record of the cases."""

JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=20,
)
FIELD = st.sampled_from(
    [
        *("ok", "error", "errors", "data", "meta", "code", "message", "retryable", "retry_after", "retry_after_ms"),
        *("context", "fix_command", "fix_required", "redirect", "command", "status", "title", "type", "detail"),
        *("hint", "phase", "__type", "Error", "details"),
    ]
)
DOCUMENT = st.recursive(
    JSON,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(FIELD, inner, max_size=6)),
    max_leaves=12,
)


def records(name):
    """The records of an envelope log among the cases, by call id."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return {record["call_id"]: record for record in map(json.loads, lines)}


def results(name):
    """The texts of the tool results in a Claude Code transcript among the cases, in order."""
    texts = []
    for line in (CASES / name).read_text(encoding="utf-8-sig", errors="surrogateescape").splitlines():
        record = json.loads(line)
        content = record["message"]["content"] if isinstance(record, dict) and "message" in record else []
        blocks = [block for block in content if isinstance(block, dict) and block["type"] == "tool_result"]
        for block in blocks:
            inner = block["content"]
            texts.append(inner[0]["text"] if isinstance(inner, list) else inner or "")
    return texts


def envelope(**error):
    """A failing envelope with these error fields."""
    return {"ok": False, "data": None, "error": error, "warnings": [], "meta": {"duration_ms": 10}}


def test_every_slot_is_one_of_an_event():
    """What a ladder says has a column to go to; duration and trace id are the event's own."""
    assert set(Ladder.__struct_fields__) <= {*Event.__struct_fields__}


@pytest.mark.parametrize("call_id", [f"c{n}" for n in range(1, 14)])
def test_a08_fix_commands_are_stored_verbatim(call_id):
    """Placeholders, pipelines, chains and quoting attacks are stored as inert text, unchanged."""
    record = records("A08.jsonl")[call_id]
    ladder = find(json.dumps(record["envelope"], indent=2))
    assert ladder.fix_command == record["envelope"]["error"]["fix_command"]
    assert ladder.fix_source == "fix_command"
    assert ladder.error_code == record["envelope"]["error"]["code"]


@pytest.mark.parametrize(
    ("number", "wait", "flags"),
    [
        (1, 120_000, ()),
        (2, 120_000, ()),
        (3, 0, ()),
        (4, None, ("retry_after_invalid",)),
        (5, None, ("retry_after_invalid",)),
        (6, 0, ()),
        (7, 30_000, ("unit_mismatch_suspected",)),
        (8, None, ("retry_after_invalid",)),
        (9, 120_000, ()),
        (10, None, ("retry_after_invalid",)),
        (11, 0, ("zero_rate_limited",)),
        (12, 60_000, ()),
    ],
)
def test_c03_waits(number, wait, flags):
    """Seconds, three date forms, zero, past dates and nonsense become one wait in milliseconds or none."""
    record = records("C03.jsonl")[f"c{number}"]
    ladder = from_value(record["envelope"], received_unix_nano=RECEIVED)
    assert (ladder.retry_after_ms, ladder.flags) == (wait, flags)
    assert ladder.retryable is True


def test_c14_a_batch_speaks_for_itself_and_not_for_its_items():
    """The call's code is the batch's, not that of an item inside it."""
    ladders = [find(json.dumps(record["envelope"])) for record in records("C14.jsonl").values()]
    assert [ladder.error_code for ladder in ladders] == ["PARTIAL_FAILURE", None, "PARTIAL_FAILURE"]
    assert [ladder.envelope_ok for ladder in ladders] == [False, True, False]
    assert ladders[0].flags == ("partial",)
    assert ladders[0].retryable is False


def test_d16_polluted_output():
    """Notices before, log lines after and a progress object do not hide the envelope; a broken one is not mended."""
    polluted, shown, broken = results("D16.jsonl")
    assert find(polluted).error_code == "CREDENTIALS_EXPIRED"
    assert find(polluted).fix_command == "tool auth refresh"
    assert find(shown) == find(polluted)
    assert find(broken) is None
    assert [is_damaged(text) for text in (polluted, shown, broken)] == [False, False, True]


def test_b07_the_end_of_twenty_megabytes():
    """The envelope at the end of twenty megabytes of warnings is found."""
    text = results("B07.jsonl")[0]
    warning = "warning: unused\n"
    inflated = text.replace(warning, warning * (20_000_000 // text.count(warning) // len(warning) + 1))
    assert len(inflated) > 20_000_000
    assert find(inflated).error_code == "BUILD_FAILED"
    assert find(inflated + "{" * 1_000_000).error_code == "BUILD_FAILED"


def test_b08_damaged_text_before_an_envelope():
    """A lone surrogate or a broken byte beside the envelope changes nothing in it."""
    first, second, _ = results("B08.jsonl")
    assert (find(first).error_code, find(first).retry_after_ms) == ("UNAVAILABLE", 1000)
    assert find(second).envelope_ok is True


def test_b12_answers_by_shape():
    """Text without an envelope gives none, whatever it says."""
    codes = [ladder and ladder.error_code for ladder in map(find, results("B12.jsonl"))]
    assert codes == [None, "ARG_ERROR", None, "UNAVAILABLE", None, None]


def test_success_carries_no_code():
    """`ok: true` with a null error is a success with its metadata and nothing else."""
    ladder = find(
        '{"ok":true,"data":{"code":"X_Y","message":"m"},"error":null,"meta":{"request_id":"r1","tool_version":"2"}}'
    )
    assert ladder == Ladder(dialect="cli_agent_spec", envelope_ok=True, request_id="r1", tool_version="2")
    assert not ladder.is_failure


def test_an_error_beside_ok_is_a_failure():
    """`ok: true` with a non-null error keeps both signals."""
    ladder = from_value({"ok": True, "error": {"code": "X_Y", "message": "m"}})
    assert (ladder.envelope_ok, ladder.error_code, ladder.flags) == (True, "X_Y", ("error_beside_ok",))
    assert ladder.is_failure


def test_all_fields():
    """Every field of the contract has its slot."""
    ladder = from_value(
        {
            "ok": False,
            "schema_version": "1.2",
            "error": {
                "code": "RATE_LIMITED",
                "message": "slow \x1b[31mdown\x1b[0m",
                "retryable": True,
                "retry_after_ms": 1500,
                "retry_strategy": "exponential_backoff",
                "max_retries": 3,
                "fix_required": "wait",
                "fix_command": "tool wait",
                "phase": "execution",
                "suggestion": "ask for more",
                "context": {"http_status": 429, "limit": [1, "x"]},
                "side_effects": "none",
                "retries_exhausted": True,
            },
            "meta": {
                "duration_ms": 12.6,
                "request_id": "r1",
                "trace_id": "t1",
                "tool_version": "2.3.1",
                "retries": 2,
                "truncated": True,
            },
        }
    )
    assert ladder == Ladder(
        dialect="cli_agent_spec",
        envelope_ok=False,
        schema_version="1.2",
        request_id="r1",
        error_code="RATE_LIMITED",
        code_source="envelope",
        message="slow down",
        retryable=True,
        retry_after_ms=1500,
        retry_strategy="exponential_backoff",
        max_retries=3,
        fix_required="wait",
        fix_command="tool wait",
        fix_source="fix_command",
        phase="execution",
        suggestion="ask for more",
        context='{"http_status":429,"limit":[1,"x"]}',
        side_effects="none",
        http_status=429,
        internal_attempts=3,
        tool_version="2.3.1",
        duration_ms=13,
        trace_id="t1",
        flags=("retries_exhausted", "output_truncated"),
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, (True, None)),
        (False, (False, None)),
        ("maybe", (None, "maybe")),
        ("true", (True, None)),
        ("after login", (None, "after login")),
        (1, (None, "1")),
        (None, (None, None)),
    ],
)
def test_retryable_has_three_states(value, expected):
    """Absent is not false, and what is no boolean is kept verbatim."""
    ladder = from_value(envelope(code="X_Y", retryable=value))
    assert (ladder.retryable, ladder.retryable_text) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [("x.y-Z", "x.y-Z"), (404, "404"), (1.5, "1.5"), (True, None), ({}, None), ([1], None), ("", None), (None, None)],
)
def test_codes_are_verbatim_or_none(value, expected):
    """A code is never normalised; a number is written out; what cannot be one is none."""
    assert from_value(envelope(code=value, message="m")).error_code == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"fix_command": "a", "refresh_command": "b"}, ("a", "fix_command")),
        ({"refresh_command": "b", "reauth_command": "c"}, ("b", "refresh_command")),
        ({"reauth_command": "c", "redirect": {"command": "d"}}, ("c", "reauth_command")),
        ({"redirect": {"command": "d", "permanent": True}}, ("d", "redirect")),
        ({"redirect": {"permanent": True}}, (None, None)),
        ({"fix_command": "", "refresh_command": None}, (None, None)),
        ({"fix_command": ["tool", "x"]}, (None, None)),
    ],
)
def test_special_fix_fields(error, expected):
    """The generic fix command comes before the special ones, and its source is told."""
    ladder = from_value(envelope(code="X_Y", **error))
    assert (ladder.fix_command, ladder.fix_source) == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ({"retry_after": 5}, 5000),
        ({"retry_after": 1.5}, 1500),
        ({"retry_after": "7"}, 7000),
        ({"retry_after_ms": "250"}, 250),
        ({"retry_after_ms": 250, "retry_after": 1}, 1000),
        ({"retry_after": "Mon, 04 May 2026 10:00:30 GMT"}, 30_000),
        ({"headers": {"retry-after": "9"}}, 9000),
        ({"headers": {"Retry-After": "9"}, "retry_after_ms": 12_000}, 12_000),
        ({"retry_after": True}, None),
        ({"retry_after_ms": None}, None),
    ],
)
def test_older_waits(error, expected):
    """`retry_after` is seconds, or the header's date; `retry_after_ms` is milliseconds; the longer counts."""
    assert from_value(envelope(code="X_Y", **error), received_unix_nano=RECEIVED).retry_after_ms == expected


@pytest.mark.parametrize(
    ("document", "code", "message"),
    [
        ({"ok": False, "error": "it broke"}, None, "it broke"),
        ({"ok": False, "error": "channel_not_found"}, "channel_not_found", "channel_not_found"),
        ({"ok": False, "error": None}, None, None),
        ({"ok": False, "code": "X_Y", "message": "m"}, "X_Y", "m"),
        ({"ok": False, "errors": [{"code": "A_B", "message": "a"}, {"code": "C_D"}]}, "A_B", "a"),
        ({"ok": False, "error": {"code": "A_B"}, "message": "m", "data": {"code": "C_D"}}, "A_B", "m"),
    ],
)
def test_envelopes_of_other_shape(document, code, message):
    """An error as text, as a list or at the top is read for what it says."""
    ladder = from_value(document)
    assert (ladder.error_code, ladder.message, ladder.envelope_ok) == (code, message, False)


def test_secrets_do_not_reach_the_ladder():
    """Messages, commands, codes and contexts are redacted, and a placeholder stays for the checks to see."""
    secret = "gh" + "p_" + "Fake0" * 8
    ladder = from_value(
        envelope(
            code="X_Y",
            message=f"used {secret}",
            fix_command=f"tool login --token {secret}",
            suggestion="tool login --token <your-token>",
            context={"password": "hunter" + "2", "deep": [{"t": secret}], secret: 1},
        )
    )
    assert secret not in repr(ladder)
    assert "hunter" + "2" not in repr(ladder)
    assert ladder.fix_command.startswith("tool login --token [redacted:")
    assert ladder.suggestion == "tool login --token <your-token>"
    json.loads(ladder.context)


@given(DOCUMENT)
def test_any_document_gives_a_ladder_or_none(document):
    """Whatever is decoded, the answer can be stored: valid text of bounded size, 64-bit numbers, JSON as context."""
    ladder = from_value(document, received_unix_nano=RECEIVED)
    if ladder is None:
        return
    msgspec.json.encode(ladder)
    sizes = {name: len(value) for name, value in msgspec.structs.asdict(ladder).items() if isinstance(value, str)}
    assert sizes.pop("message", 0) <= 2000
    assert all(size <= 1000 for size in sizes.values())
    assert ladder.context is None or json.loads(ladder.context) not in (None, {}, [])


@given(DOCUMENT, st.text(max_size=40), st.text(max_size=40))
def test_find_reads_what_from_value_reads(document, before, after):
    """A document alone, indented or after any line that opens no value gives the same ladder."""
    document = {**document, "ok": False} if isinstance(document, dict) else {"ok": False, "data": document}
    text = json.dumps(document)
    expected = from_value(json.loads(text, parse_constant=lambda name: None))
    before = before.replace("{", "").replace("[", "").replace("\x1b", "").replace("\x9b", "").replace("HTTP/", "")
    assert find(text) == expected
    assert find(json.dumps(document, indent=2)) == expected
    assert find(f"{before}\n{text}\n[33m") == expected


@given(st.text(max_size=200))
def test_any_text_gives_a_ladder_or_none(text):
    """Text of any kind, cut at any place, never raises."""
    find(text)
    is_damaged(text)
    find('{"ok":false,"error":{"code":"' + text)


def test_long_fields_are_cut_and_context_stays_json():
    """Long text keeps head and tail; a context that is too long keeps its first members and counts the others."""
    ladder = from_value(
        envelope(
            code="C" * 5000,
            message="m" * 50_000,
            context={f"k{i}": "v" * 500 for i in range(50)},
            fix_command="f" * 5000,
        )
    )
    assert (len(ladder.message), len(ladder.error_code), len(ladder.fix_command)) == (2000, 1000, 1000)
    context = json.loads(ladder.context)
    assert context["k0"].startswith("vvv")
    assert context["..."].endswith("of 50 members omitted, the others cut")


def test_depth_is_bounded():
    """A context deeper than 64 is cut there; a value deeper than the decoder goes is no envelope."""
    deep = {"ok": False, "error": {"code": "X_Y", "context": {}}}
    inner = deep["error"]["context"]
    for _ in range(500):
        inner["a"] = {}
        inner = inner["a"]
    assert from_value(deep).context.count("{") == 64
    assert find('{"ok":false,"error":{"code":' + '{"a":' * 100_000) is None


CURL = """HTTP/1.1 301 Moved Permanently\r
Location: https://x.test/\r
Retry-After: 1\r
\r
HTTP/2 429 \r
content-type: application/json\r
retry-after: 30\r
x-request-id: r9\r
\r
{}"""


def test_a_captured_http_response_states_status_and_wait():
    """The last response head of a failed request gives status, wait and request id, alone or beside its body."""
    alone = find(CURL)
    assert (alone.dialect, alone.http_status, alone.retry_after_ms, alone.request_id) == ("http", 429, 30_000, "r9")
    assert (alone.envelope_ok, alone.retryable, alone.error_code) == (False, None, None)
    beside = find(CURL.replace("{}", '{"error":{"code":"RATE_LIMITED","message":"m"}}'))
    assert (beside.error_code, beside.http_status, beside.retry_after_ms) == ("RATE_LIMITED", 429, 30_000)
    assert find("< HTTP/1.1 503 Service Unavailable\n< Retry-After: soon\n").flags == ("retry_after_invalid",)
    assert find("HTTP/1.1 200 OK\nRetry-After: 5\n\nfine") is None
    assert find("see HTTP/1.1 404 in the log") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ok",
        "{}",
        '{"id":1,"name":"alpha"}',
        '{"hits":[{"error":"x"}]}',
        '[{"ok":false}]',
        "null",
        '"ok"',
        '{"error":null}',
        '{"errors":[]}',
        '{"error":{}}',
        '{"level":"error","error":"x","job":3}',
        '{"status":404}',
        "Error: boom",
    ],
)
def test_data_is_no_envelope(text):
    """Objects without an error document, null errors and lists give nothing."""
    assert find(text) is None
    assert not is_damaged(text)
