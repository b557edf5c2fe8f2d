import pytest

from pipeline.parameters import Additions, Parameters

FIX = {"retryable": False, "fix_required": "Update", "exit_code": 4}
OLDER = {"message": "this release is older than the server accepts"}


@pytest.fixture(scope="module")
def world(make_world):
    """A world of tools that change from 1.4.0 to 1.5.0."""
    world = make_world()
    for code, version in (("TOOL_OUTDATED", "1.4.0"), ("CLI_OUTDATED", "1.5.0")):
        for _ in range(2):
            world.session().fail("tool plan", code, **FIX, **OLDER, tool_version=version).end()
    for retryable, version in ((False, "1.4.0"), (True, "1.5.0")):
        world.session().fail("tool promote", "FLIPS", retryable=retryable, exit_code=12, tool_version=version).end()
    for retryable, version in ((False, "1.4.0"), (True, "1.4.0"), (True, "1.5.0")):
        world.session().fail("tool promote", "BOTH", retryable=retryable, exit_code=12, tool_version=version).end()
    for fix, version in (("tool sync", "1.4.0"), ("tool sync --all", "1.5.0")):
        world.session().fail("tool build", "EDITED", **FIX, fix_command=fix, tool_version=version).end()
    for fix, version in (("tool warm eu", "1.4.0"), ("tool warm us", "1.4.0"), ("tool warm ap", "1.5.0")):
        world.session().fail("tool read", "COLD", **FIX, fix_command=fix, tool_version=version).end()
    return world


@pytest.fixture(scope="module")
def found(world, search):
    """What is found there, by code."""
    return {finding.error_code: finding for finding in search(world, "code_stability")}


def test_one_message_under_two_names(found):
    """The message keeps, the code changes with the version: a rename."""
    finding = found["TOOL_OUTDATED"]

    assert finding.sentence == (
        '"this release is older than the server accepts" was TOOL_OUTDATED up to 1.4.0 and is CLI_OUTDATED from 1.5.0 '
        "on (2 failures, then 2). Keep the name, or list the two as aliases."
    )
    assert (finding.severity, finding.verdict) == ("info", "watch")


def test_a_class_that_flips_is_a_warning(found):
    """Declared terminal by one version and transient by the next."""
    assert found["FLIPS"].sentence.startswith("FLIPS was declared terminal up to 1.4.0 and is transient from 1.5.0 on")
    assert found["FLIPS"].severity == "warning"


def test_two_classes_in_one_version_are_no_change(found):
    """A code that is declared both ways by one version is inconsistent, and has not changed."""
    assert "BOTH" not in found


def test_an_edited_fix_is_noted(found):
    """Another fix command from a version on: figures of the two do not compare."""
    assert "`tool sync` up to 1.4.0 and is `tool sync --all` from 1.5.0 on" in found["EDITED"].sentence


def test_a_fix_put_together_at_run_time_is_no_edit(found):
    """Two texts in one version are interpolated, and not edited from version to version."""
    assert "COLD" not in found


def test_an_alias_settles_a_rename_and_a_loop(make_world, search):
    """Names that the user lists as one are no rename, and a fix after which one follows the other is a failed loop."""
    world = make_world()
    fix = FIX | OLDER | {"fix_command": "tool self update"}
    session = world.session().fail("tool plan", "TOOL_OUTDATED", **fix, tool_version="1.4.0").ok("tool self update")
    session.fail("tool plan", "CLI_OUTDATED", **fix, tool_version="1.5.0").end()
    verdict = "select verdict from core.closed_loops"

    assert len(search(world, "code_stability")) == 1
    assert world.connection.execute(verdict).fetchall() == [("indeterminate",)]

    named = Parameters(additions=Additions(aliases=(("CLI_OUTDATED", "TOOL_OUTDATED"),)))

    assert search(world, "code_stability", named) == []
    assert world.connection.execute(verdict).fetchall() == [("failed",)]
