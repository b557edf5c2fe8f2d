import os

import pytest

from pipeline.errors import RecoupError
from pipeline.sources import find


def names(sources):
    """Return the names of sources in their order."""
    return [source.name for source in sources]


def test_folders_are_walked_in_order(tmp_path):
    """Files of a folder come in the order of their names, with those of folders in between."""
    for name in ("b.jsonl", "a/z.jsonl", "c/y.jsonl", "a/m/n.jsonl"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")

    found = find([tmp_path])

    assert ["n.jsonl", "z.jsonl", "b.jsonl", "y.jsonl"] == names(found)
    assert not any(source.is_named for source in found)


def test_links_do_not_loop_or_repeat(tmp_path):
    """A link to a folder above, a link to a file and a broken link add nothing."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/a.jsonl").write_text("{}")
    (tmp_path / "logs/again").symlink_to(tmp_path)
    (tmp_path / "logs/b.jsonl").symlink_to(tmp_path / "logs/a.jsonl")
    (tmp_path / "logs/broken").symlink_to(tmp_path / "nothing")

    assert ["a.jsonl"] == names(find([tmp_path, tmp_path / "logs", tmp_path / "logs/again"]))


def test_a_named_file_stays_named(tmp_path):
    """A file that is named and lies in a named folder is read once, as a named one."""
    (tmp_path / "a.jsonl").write_text("{}")

    for paths in ([tmp_path, tmp_path / "a.jsonl"], [tmp_path / "a.jsonl", tmp_path]):
        assert [True] == [source.is_named for source in find(paths)]


def test_what_no_folder_gives(tmp_path):
    """Folders of version control and packages are left out; hidden files and notes cannot be logs unless named."""
    for name in (
        ".git/a.jsonl",
        "node_modules/b.jsonl",
        ".hidden.jsonl",
        "notes.md",
        "agent.meta.json",
        ".claude/c.jsonl",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")

    assert {"c.jsonl": True, ".hidden.jsonl": False, "agent.meta.json": False, "notes.md": False} == {
        source.name: source.can_be_log for source in find([tmp_path])
    }
    assert all(source.can_be_log for source in find([tmp_path / "notes.md"]))


def test_a_missing_path(tmp_path):
    """A path that does not exist is an error that names it."""
    with pytest.raises(RecoupError) as raised:
        find([tmp_path / "none.jsonl"])

    assert "PATH_NOT_FOUND" == raised.value.entry.code
    assert str(tmp_path / "none.jsonl") in raised.value.message


def test_a_link_to_itself(tmp_path):
    """A link that leads nowhere but to itself is unreadable where it is named, and passed over in a folder."""
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    with pytest.raises(RecoupError) as raised:
        find([tmp_path / "loop"])

    assert "INPUT_UNREADABLE" == raised.value.entry.code
    assert [] == [source.name for source in find([tmp_path]) if not source.is_stream]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_without_permission(tmp_path):
    """A folder that may not be listed is a source that cannot be read, not silence."""
    (tmp_path / "closed").mkdir(mode=0)

    assert ["closed"] == names(find([tmp_path]))
