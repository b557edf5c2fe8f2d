"""Errors that tell an agent too little or two things at once, and failures that look like successes."""

from catalogue import Json, Reply, fail, ok, text
from world import Session

from stories.common import stuck

TRACE = """Traceback (most recent call last):
  File "tool/metrics.py", line 88, in pull
    return parse(body)
  File "tool/parse.py", line 12, in parse
    raise KeyError("series")
KeyError: 'series'"""


# -- errors without a class that can be used

PRUNE = "tool cache prune --name assets"
BUILD_API = "tool build --target api"
DEBUG = "tool session open --name debug"


def generic_clears(s: Session) -> None:
    """A generic code whose reissue succeeds."""
    s.task("Prune the asset cache.")
    s.run(PRUNE, fail("ERROR"))
    s.wait(3)
    s.run(PRUNE, ok(freed_mb=120))
    s.done("120 MB are free again.")


def generic_stays(s: Session) -> None:
    """The same generic code with another message, and its reissue fails."""
    s.task("Prune the asset cache.")
    unknown = fail("ERROR", message="Unknown shard in the cache index")
    s.run(PRUNE, unknown)
    s.wait(3)
    s.run(PRUNE, unknown)
    s.done("The cache stays as it is.")


def build_repaired(s: Session) -> None:
    """No class is declared; a change between makes the same build succeed."""
    s.task("Build the api.")
    s.run(BUILD_API, fail("BUILD_FAILED"))
    s.run("git apply fix.patch", text(0, ""))
    s.run(BUILD_API, ok(16.0, image="api:1"))
    s.done("The api builds.")


def mirror_maybe(s: Session) -> None:
    """`retryable` is the string "maybe"; a reissue succeeds."""
    s.task("Pull the mirror of the tools.")
    s.run("tool mirror pull --name tools", fail("UPSTREAM_FLAPPING"))
    s.wait(5)
    s.run("tool mirror pull --name tools", ok(layers=4))
    s.done("The mirror is pulled.")


def session_retried(s: Session) -> None:
    """`retryable: true` beside a fix; the plain reissue fails."""
    s.task("Open the debug session.")
    stuck(s, DEBUG, "SESSION_LOCKED", 1, 2)
    s.done("The debug session is locked.")


def session_unlocked(s: Session) -> None:
    """`retryable: true` beside a fix; the fix works."""
    s.task("Open the debug session.")
    s.run(DEBUG, fail("SESSION_LOCKED"))
    s.run("tool session unlock", ok(unlocked=True))
    s.run(DEBUG, ok(session="d-3"))
    s.done("The debug session is open.")


def prose_only(s: Session) -> None:
    """An error of one sentence without a code."""
    s.task("Tell the team in ops.")
    s.run("tool notify --channel ops", text(1, "Error: Something went wrong"))
    s.done("I could not tell the team.")


def stack_trace(s: Session) -> None:
    """A stack trace, twice."""
    s.task("Pull the latency metrics.")
    s.run("tool metrics pull --name latency", text(1, TRACE))
    s.run("tool metrics pull --name latency --verbose", text(1, TRACE))
    s.done("The metrics tool crashes.")


# -- failures under a good status, and the reverse


def status_lies(s: Session) -> None:
    """`ok: false` under exit 0: a false success that nobody notices."""
    s.task("How is the shop?")
    s.run("tool status --name shop", fail("STATUS_UNREADABLE", exit_code=0))
    s.done("The shop is up.")


def export_lies(s: Session) -> None:
    """`ok: true` with an error inside, under exit 0."""
    s.task("Export the orders.")
    body: Json = {"ok": True, "data": None, "error": {"message": "inner export failed"}, "warnings": [], "meta": {}}
    s.run("tool export --name orders", Reply(0, body))
    s.done("The orders are exported.")


def lint_false_failure(s: Session) -> None:
    """`ok: true` under exit 1: the signals contradict each other."""
    s.task("Lint the manifests.")
    s.run("tool lint --name manifests", ok(problems=0)._replace(exit_code=1))
    s.done("The manifests are clean.")


# -- the ticket server


def tickets_limited(s: Session) -> None:
    """The ticket server limits the rate; the same call works after the declared wait."""
    new = {"title": "Checkout is slow", "priority": "high"}
    s.task("Write a ticket about the slow checkout.")
    s.call("mcp__tickets__create_ticket", new, fail("TICKETS_RATE_LIMITED"))
    s.wait(3)
    s.call("mcp__tickets__create_ticket", new, ok(id="T-88"))
    s.done("The ticket is T-88.")


def tickets_bad_query(s: Session) -> None:
    """The call works with a corrected query."""
    s.task("Find the open tickets.")
    s.call("mcp__tickets__search", {"query": "stauts:open"}, fail("INVALID_QUERY"))
    s.call("mcp__tickets__search", {"query": "status:open"}, ok(hits=12))
    s.done("Twelve tickets are open.")
