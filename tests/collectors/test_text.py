import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.text import clean, excerpt, failed_line, looks_failed, strip_ansi

ANY_TEXT = st.text(alphabet=st.characters(), max_size=60)

FAILED = (
    "error: unknown flag --x",
    "Error: disk full (host-3)",
    "fatal: not a git repository (or any of the parent directories): .git",
    "panic: runtime error: index out of range [3]",
    "bash: line 1: foo: command not found",
    "zsh: command not found: foo",
    "cat: x.txt: No such file or directory",
    "ls: cannot access 'x': No such file or directory",
    "rm: cannot remove 'x': Permission denied",
    "curl: (6) Could not resolve host: example.test",
    'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad',
    "requests.exceptions.ConnectionError: refused",
    "TypeError: x is not a function",
    'Exception in thread "main" java.lang.IllegalStateException: x',
    "Caused by: java.io.IOException: x",
    "E   AssertionError: assert 1 == 2",
    "npm ERR! code ERESOLVE",
    "npm error code E404",
    "src/a.c:3:4: error: expected ';'",
    "src/a.ts(3,4): error TS2345: Argument of type",
    "error[E0308]: mismatched types",
    "ERROR 1146 (42S02) at line 1: Table 'a.b' doesn't exist",
    "[ERROR] could not start",
    "2026-05-04 10:00:00,123 ERROR could not start",
    "FAILED tests/a.py::test_b - assert 1 == 2",
    "FAIL src/a.test.ts",
    "--- FAIL: TestX (0.00s)",
    "==== 2 failed, 3 passed in 0.1s ====",
    "3 passed, 1 failed",
    "Build failed",
    "make: *** [Makefile:3: all] Error 2",
    "Segmentation fault (core dumped)",
    "thread 'main' panicked at src/main.rs:1:2:",
    "An error occurred (AccessDenied) when calling the GetObject operation: Access Denied",
    'Error from server (NotFound): pods "x" not found',
    "rpc error: code = Unavailable desc = x",
    "ListServices error: 'NoneType' object has no attribute 'strip'",
    "Error executing query: Unknown column 'x' in 'field list'",
    "missing required parameter: id",
    "Failed to connect to the server",
    "fine so far\nstill fine\nerror: and then it broke\n",
)
FINE = (
    "",
    "ok",
    "0 errors",
    "Found 0 errors, 3 warnings",
    "No errors found.",
    "no error: all is well",
    "0 failed, 3 passed",
    "failed: 0",
    "error: null",
    "errors: []",
    '  "error": null,',
    '  "error": "x",',
    "errors.log",
    "unknown.txt",
    "error_handler.py",
    "def test_error():",
    "class FooError(Exception):",
    "const error = await x()",
    "if error: return",
    "    ValueError: if the value is bad",
    "\t\tconsole.error(`Error: could not ${x}`);",
    "src/a.ts:10:    throw new Error('x')",
    "test_failed_login PASSED",
    "the chapter on error handling",
    "See the docs about exceptions and failures.",
    "# Error handling",
    "- fix error in parser",
    "abc1234 Fix fatal crash in parser",
    "warning: unused variable",
    "All tests passed",
)


@pytest.mark.parametrize("text", FAILED)
def test_text_that_reads_like_a_failure(text):
    """The start of a failing line is recognised as tools, shells, compilers and tests write it."""
    assert looks_failed(text)


@pytest.mark.parametrize("text", FINE)
def test_text_that_only_speaks_of_failures(text):
    """Counts of none, code, file names and headings do not look failed."""
    assert not looks_failed(text)


def test_a_failure_in_the_middle_of_long_output_is_left_to_its_status():
    """Head and tail of a long text are read, the middle only where the text is known to have failed."""
    middle = "fine\n" * 1000 + "error: x\n" + "fine\n" * 1000
    assert not looks_failed(middle)
    assert middle[failed_line(middle) :].startswith("error: x\n")
    assert looks_failed(middle + "error: y\n")
    assert looks_failed("error: y\n" + middle)


@given(ANY_TEXT)
def test_clean_text_can_be_stored(text):
    """Cleaned text encodes, keeps what was valid, and tells whether it was repaired."""
    cleaned, is_repaired = clean(text)
    cleaned.encode()
    assert is_repaired == any("\ud800" <= c <= "\udfff" for c in text)
    assert is_repaired or cleaned == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cut \ud83d {}", ("cut \ufffd {}", True)),
        ("\ude00\ud83d", ("\ufffd\ufffd", True)),
        ("two halves \ud83d\ude00", ("two halves \U0001f600", True)),
        ("nul>\0<", ("nul>\0<", False)),
        ("café", ("café", False)),
    ],
)
def test_clean_examples(text, expected):
    """A lone half becomes U+FFFD, a pair of halves its character; NUL and accents stay."""
    assert clean(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\x1b[33mA new version\x1b[0m", "A new version"),
        ("\x1b[1;38;5;196mred\x1b[m \x1b[2K\x1b[1A", "red "),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://x.test\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(B\x1b)0plain\x1b=", "plain"),
        ("\x9b31mred\x9b0m", "red"),
        ("[33m is no escape", "[33m is no escape"),
    ],
)
def test_terminal_escapes_go(text, expected):
    """Colours, titles, hyperlinks and cursor movements are removed, the text between stays."""
    assert strip_ansi(text) == expected


@given(st.text(alphabet="\x1b\x9b[]0;mK\\\x07 aP", max_size=80))
def test_no_escape_character_is_left(text):
    """Whatever the sequences, no escape character survives and nothing is added."""
    stripped = strip_ansi(text)
    assert "\x1b" not in stripped
    assert len(stripped) <= len(text)


@given(st.text(max_size=300), st.integers(0, 200))
def test_an_excerpt_fits(text, limit):
    """An excerpt is never longer than its limit, and short text is left alone."""
    cut = excerpt(text, limit)
    assert len(cut) <= limit or cut == text
    assert len(text) > limit or cut == text


def test_an_excerpt_keeps_head_and_tail_and_counts_the_rest():
    """The marker names how many characters are missing between head and tail."""
    cut = excerpt("a" * 5000 + "b" * 5000, 1000)
    head, tail = cut.split("\n[... ")
    count = int(tail.split(" ")[0])
    assert head == "a" * len(head)
    assert cut.endswith("b" * 400)
    assert count == 10_000 - cut.count("a", 0, len(head)) - tail.count("b")


@pytest.mark.parametrize(
    "unit", ["\x1b[0", "\x1b]", "error ", "e: ", "[", "a: ", "error: 0\n", "E ", "12:00 ", ": not found "]
)
def test_repeated_beginnings_come_to_an_end(unit):
    """A hundred kilobytes of what starts a pattern are judged; a pattern that backtracks would not finish."""
    text = unit * (100_000 // len(unit))
    assert len(strip_ansi(text)) <= len(text)
    assert failed_line(text) in (None, 0)
