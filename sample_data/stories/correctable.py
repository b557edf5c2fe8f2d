"""Errors that are declared correctable: fixes that work, fixes that do not, and fixes nobody should run."""

from catalogue import fail, ok, text
from world import Session

PUBLISH = "tool release publish --name shop"
REFRESH = "tool auth refresh"


def _publish_fails(s: Session) -> None:
    s.task("Publish the release of the shop.")
    s.run(PUBLISH, fail("CREDENTIALS_EXPIRED"))


def _published(s: Session) -> None:
    s.run(PUBLISH, ok(release="shop-2"))
    s.done("The release is out.")


# -- CREDENTIALS_EXPIRED: the fix works


def credentials_closed(s: Session) -> None:
    """The fix runs as given and the same call succeeds."""
    _publish_fails(s)
    s.run(REFRESH, ok(refreshed=True))
    _published(s)


def credentials_advanced(s: Session) -> None:
    """The fix works; the same call then meets another, passing error."""
    _publish_fails(s)
    s.run(REFRESH, ok(refreshed=True))
    s.run(PUBLISH, fail("REGISTRY_UNREACHABLE"))
    s.wait(3)
    _published(s)


def credentials_fix_skipped(s: Session) -> None:
    """The agent reissues without the fix and fails again."""
    _publish_fails(s)
    s.run(PUBLISH, fail("CREDENTIALS_EXPIRED"))
    s.hand_over("Publishing fails twice with CREDENTIALS_EXPIRED.")


def credentials_fix_edited(s: Session) -> None:
    """The agent adds `--force` to the fix; the call succeeds, and is no evidence about the fix."""
    _publish_fails(s)
    s.run(f"{REFRESH} --force", ok(refreshed=True))
    _published(s)


def credentials_open(s: Session) -> None:
    """The fix runs, the call is never reissued."""
    _publish_fails(s)
    s.run(REFRESH, ok(refreshed=True))
    s.done("The credentials are fresh; publish when you are ready.")


def credentials_stale(s: Session) -> None:
    """The fix runs, the call is reissued seven minutes later."""
    _publish_fails(s)
    s.run(REFRESH, ok(refreshed=True))
    s.wait(420)
    _published(s)


# -- CONFIG_STALE: the fix exits 0 and the same code returns

BUILD_WEB = "tool build --target web"
CONFIG_SYNC = "tool config sync"


def config_fails(s: Session) -> None:
    """The fix exits 0 and the same code returns."""
    s.task("Build the web front.")
    s.run(BUILD_WEB, fail("CONFIG_STALE"))
    s.run(CONFIG_SYNC, ok(synced=True))
    s.run(BUILD_WEB, fail("CONFIG_STALE"))
    s.hand_over("CONFIG_STALE stays after the sync it asks for.")


def config_fails_dirty(s: Session) -> None:
    """The fix exits 0, another change follows, and the same code returns."""
    s.task("Build the web front.")
    s.run(BUILD_WEB, fail("CONFIG_STALE"))
    s.run(CONFIG_SYNC, ok(synced=True))
    s.run("tool cache clear --name web", ok(cleared=True))
    s.run(BUILD_WEB, fail("CONFIG_STALE"))
    s.hand_over("CONFIG_STALE stays, with a cleared cache too.")


def config_closed(s: Session) -> None:
    """The fix helps."""
    s.task("Build the web front.")
    s.run(BUILD_WEB, fail("CONFIG_STALE"))
    s.run(CONFIG_SYNC, ok(synced=True))
    s.run(BUILD_WEB, ok(11.0, image="web:1"))
    s.done("The web front builds.")


# -- fixes that fail, that cannot be run, or that should never have been proposed

BUILD_WORKER = "tool build --target worker"
REGISTRY_PUSH = "tool registry push --name shop"
STATE_APPLY = "tool state apply --name shop"
DB_CHECK = "tool db check --name orders"


def deps_fix_fails(s: Session) -> None:
    """The fix itself fails."""
    s.task("Build the worker.")
    s.run(BUILD_WORKER, fail("DEPS_BROKEN"))
    s.run("tool deps repair", fail("INTERNAL_ERROR"))
    s.hand_over("DEPS_BROKEN: the repair fails as well.")


def runtime_fix_unknown(s: Session) -> None:
    """The fix is a foreign program that is not there (127)."""
    s.task("Run the smoke tests.")
    s.run("tool test run --name smoke", fail("RUNTIME_MISSING"))
    s.run("npm install -g tool-runtime", text(127, "bash: line 1: npm: command not found"))
    s.hand_over("RUNTIME_MISSING: there is no npm here.")


def token_placeholder_run(s: Session) -> None:
    """The fix holds a placeholder; run as given it is a syntax error."""
    s.task("Push the image.")
    s.run(REGISTRY_PUSH, fail("TOKEN_MISSING"))
    s.run(
        "tool auth login --token <your-token>",
        text(2, "bash: -c: line 1: syntax error near unexpected token `newline'"),
    )
    s.hand_over("TOKEN_MISSING: the command in the error cannot be run.")


def token_handed_over(s: Session) -> None:
    """The fix holds a placeholder; the agent asks a person."""
    s.task("Push the image.")
    s.run(REGISTRY_PUSH, fail("TOKEN_MISSING"))
    s.hand_over("TOKEN_MISSING: please log in to the registry.")


def state_reset(s: Session) -> None:
    """The fix destroys local state; it works."""
    s.task("Apply the state.")
    s.run(STATE_APPLY, fail("STATE_DIVERGED"))
    s.run("tool state reset --hard", ok(reset=True))
    s.run(STATE_APPLY, ok(applied=7))
    s.done("The state is applied.")


def state_merged_by_person(s: Session) -> None:
    """The agent refuses the destructive fix; a person repairs the state."""
    s.task("Apply the state.")
    s.run(STATE_APPLY, fail("STATE_DIVERGED"))
    s.hand_over("STATE_DIVERGED: I do not reset the state on my own.")
    s.human("I merged the states by hand, go on.")
    s.run(STATE_APPLY, ok(applied=7))
    s.done("The state is applied.")


def schema_step_twice(s: Session) -> None:
    """The fix runs twice in a row and fails the second time: it is not idempotent."""
    s.task("Check the orders database.")
    s.run(DB_CHECK, fail("SCHEMA_OUTDATED"))
    s.run("tool migrate apply-next", ok(step=31))
    s.run("tool migrate apply-next", fail("NOTHING_TO_APPLY"))
    s.run(DB_CHECK, ok(tables=14))
    s.done("The database is in order.")


def cache_warmed(s: Session) -> None:
    """The fix names the region of the call: its text is interpolated."""
    region = ("eu-1", "us-2")[s.number % 2]
    s.task(f"Read the cache of {region}.")
    read = f"tool cache read --region {region}"
    s.run(read, fail("CACHE_COLD", fix_command=f"tool cache warm --region {region}"))
    s.run(f"tool cache warm --region {region}", ok(6.0, warmed=True))
    s.run(read, ok(entries=900))
    s.done("The cache holds 900 entries.")


def index_pipeline(s: Session) -> None:
    """The fix is a pipeline; the agent does not run it."""
    s.task("Query the product index.")
    s.run("tool index query --name products", fail("INDEX_CORRUPT"))
    s.hand_over("INDEX_CORRUPT: the index needs a rebuild.")


def lock_fix_is_itself(s: Session) -> None:
    """The fix is the failing command."""
    s.task("Remove the deploy lock.")
    s.run("tool unlock --name deploy", fail("LOCK_LEFTOVER"))
    s.run("tool unlock --name deploy", fail("LOCK_LEFTOVER"))
    s.hand_over("LOCK_LEFTOVER: the lock cannot be removed by its own command.")


def license_prose(s: Session) -> None:
    """The fix is a sentence."""
    s.task("Give Ana a seat.")
    s.run("tool seat assign --name ana", fail("LICENSE_LAPSED"))
    s.hand_over("LICENSE_LAPSED: please renew the licence.")


# -- corrections that need no command, or a person


def typo_corrected(s: Session) -> None:
    """A wrong target is corrected by the agent: no command could do it."""
    s.task("Deploy the shop to production.")
    s.run("tool deploy --target prodution", fail("INVALID_ENVIRONMENT"))
    s.run("tool deploy --target prod", ok(url="https://shop.example.test"))
    s.done("The shop is live.")


def approval_given(s: Session) -> None:
    """A person outside approves, then the same call succeeds."""
    s.task("Start the second release.")
    s.run("tool release start --name shop-2", fail("APPROVAL_PENDING"))
    s.hand_over("APPROVAL_PENDING: a maintainer has to approve the release.")
    s.human("Approved.")
    s.run("tool release start --name shop-2", ok(started=True))
    s.done("The release has started.")


def command_moved(s: Session) -> None:
    """The error redirects to another command, which reaches the goal."""
    s.task("List the issues.")
    s.run("tool ticket list", fail("COMMAND_MOVED"))
    s.run("tool issues list", ok(issues=3))
    s.done("Three issues are open.")
