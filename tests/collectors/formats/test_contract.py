"""What holds for every format, whatever the bytes are."""

import functools
import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors import FORMATS, HEAD_BYTES, read, sniff
from collectors.conventions import CALL, RESULT, SESSION_END, TURN
from collectors.events import Event, Reject, Skipped
from collectors.formats import codex_exec_json

HERE = Path(__file__).parent
STATUSES = {None, "ok", "error", "refused", "blocked", "interrupted", "cancelled", "not_run", "harness_fault"}
STATUSES |= {"killed", "running"}
TURNS = {"prompt", "answer", "handover", "interruption", "api_error", "compaction"}
STORIES = [
    (form, path)
    for form in FORMATS
    for path in sorted((HERE / form.NAME).rglob("*"))
    if path.suffix in {".jsonl", ".json", ".log"} and not path.name.endswith(".events.json")
]
any_format = pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.NAME)
any_story = pytest.mark.parametrize(("form", "story"), STORIES, ids=lambda value: getattr(value, "name", ""))


def parts(form, data):
    """Return what the reader of that format is given of a file."""
    return data.splitlines(keepends=True) if form.UNIT == "line" else [data]


def checked(form, lines):
    """Read the lines; every record must keep the contract."""
    records = list(form.read(lines, "story.jsonl"))
    for record in records:
        if isinstance(record, Event):
            check_event(record, form)
        else:
            assert isinstance(record, Reject | Skipped)
    kinds = [record.kind for record in records if isinstance(record, Skipped)]
    assert len(kinds) == len(set(kinds))
    # what is stored is valid Unicode
    msgspec.json.encode(records)
    return records


def check_event(event, form):
    """An event names where it was read, who spoke, and what it is by words that are known."""
    assert event.event_name in {CALL, RESULT, TURN, SESSION_END}
    # what came over OTLP says which signal it was: a log event tells more than a span
    assert (form.NAME.partition("_")[0] if "otlp" in form.NAME else form.NAME) in event.format
    assert "story.jsonl" == event.path
    assert event.uid
    assert event.session_id
    assert event.actor_id
    assert event.position > 0
    assert event.status in STATUSES
    assert event.turn_kind in TURNS or event.event_name != TURN
    # telemetry may keep a call's id to itself
    assert event.call_id or event.event_name not in {CALL, RESULT} or "otlp" in form.NAME
    assert all(abs(value) < 2**63 for value in msgspec.structs.astuple(event) if isinstance(value, int))
    assert event.output is None or len(event.output) <= 4_000
    assert event.arguments is None or len(event.arguments) <= 2_000
    assert (event.time_unix_nano is None) == ("no_timestamp" in (event.flags or ()))


@any_format
@settings(max_examples=50, deadline=None)
@given(lines=st.lists(st.binary(max_size=60) | st.text(max_size=60).map(str.encode), max_size=6))
def test_garbage(form, lines):
    """Bytes of any kind give rejects or counts."""
    checked(form, [line + b"\n" for line in lines])


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value):
    """Yield the container and the key of each value inside a record."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        yield value, key
        yield from places(inner)


def decoded(piece):
    """Return what a piece of JSON holds; None where it is none or nothing."""
    try:
        return msgspec.json.decode(piece) or None
    except msgspec.DecodeError:
        return None


@functools.cache
def pieces_of(form):
    """Return the records of a format's stories, still encoded; none where they are no JSON."""
    stories = [path.read_bytes() for other, path in STORIES if other is form]
    pieces = [piece for story in stories for part in parts(form, story) for piece in (part, *part.splitlines())]
    return [piece for piece in pieces if isinstance(decoded(piece), dict | list)]


@any_format
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_field_can_be_anything(form, data):
    """Whatever stands where something else should, the record is read as far as it goes."""
    if not pieces_of(form):
        pytest.skip("a log of this format is no JSON")
    record = decoded(data.draw(st.sampled_from(pieces_of(form))))
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(list(places(record)) or [(record, "type")]))
        container[key] = data.draw(VALUES)
    checked(form, [msgspec.json.encode(record) + b"\n"])


@any_story
def test_truncation(form, story):
    """A file cut anywhere gives the events of its whole lines, and never an exception."""
    data = story.read_bytes()
    for size in range(0, len(data), 97):
        checked(form, parts(form, data[:size]))


@any_story
def test_order_and_repetition(form, story):
    """Doubled lines hold the same calls and results, in any order where no state is kept; two reads are equal."""
    lines = parts(form, story.read_bytes())
    lines[-1] = lines[-1].rstrip(b"\n") + b"\n"
    once = checked(form, lines)
    assert once == checked(form, lines)
    if form.UNIT == "line" and form is not codex_exec_json:  # whose runs nothing but their order tells apart
        assert uids(once) == uids(checked(form, [*lines, *lines]))
    if form.RESUMABLE:
        assert uids(once) == uids(checked(form, random.Random(7).sample(lines, len(lines))))


def uids(records):
    """Return the names of calls and results, without those that only their place in the file tells from others."""
    unnamed = {"no_timestamp", "no_call_id"}
    return {
        record.uid
        for record in records
        if isinstance(record, Event) and record.uid[0] in "cre" and not unnamed <= set(record.flags or ())
    }


@any_story
def test_reading_on(form, story):
    """A resumable format read in two halves gives the records of one reading, with their line numbers."""
    if not form.RESUMABLE:
        pytest.skip("a file of this format that grew is read again")
    lines = story.read_bytes().splitlines(keepends=True)
    whole = [record for record in form.read(lines, "story.jsonl") if not isinstance(record, Skipped)]
    for cut in range(len(lines)):
        halves = [*form.read(lines[:cut], "story.jsonl"), *form.read(lines[cut:], "story.jsonl", cut + 1)]
        read_on = [record for record in halves if not isinstance(record, Skipped)]
        assert [named(record) for record in whole] == [named(record) for record in read_on]


def named(record):
    """Return what a record is, without the thread of an old inline sub-agent, which only the file's start tells."""
    return (record.uid, record.position) if isinstance(record, Event) else record


@any_story
def test_sniffing(form, story):
    """Each story is recognised from its head, from its first line alone, and by no other format."""
    data = story.read_bytes()
    assert form is sniff(data[:HEAD_BYTES], "x")
    assert [form] == [other for other in FORMATS if other.looks_like(data[:HEAD_BYTES], "x")]


STRANGERS = [b"", b"\n", b"\xff\xfe\x00", b"{}", b"[]", b"hello\n", b'{"a":1}\n', b"PK\x03\x04", b"{" * 70_000]


@pytest.mark.parametrize("head", STRANGERS)
def test_strangers_are_not_recognised(head):
    """Empty, binary and foreign files are none of ours."""
    assert sniff(head, "x") is None


@any_format
def test_depth(form):
    """A line nested a hundred thousand deep is one reject, and the next line is read."""
    deep = b'{"type":"assistant","x":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n"
    first, *_ = [record for record in checked(form, [deep, b"{}\n"]) if isinstance(record, Reject)]
    assert 1 == first.position


@any_format
def test_facts(form):
    """A format says what it is, where such files lie and what cannot be told from them."""
    assert form.UNIT in {"line", "document"}
    assert form.TITLE
    assert form.CANNOT_TELL
    assert isinstance(form.RESUMABLE, bool)
    assert [] == list(read(form.NAME, [], "empty"))
