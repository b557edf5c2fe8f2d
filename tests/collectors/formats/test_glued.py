"""Records on one line without a break between them."""

import json

import pytest

from collectors.formats._glued import parts_of, unglued


def taken_apart(line):
    """Return the parts of a line, decoded."""
    [whole] = unglued([line])
    return [json.loads(part) for part in parts_of(whole)]


@pytest.mark.parametrize("between", ["", " ", "\t "])
def test_each_record_comes_alone(between):
    """Records are told apart with or without blanks between them."""
    assert [{"a": 1}, {"b": {}}, {"c": 3}] == taken_apart(f'{{"a":1}}{{"b":{{}}}}{between}{{"c":3}}\n'.encode())


def test_what_broke_off_comes_as_text():
    """The unfinished end of a line is text, so that its reader rejects it."""
    assert [{"a": 1}, '{"b":'] == taken_apart(b'{"a":1}{"b":\n')


def test_records_beyond_the_bound_are_not_lost():
    """What is not taken apart any more comes whole, as text."""
    *records, rest = taken_apart(b'{"a":1}' * 1003)

    assert [{"a": 1}] * 1000 == records
    assert '{"a":1}' * 3 == rest


def test_a_single_record_passes_untouched():
    """A line with one record stays the line it was."""
    assert [b'{"a":"}{"}\n'] == list(unglued([b'{"a":"}{"}\n']))
