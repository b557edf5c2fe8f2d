from types import SimpleNamespace

import pytest

from pipeline.discovery import usual_places


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return an empty home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def a_format(name, *where):
    """Return a format whose logs lie in these places."""
    return SimpleNamespace(NAME=name, TITLE=name.title(), WHERE=where)


def test_places_that_hold_logs(home):
    """Only places with files are given, in the order of the formats, with what lies there in order of names."""
    for name in (".agent/logs/b/two.jsonl", ".agent/logs/a/one.jsonl", ".agent/logs/notes.txt", ".other/x.json"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("12345")

    places = usual_places(
        [a_format("first", "~/.none/*.jsonl", "~/.agent/logs/**/*.jsonl"), a_format("second", "~/.other/*.json")]
    )

    assert [("First", "~/.agent/logs/**/*.jsonl", 10), ("Second", "~/.other/*.json", 5)] == [
        (place.title, place.pattern, place.size_bytes) for place in places
    ]
    assert ["one.jsonl", "two.jsonl"] == [source.name for source in places[0].sources]
    assert not any(source.is_named for place in places for source in place.sources)


def test_a_file_lies_in_one_place(home):
    """A file that two patterns match is found once."""
    (home / "a.jsonl").write_text("{}")

    places = usual_places([a_format("first", "~/*.jsonl"), a_format("second", "~/a.*")])

    assert ["First"] == [place.title for place in places]


def test_no_place(home):
    """Without logs there is no place."""
    assert [] == usual_places([a_format("first", "~/.none/**/*.jsonl"), a_format("second")])
