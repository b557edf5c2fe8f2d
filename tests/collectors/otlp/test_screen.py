"""Secrets in the attributes of many records."""

from hypothesis import given
from hypothesis import strategies as st

from collectors.otlp import screen
from collectors.otlp.values import json_text
from collectors.redact import redact

KEY = "AKIA" + "IOSFODNN7" + "EXAMPLQ"
TEXTS = st.lists(
    st.sampled_from(["plain text", f"key {KEY} end", "a" * 50, "user@host", f'"{KEY}"', "x\n\0\ny"]), max_size=8
)


@given(TEXTS)
def test_many_texts_are_searched_as_each_alone(texts):
    """Searching a batch as one text finds what searching each text finds."""
    assert [redact(text) for text in texts] == list(screen.redacted(texts))


def screened(attributes):
    """Return attributes as they would be stored."""
    names = screen.suspects(attributes)
    values = screen.screened([(name, attributes[name]) for name in names])
    return attributes | dict(zip(names, values, strict=True))


def test_values_keep_their_types_unless_they_hold_a_secret():
    """A list without a secret stays what it is, one with becomes its text; numbers and flags are not looked at."""
    clean = {"list": ["a", 1], "map": {"k": "v"}, "number": 5, "flag": True, "nothing": None, "text": "hello world"}
    assert screened(clean) == clean
    found = screened({"list": ["a", KEY], "number": 5})
    assert isinstance(found["list"], str)
    assert KEY not in json_text(found)


def test_a_name_can_announce_a_secret():
    """What stands under `password` or `api_key` is one, whatever it looks like, also the second time."""
    for _ in range(2):
        found = screened({"password": "short", "api_key": "word.word", "passwordless": "yes indeed"})
        assert "short" not in found.values()
        assert "word.word" not in found.values()
        assert found["passwordless"] == "yes indeed"


def test_what_was_clean_once_is_not_searched_again():
    """A text that was found clean is no suspect any more."""
    attributes = {"note": "quite unremarkable, says the tool"}
    assert screen.suspects(attributes) == ["note"]
    screened(attributes)
    assert screen.suspects(attributes) == []
