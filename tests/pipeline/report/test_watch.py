import json

from pipeline.report.watch import to_text, watched

FINAL = {"retryable": False, "exit_code": 7}


def test_only_what_is_proven_is_printed(make_world):
    """Fifteen of fifteen against retryable:false is proven; two of two of another code are not worth a line."""
    world = make_world()
    for code, count in (("CLEARS", 15), ("PERHAPS", 2)):
        for _ in range(count):
            world.session().fail("tool get", code, **FINAL).wait(2).ok("tool get").end()
    found = watched(world.build())

    assert [alarm["error_code"] for alarm in found["alarms"]] == ["CLEARS"]
    assert to_text(found) == (
        "CLEARS of tool says retryable:false: 15 of 15 fair reissues worked, proven above 20 % "
        "(not excluded at any look: 72-100 %)\n"
        "1 alarm proven at any look over 2 codes with 17 fair reissues\n"
    )
    assert json.loads(json.dumps(found)) == found
    assert watched(world.connection, tool="other")["alarms"] == []


def test_nothing_proven_is_said(void):
    """An empty store proves nothing."""
    assert to_text(watched(void.connection)) == "Nothing is proven yet over 0 codes with 0 fair reissues\n"


def test_log_text_cannot_move_the_cursor(make_world):
    """A hostile code is shown without its escapes."""
    world = make_world()
    for _ in range(15):
        world.session().fail("tool get", "\x1b[2JCODE", **FINAL).wait(2).ok("tool get").end()

    assert "\x1b" not in to_text(watched(world.build()))
