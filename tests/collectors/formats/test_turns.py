"""What an answer mentions and whether it asks."""

import pytest

from collectors.formats._turns import is_question, mentions


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It failed with RATE_LIMITED again.", ("RATE_LIMITED",)),
        ("The code `AUTH` and 'TOKEN' came, then UNAVAILABLE.", ("AUTH", "TOKEN", "UNAVAILABLE")),
        ("E_1, X_Y and X_Y", ("E_1", "X_Y")),
        ("I use HTTP and JSON, `ok`, fooBAR_BAZ and Some_Name.", None),
        ("**CONFLICT**_", ("CONFLICT",)),
        ("", None),
        (" ".join(f"CODE_{n}" for n in range(30)), tuple(f"CODE_{n}" for n in range(20))),
    ],
)
def test_mentions(text, words):
    """Code-like words are kept, each once, at most twenty; ordinary capitals are not."""
    assert words == mentions(text)


@pytest.mark.parametrize(
    "text",
    [
        "Shall I try again?",
        "Which one do you want?**",
        "The login has expired. Please run `tool auth refresh`.",
        "Could you run the command and tell me what it says.",
        "You need to log in first.",
        "Let me know how to go on.",
        "This needs your approval.",
    ],
)
def test_requests_to_a_person(text):
    """A question or a request hands over to a person."""
    assert is_question(text)


@pytest.mark.parametrize(
    "text", ["Deployed.", "What failed? The token had expired; I refreshed it.", "Please note the new URL.", ""]
)
def test_statements(text):
    """A statement asks nobody."""
    assert not is_question(text)


@pytest.mark.parametrize(
    "text", ["A" * 200_000, "A_" * 100_000, "please " * 50_000, '"' * 100_000, "you will " * 50_000]
)
def test_hostile_text_is_read_in_time(text):
    """No answer, however odd, makes the reader slow."""
    mentions(text)
    is_question(text)
