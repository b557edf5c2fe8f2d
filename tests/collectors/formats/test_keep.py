"""What is kept of texts: head and tail, never a secret."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.conventions import CALL, RESULT, TURN
from collectors.events import Event
from collectors.formats._keep import LIMITS, window, without_secrets
from collectors.redact import redact

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
SECRETS = [
    TOKEN,
    "password=correct-horse-battery-9",
    "Authorization: Bearer abcdef0123456789abcdef",
    "https://user:hunter22@example.com/x",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7x\n-----END RSA PRIVATE KEY-----",
]


def kept(slot, *texts):
    """Return the texts as they stand in that slot of events that were finished together."""
    name = RESULT if slot == "output" else CALL
    events = [Event(event_name=name, uid="u", session_id="s", **{slot: window(text, slot)}) for text in texts]
    without_secrets(events)
    return [getattr(event, slot) for event in events]


@pytest.mark.parametrize("slot", LIMITS)
@pytest.mark.parametrize("secret", SECRETS)
def test_secrets_go_wherever_they_stand(slot, secret):
    """A secret is taken out alone, in its neighbours' company, and on both sides of the cut."""
    assert redact(secret) != secret
    limit = LIMITS[slot]
    texts = ["fine", secret, "x " * limit + secret, "also fine", secret + " y" * limit]
    for shift in range(-len(secret), 1):
        head = "z" * (limit // 2 + shift) + " " + secret
        texts.append(head + " w" * limit)
    for text in kept(slot, *texts):
        assert secret not in text
        assert secret[len(secret) // 4 : len(secret) * 3 // 4] not in text
    assert ["fine", "also fine"] == [kept(slot, *texts)[place] for place in (0, 3)]


@pytest.mark.parametrize("slot", LIMITS)
def test_long_texts_keep_head_and_tail_and_say_how_much_is_left_out(slot):
    """The marker counts the characters that are missing."""
    limit = LIMITS[slot]
    text = "a" * limit + "b" * 5 * limit + "c" * limit
    [short] = kept(slot, text)
    head, _, rest = short.partition("\n[... ")
    count, _, tail = rest.partition(" characters omitted ...]\n")
    assert len(short) <= limit
    assert text.startswith(head)
    assert text.endswith(tail)
    assert len(text) == len(head) + int(count) + len(tail)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([*SECRETS, "plain", "token: see the docs", "\0\0", "\n\0\n", "x" * 9_000]), max_size=12)
)
def test_many_together_are_as_each_alone(texts):
    """Searching many texts at once finds what searching each would find."""
    assert [kept("output", text)[0] for text in texts] == kept("output", *texts)


def test_a_key_id_is_no_mention():
    """What looks like an error code and is a credential is not kept as one."""
    words = ("NOT_FOUND", "AKIAIOSFODNN7EXAMPLF")
    answer = Event(event_name=TURN, uid="u", session_id="s", mentions=words)
    without_secrets([answer])
    assert ("NOT_FOUND",) == answer.mentions
