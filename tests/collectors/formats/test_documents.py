"""Documents and archives: what is damaged, cut, too large or packed otherwise."""

import io
import zipfile
from pathlib import Path

import msgspec
import pytest

from collectors import sniff
from collectors.events import Event, Reject
from collectors.formats import _documents, _inspect_records, inspect, mini_swe_agent
from collectors.formats._heads import fields

HERE = Path(__file__).parent
LOG = (HERE / "inspect" / "log.json").read_bytes()
RUN = (HERE / "mini_swe_agent" / "recovery.json").read_bytes()


def archive(members, method=zipfile.ZIP_DEFLATED):
    """Return an archive of the members, by name."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as opened:
        for name, content in members.items():
            opened.writestr(name, content)
    return held.getvalue()


def packed(**others):
    """Return the story of a log as its archive, with other members."""
    log = msgspec.json.decode(LOG)
    samples = {f"samples/{sample['id']}_epoch_1.json": msgspec.json.encode(sample) for sample in log.pop("samples")}
    return archive({"header.json": msgspec.json.encode(log), **samples, **others})


def test_an_archive_holds_what_its_document_holds():
    """The same log gives the same records as a document and as an archive."""
    assert list(inspect.read([LOG], "x")) == list(inspect.read([packed()], "x"))
    assert inspect is sniff(packed()[:200], "x")


def test_names_that_lead_out_of_an_archive_are_names(tmp_path, monkeypatch):
    """Nothing is unpacked to disk, whatever a member is called."""
    monkeypatch.chdir(tmp_path)
    content = packed(**{"../evil.json": b"{}", "samples/../../evil.json": b"{}", "/etc/evil.json": b"{}"})
    assert [] == [record for record in inspect.read([content], "x") if isinstance(record, Reject)]
    assert [] == list(tmp_path.iterdir())


def test_a_member_that_unpacks_to_too_much_is_one_reject(monkeypatch):
    """A sample above the limit is rejected by name, and the others are read."""
    monkeypatch.setattr(_inspect_records, "MAX_MEMBER_BYTES", 50_000)
    records = list(inspect.read([packed(**{"samples/9.json": b" " * 60_000})], "x"))
    assert [("too_large", "samples/9.json")] == [
        (record.reason, record.excerpt) for record in records if isinstance(record, Reject)
    ]
    assert list(inspect.read([LOG], "x")) == [record for record in records if not isinstance(record, Reject)]


def test_other_ways_of_packing_are_rejects():
    """Members packed by anything but deflate are not unpacked."""
    content = archive({"header.json": b"{}", "samples/1.json": b"{}"}, zipfile.ZIP_BZIP2)
    assert ["unreadable", "unreadable"] == [record.reason for record in inspect.read([content], "x")]


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_an_archive_without_its_end_is_torn(share):
    """The directory of an archive is written last: without it nothing can be read yet."""
    content = packed()
    [reject] = inspect.read([content[: int(len(content) * share)]], "x")
    assert ("unreadable", True) == (reject.reason, reject.is_torn)


def test_a_broken_escape_is_mended():
    """An address that was masked together with the escape before it costs one character, not the document."""
    damaged = RUN.replace(b"a deployment", b"a \\user@example.com deployment")
    assert damaged != RUN
    events = [record for record in mini_swe_agent.read([damaged], "x") if isinstance(record, Event)]
    assert {True} == {"text_repaired" in event.flags for event in events}
    whole = [record for record in mini_swe_agent.read([RUN], "x") if isinstance(record, Event)]
    assert [event.event_name for event in whole] == [event.event_name for event in events]


def test_a_document_that_is_too_large_is_one_reject(monkeypatch):
    """A document has to be held whole, so its size has a limit."""
    monkeypatch.setattr(_documents, "MAX_BYTES", 100)
    assert ["too_large"] == [record.reason for record in mini_swe_agent.read([RUN], "x")]


def test_a_document_that_is_cut_is_torn():
    """A document without its end may still be being written; one with a wrong middle is broken."""
    [cut] = mini_swe_agent.read([RUN[:-50]], "x")
    [broken] = mini_swe_agent.read([RUN.replace(b'"messages":', b'"messages"', 1)], "x")
    assert ("not_json", True) == (cut.reason, cut.is_torn)
    assert ("not_json", False) == (broken.reason, broken.is_torn)


HEADS = {
    b'{"a": {"b": [{"c": 1}, {"c": 2, "d": "x"}]}, "e": "cut': {"a.b[].c": "1", "a.b[].d": "x", "e": "cut"},
    b'[{"a": "{\\"no\\": 1}"}]': {"[].a": '{\\"no\\": 1}'},
    b'{"a": 1}\n{"b": 2}\n': {"a": "1", "b": "2"},
    b'{"a": "\\': {"a": ""},
    b"": {},
}


@pytest.mark.parametrize("head", HEADS)
def test_heads(head):
    """The keys of a JSON text are told from its beginning, wherever that is cut."""
    seen = fields(head)
    assert HEADS[head] == {place: seen.get(place) for place in HEADS[head]}
