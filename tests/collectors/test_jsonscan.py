import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors import jsonscan
from collectors.jsonscan import scan

JSON = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=10)
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=6), inner, max_size=4)),
    max_leaves=20,
)
OK = {"ok": False, "error": {"code": "X_Y"}}


@given(st.lists(st.dictionaries(st.text(max_size=6), JSON, max_size=4), min_size=1, max_size=5), st.integers(0, 4))
def test_the_last_object_is_found_among_others(values, indent):
    """However objects are laid out, with prose between them, the last one that holds something is found."""
    text = " and then\n".join(json.dumps(value, indent=indent or None) for value in values) + "\nbye"
    assert scan(text).last == next((value for value in reversed(values) if value), None)


@given(st.text(max_size=200), st.dictionaries(st.text(max_size=5), JSON, min_size=1, max_size=3))
def test_any_text_is_scanned(text, value):
    """Scanning never fails, and a value with a line of its own is found after any text that opens no value."""
    scan(text)
    before = text.replace("{", "(").replace("[", "(")
    assert scan(f"{before}\n{json.dumps(value)}\n").last == value


@given(st.text(alphabet='{}[]":, \\\n1a', max_size=300))
def test_any_mixture_of_marks_is_scanned(text):
    """Braces, brackets, quotes and backslashes in any order never raise."""
    scan(text)


@pytest.mark.parametrize(
    ("text", "with_ok"),
    [
        ('[INFO] {"ok":true}', {"ok": True}),
        ('[12:00:01] {"ok":true} [done]', {"ok": True}),
        ('{"ok":true,"progress":0.5}\n{"ok":false}', {"ok": False}),
        ('Result(content={"ok":false})', {"ok": False}),
        ('{"level":"info","msg":"cut\n{"ok":false}', {"ok": False}),
        ('{"ok":"yes"} {"ok":1}', None),
        ('[{"ok":false}]', None),
        ('{"data":{"ok":false}}', None),
        ('{"a":[1,2,{"ok":false}', None),
        ('{"ok":false,"results":[{"id":1,\nNOTICE\n"x":1},{"id":2,"ok":true}],"error":null}', None),
        ('{"ok":false,"error":{"code":"CREDEN\nA new version\nTIALS_EXPIRED"}}', None),
        ('{"ok":false,"n":' + "9" * 5000 + "}", {"ok": False, "n": "9" * 5000}),
        ('{"ok":false,"n":NaN,"m":-Infinity}', {"ok": False, "n": None, "m": None}),
        ('{"ok":false,"s":"\\ud83d"}', {"ok": False, "s": "\ud83d"}),
    ],
)
def test_which_object_counts(text, with_ok):
    """The last complete object with a boolean `ok` counts; members and fragments of other values do not."""
    assert scan(text).with_ok == with_ok


@pytest.mark.parametrize(
    ("text", "is_damaged"),
    [
        ('{"ok":false,"error":{"code":"CREDEN\nnotice\nTIALS"}}', True),
        ('{"data":{"rows":[1,2]},"ok":false,"err', True),
        ('{"error":{"code":"X"', True),
        ('{"rows":[1,2', False),
        ("{ not json }", False),
        ('{"ok":false}', False),
        ("", False),
    ],
)
def test_damage(text, is_damaged):
    """A value is damaged where it starts like an envelope and breaks off."""
    assert scan(text).is_damaged is is_damaged


class Counting:
    """A decoder that counts the characters it is handed."""

    def __init__(self):
        self.handed = 0

    def raw_decode(self, text):
        """Decode as the standard decoder does."""
        self.handed += len(text)
        return json.JSONDecoder().raw_decode(text)


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        "[",
        '{"',
        '{"a":',
        "[1,",
        '{"a":[',
        '{"ok":',
        "{}",
        "[]",
        '"',
        '{"a":1}',
        '{"a" {"ok":false} ',
        "\\",
        '{"\\"',
        "[{",
        "[\n",
        "}{",
    ],
)
def test_work_grows_with_the_text(unit, monkeypatch):
    """Ten times the text costs at most about ten times the characters handed to the decoder, whatever repeats."""
    handed = []
    for size in (20_000, 200_000):
        decoder = Counting()
        monkeypatch.setattr(jsonscan, "_DECODER", decoder)
        scan(unit * (size // len(unit)))
        handed.append(decoder.handed)
    assert handed[1] <= 15 * handed[0] + 10_000


def test_deep_values_are_passed_over():
    """A value deeper than the decoder goes is skipped whole, and what follows it is found."""
    deep = '{"a":' * 50_000 + "1" + "}" * 50_000
    assert scan(deep + '\n{"ok":true}').with_ok == {"ok": True}
    assert scan("[" * 100_000 + ' done\n{"ok":true}').with_ok == {"ok": True}
    assert scan(deep[:-1] + '\n{"ok":true}').with_ok is None


@given(st.integers(400, 700), st.sampled_from(['"\\u00e9"', "true", "-1.5e10", '"\\\\"', "null", '"é"']))
def test_the_edge_of_the_window_is_no_edge_of_the_value(size, literal):
    """A literal, an escape or a number cut by the first window is read whole with the next."""
    text = '{"ok":true,"a":"' + "x" * size + '","b":' + literal + "}"
    assert scan("noise " + text).with_ok == json.loads(text)
