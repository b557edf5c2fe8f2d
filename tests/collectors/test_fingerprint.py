import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collectors.fingerprint import fingerprint, lift, template

TRACEBACK = """Traceback (most recent call last):
  File "/srv/app/{}.py", line {}, in <module>
    main()
requests.exceptions.ConnectionError: HTTPSConnectionPool(host='{}', port=443): Max retries exceeded
"""

LIFTED = {
    "npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree": ("ERESOLVE", "lifted:npm"),
    "npm error code E404\nnpm error 404 Not Found - GET https://npm.test/x": ("E404", "lifted:npm"),
    "src/a.ts(3,4): error TS2345: Argument of type 'string'": ("TS2345", "lifted:compiler"),
    "error[E0308]: mismatched types\n --> src/main.rs:3:5": ("E0308", "lifted:compiler"),
    "Program.cs(1,7): error CS0103: The name 'x' does not exist": ("CS0103", "lifted:compiler"),
    "a.cpp(3): fatal error C1083: Cannot open include file": ("C1083", "lifted:compiler"),
    "ORA-00942: table or view does not exist": ("ORA-00942", "lifted:compiler"),
    "An error occurred (ThrottlingException) when calling the Invoke operation": ("ThrottlingException", "lifted:aws"),
    'Error from server (NotFound): pods "x" not found': ("NotFound", "lifted:kubernetes"),
    "rpc error: code = Unavailable desc = connection refused": ("Unavailable", "lifted:grpc"),
    "ERROR 1146 (42S02) at line 1: Table 'a.b' doesn't exist": ("SQLSTATE_42S02", "lifted:sqlstate"),
    'ERROR:  42P01: relation "x" does not exist': ("SQLSTATE_42P01", "lifted:sqlstate"),
    "SQLSTATE[HY000] [2002] Connection refused": ("SQLSTATE_HY000", "lifted:sqlstate"),
    TRACEBACK.format("a", 3, "x.test"): ("requests.exceptions.ConnectionError", "lifted:exception"),
    "TypeError: Cannot read properties of undefined (reading 'x')": ("TypeError", "lifted:exception"),
    'Exception in thread "main" java.lang.NullPointerException: x': (
        "java.lang.NullPointerException",
        "lifted:exception",
    ),
    "Error: ENOENT: no such file or directory, open '/tmp/x'": ("ENOENT", "lifted:errno"),
    "getaddrinfo ENOTFOUND x.test": ("ENOTFOUND", "lifted:errno"),
    "curl: (22) The requested URL returned error: 404": ("HTTP_404", "lifted:http"),
    "Error: Request failed with status code 503": ("HTTP_503", "lifted:http"),
    "HTTP/1.1 429 Too Many Requests": ("HTTP_429", "lifted:http"),
    "fatal: not a git repository (or any of the parent directories): .git": ("GIT_NOT_A_REPOSITORY", "lifted:git"),
    "error: pathspec 'x' did not match any file(s) known to git": ("GIT_PATHSPEC_UNMATCHED", "lifted:git"),
    "Exit code 1\nTo x.test:r.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs": (
        "GIT_NON_FAST_FORWARD",
        "lifted:git",
    ),
    "RATE_LIMITED: slow down": ("RATE_LIMITED", "lifted:exit_constant"),
    "error: EX_USAGE": ("EX_USAGE", "lifted:exit_constant"),
}
UNLIFTED = (
    "Error: something went wrong",
    "bash: foo: command not found",
    "see HTTP and FTP, 404 of them",
    "The NOT_FOUND constant is documented here",
    "EACCESS is misspelt, PRE-ENOENT-POST is a name",
    "page 500 of the manual",
    "class MyError: pass",
    "the file already exists",
    "",
)


@pytest.mark.parametrize("text", LIFTED)
def test_a_stable_code_is_lifted_from_prose(text):
    """Codes that others define are found verbatim, and their source says where they came from."""
    assert lift(text) == LIFTED[text]


@pytest.mark.parametrize("text", UNLIFTED)
def test_no_code_is_made_up(text):
    """Prose without a code that someone defines gives none."""
    assert lift(text) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Error: no such user 'bob' in /etc/passwd", "Error: no such user 'alice' in /srv/x/passwd"),
        ("error: port 8080 is in use by 4711", "error: port 3000 is in use by 12"),
        ("Error: commit 3f786850e387550f is unknown", "Error: commit 89e495e7941cf9e4 is unknown"),
        (
            "Error: order 550e8400-e29b-41d4-a716-446655440000 not found",
            "Error: order 7c9e6679-7425-40de-944b-e07fc1f90ae7 not found",
        ),
        ("Error:  cannot reach\n https://a.test/x?y=1", "Error: cannot reach https://b.test:8443/z"),
        ("\x1b[31merror: cannot open “a”\x1b[0m", "error: cannot open “b”"),
        (TRACEBACK.format("a", 3, "x.test"), TRACEBACK.format("b/c", 77, "y.test")),
        ("banner 1.2\nworking...\nerror: the disk is full", "error: the disk is full"),
    ],
)
def test_what_varies_is_masked(one, other):
    """Names in quotes, paths, numbers, hashes, ids, addresses and the lines before the failure tell no errors apart."""
    assert template(one) == template(other)
    assert fingerprint(one) == fingerprint(other) is not None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error TS2345: bad argument", "error TS2339: bad argument"),
        ("ORA-00942: failed statement", "ORA-00001: failed statement"),
        ("server said HTTP 404 for it", "server said HTTP 503 for it"),
        ("Error: table 'x' does not exist", "Error: column 'x' does not exist"),
        ("can't open the file", "can't close the file"),
    ],
)
def test_what_tells_errors_apart_is_kept(one, other):
    """Codes of compilers and databases, HTTP statuses and words make different fingerprints."""
    assert fingerprint(one) != fingerprint(other)


def test_fingerprints_are_stable():
    """A fingerprint is the same in every run and on every machine: stored groups do not move."""
    assert fingerprint("error: the disk is full") == "f1:7e71483532e665c5"


@pytest.mark.parametrize("text", ["", "no", "12345678901", "'everything in quotes'", "/a/b/c/d 12 0xdeadbeef"])
def test_too_little_is_refused(text):
    """Fewer than eight letters and digits beside the masks make no fingerprint."""
    assert fingerprint(text) is None


@given(
    st.text(max_size=400), st.sampled_from(["", "'", '"', "/", "\\", "error: ", "Traceback (most recent call last)\n"])
)
def test_any_text_has_a_short_template(text, before):
    """Templates never fail, hold no line end and no run of blanks, and are at most 200 characters."""
    masked = template(before + text)
    assert len(masked) <= 200
    assert masked == " ".join(masked.split())
    assert fingerprint(before + text) == fingerprint(before + text)


@given(
    st.text(alphabet=string.ascii_lowercase + " ", min_size=20, max_size=60),
    st.integers(0, 10**9),
    st.integers(0, 10**9),
)
def test_numbers_never_split_a_group(words, one, other):
    """Two texts that differ in a number alone have one fingerprint."""
    assert fingerprint(f"x {words} {one} end") == fingerprint(f"x {words} {other} end")


@pytest.mark.parametrize("unit", ["'", '"a', "/a", "a.", "0x", "a1-", "E", "Error", "npm ", "ERROR: ", "status "])
def test_repeated_beginnings_come_to_an_end(unit):
    """A hundred kilobytes of what starts a pattern are masked; a pattern that backtracks would not finish."""
    text = unit * (100_000 // len(unit))
    assert len(template(text)) <= 200
    assert lift(text) is None or len(lift(text)) == 2
