"""Exit codes and what is said beside them."""

import pytest

from collectors.formats._outcomes import echoed_exit_code, of_exit


@pytest.mark.parametrize(
    ("code", "text", "has_envelope", "outcome"),
    [
        (0, "", False, ("ok", "exit_code")),
        (1, "boom", False, ("error", "exit_code")),
        (127, "sh: tool: command not found", False, ("not_run", "command_not_found")),
        (127, "something else", False, ("error", "exit_code")),
        (126, "sh: ./x: Permission denied", False, ("not_run", "not_executable")),
        (126, "Permission denied", True, ("error", "exit_code")),
        (124, "", False, ("killed", "timeout")),
        (124, "{}", True, ("error", "exit_code")),
        (130, "", False, ("killed", "signal:2")),
        (137, "Killed", False, ("killed", "signal:9")),
        (143, "", True, ("killed", "signal:15")),
        (-9, "", False, ("killed", "signal:9")),
        (139, "Segmentation fault", False, ("error", "signal:11")),
        (255, "", False, ("error", "exit_code")),
    ],
)
def test_exit_codes(code, text, has_envelope, outcome):
    """Zero is good, a signal from outside kills, a shell that found no program ran none, all else is an error."""
    assert outcome == of_exit(code, text, has_envelope=has_envelope)


def test_no_code_no_outcome():
    """An exit code that is not stated says nothing."""
    assert of_exit(None, "command not found", has_envelope=False) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("out\nEXIT 8", 8), ("exit code: 0\n", 0), ("12", 12), ("(exit 4)", 4), ("status=7.", 7), ("EXIT:255", 255),
        ("EXIT 256", None), ("v1.2.3", None), ("-1", None), ("done", None), ("", None), ("3 files", None),
        ("7\nlast line", None), ("y" * 200 + " 4", None), ("\u0663", None), ("0x1f 0x10", None),
    ],
)  # fmt: skip
def test_echoed_exit_code(text, code):
    """Only an integer 0..255 that ends a short last line can be an echoed status."""
    assert code == echoed_exit_code(text)
