import json

from pipeline.report.json import render


def test_keys_keep_their_order_and_text_its_letters():
    """The order is the report's own, and letters beyond ASCII are themselves."""
    assert render({"b": 1, "a": "größer"}) == '{\n  "b": 1,\n  "a": "größer"\n}\n'


def test_half_a_pair_is_still_utf_8():
    """A lone surrogate is written as JSON's escape, and comes back as it was."""
    text = render({"message": "cut \ud83d here", "quoted": 'a "\\" b'})

    assert json.loads(text.encode("utf-8")) == {"message": "cut \ud83d here", "quoted": 'a "\\" b'}


def test_the_whole_report_comes_back(busy_report):
    """What is printed is what was built."""
    assert json.loads(render(busy_report)) == busy_report
