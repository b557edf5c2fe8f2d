import pytest


@pytest.fixture(scope="module")
def found(make_world, search):
    """What is found in a world of four kinds of prose and one code, by tool."""
    world = make_world()
    for count in (3, 2):
        session = world.session()
        for number in range(count):
            session.fail(f"common build {number}", message="Something\nwent wrong", fingerprint="f1:aa")
        session.end()
    session = world.session().fail("rare build", message="Odd", fingerprint="f1:bb")
    for number in range(6):
        session.fail(f"local build {number}", message="Here only", fingerprint="f1:cc")
    session.fail("lifted build", message="ENOENT: no such file", error_code="ENOENT", code_source="lifted:errno")
    session.fail("coded build", "BUILD_FAILED").end()
    return {finding.tool: finding for finding in search(world, "uncoded_errors")}


def test_a_common_kind_of_prose_asks_for_a_code(found):
    """Five failures of one kind in two sessions are a warning that quotes them."""
    finding = found["common"]

    assert finding.sentence == (
        '5 failures of `common` in 2 sessions carry no code: "Something went wrong". Give them one.'
    )
    assert (finding.severity, finding.verdict, finding.error_code) == ("warning", "contradicted", None)
    assert finding.proposal.field == "code"


def test_a_rare_kind_is_too_few(found):
    """One failure is information, and says how many more it takes."""
    finding = found["rare"]

    assert (finding.severity, finding.verdict) == ("info", "insufficient")
    assert finding.sentence.endswith('carries no code: "Odd". Too few to rank: 4 more needed.')


def test_one_session_alone_does_not_make_it_common(found):
    """Six failures of one session wait for a second one."""
    assert found["local"].severity == "info"
    assert found["local"].sentence.endswith("Too few to rank: a second session needed.")


def test_a_code_found_in_the_text_is_named_and_still_none(found):
    """A code lifted from prose is proposed, not counted as one."""
    finding = found["lifted"]

    assert finding.error_code is None
    assert "though the text names ENOENT" in finding.sentence
    assert finding.proposal.value == "ENOENT"


def test_coded_failures_are_none(found):
    """A failure with a code of its own is no finding."""
    assert "coded" not in found
