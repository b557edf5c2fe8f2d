"""Each story beside this file reads as its golden says; `UPDATE_GOLDEN=1` writes the goldens anew."""

import json
import os
from pathlib import Path

import msgspec
import pytest

from collectors import FORMATS, sniff
from collectors.events import Event

HERE = Path(__file__).parent
STORIES = sorted(
    path
    for form in FORMATS
    for path in (HERE / form.NAME).rglob("*")
    if path.suffix in {".jsonl", ".json", ".log"} and not path.name.endswith(".events.json")
)
# these change with the algorithms they name, which have tests of their own
HASHES = ("exact_key", "invocation_key", "operation_key", "argv_key", "fix_key", "fingerprint", "output_hash")


def shown(record) -> dict[str, object]:
    """Return what a record states, without what every event of the story shares and without hashes."""
    if not isinstance(record, Event):
        return {"record": type(record).__name__} | msgspec.to_builtins(record)
    stated = {
        name: value for name, value in msgspec.json.decode(msgspec.json.encode(record)).items() if value is not None
    }
    return {name: value.partition(":")[0] if name in HASHES else value for name, value in stated.items()}


@pytest.mark.parametrize("story", STORIES, ids=lambda path: str(path.relative_to(HERE)))
def test_story(story):
    """A story gives exactly the events, rejects and counts of its golden."""
    name = str(story.relative_to(HERE))
    form = sniff(story.read_bytes()[:65_536], name)
    with story.open("rb") as lines:
        read = [shown(record) for record in form.read(lines if form.UNIT == "line" else [lines.read()], name)]
    golden = story.with_suffix(".events.json")
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(json.dumps(read, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    assert json.loads(golden.read_text(encoding="utf-8")) == read


def test_every_format_has_stories():
    """A format without a story is not tested."""
    assert {form.NAME for form in FORMATS} == {story.relative_to(HERE).parts[0] for story in STORIES}
