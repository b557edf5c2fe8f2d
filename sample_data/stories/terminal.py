"""Errors that are declared terminal: some are, some clear by themselves, one needs a step that it does not name."""

from catalogue import fail, ok, text
from world import Session

from stories.common import stuck

# -- PERMISSION_DENIED: declared terminal, clears by itself once the role has spread

ROLE = "tool role use --name deployer"


def role_clears(s: Session) -> None:
    """The declaration says stop, yet the same call works 20 s later."""
    s.task("Use the role deployer.")
    s.run(ROLE, fail("PERMISSION_DENIED"))
    s.wait(20)
    s.run(ROLE, ok(role="deployer"))
    s.done("The role is in use.")


def role_stays(s: Session) -> None:
    """The same call fails 20 s later as well."""
    s.task("Use the role deployer.")
    stuck(s, ROLE, "PERMISSION_DENIED", 1, 20)
    s.hand_over("I may not use the role: PERMISSION_DENIED.")


def role_obeyed(s: Session) -> None:
    """The agent stops and hands the error over, as declared."""
    s.task("Use the role deployer.")
    s.run(ROLE, fail("PERMISSION_DENIED"))
    s.hand_over("PERMISSION_DENIED: Access denied assuming role deployer.")


# -- other declared terminals: true, false by one success, without the fix they need, with more rights, in part

ARTIFACT = "tool artifact get --id 4711"
QUEUE = "tool queue push --name mails"
REVIEW = "tool review open --name checkout-fix"
MAILS = "tool mail send --users"


def artifact_retried(s: Session) -> None:
    """A futile reissue of an error that is declared terminal, and is."""
    s.task("Fetch artifact 4711.")
    stuck(s, ARTIFACT, "NOT_FOUND", 1, 2)
    s.done("There is no such artifact.")


def artifact_obeyed(s: Session) -> None:
    """The agent stops and hands the error over, as declared."""
    s.task("Fetch artifact 4711.")
    s.run(ARTIFACT, fail("NOT_FOUND"))
    s.hand_over("NOT_FOUND: No artifact 4711.")


def queue_clears(s: Session) -> None:
    """Declared terminal, one reissue succeeds: worth watching."""
    s.task("Push the mail queue.")
    s.run(QUEUE, fail("QUEUE_PAUSED"))
    s.wait(12)
    s.run(QUEUE, ok(pushed=31))
    s.done("31 mails are pushed.")


def queue_stays(s: Session) -> None:
    """Declared terminal, one reissue fails."""
    s.task("Push the mail queue.")
    stuck(s, QUEUE, "QUEUE_PAUSED", 1, 12)
    s.done("The mails stay in the queue.")


def branch_pushed(s: Session) -> None:
    """Declared terminal, yet one `git push` lets the same call succeed: a fix is missing."""
    s.task("Open the review of checkout-fix.")
    s.run(REVIEW, fail("BRANCH_NOT_PUSHED"))
    s.run("git push origin HEAD", text(0, "branch 'checkout-fix' pushed"))
    s.run(REVIEW, ok(review=208))
    s.done("Review 208 is open.")


def root_used(s: Session) -> None:
    """The reissue differs in its privileges only: escalated."""
    s.task("Install the agent.")
    s.run("tool agent install", fail("ROOT_REQUIRED"))
    s.run("sudo tool agent install", ok(installed=True))
    s.done("The agent is installed.")


def mails_narrowed(s: Session) -> None:
    """Only the failed part of the batch is sent again."""
    s.task("Mail the five users.")
    s.run(f"{MAILS} 1,2,3,4,5", fail("PARTIAL_FAILURE"))
    s.run(f"{MAILS} 3,5", ok(sent=[3, 5]))
    s.done("All five are mailed.")


def mails_sent_twice(s: Session) -> None:
    """The whole batch is sent again after a partial failure: an unsafe reissue."""
    s.task("Mail the five users.")
    s.run(f"{MAILS} 1,2,3,4,5", fail("PARTIAL_FAILURE"))
    s.run(f"{MAILS} 1,2,3,4,5", fail("PARTIAL_FAILURE"))
    s.done("Most users are mailed.")


# -- two releases of the tool: one code changes its class, one its name

PROMOTE = "tool artifact promote --id 88"
PLAN = "tool plan --name shop"


def promote_clears(s: Session) -> None:
    """Declared terminal by 1.4.0 and transient by 1.5.0; the same call works 10 s later."""
    flipped = "ARTIFACT_PENDING@1.5.0" if s.tool_version == "1.5.0" else "ARTIFACT_PENDING"
    s.task("Promote artifact 88.")
    s.run(PROMOTE, fail(flipped))
    s.wait(10)
    s.run(PROMOTE, ok(promoted=88))
    s.done("Artifact 88 is promoted.")


def promote_stays(s: Session) -> None:
    """Declared terminal by 1.4.0; the same call fails 10 s later."""
    s.task("Promote artifact 88.")
    stuck(s, PROMOTE, "ARTIFACT_PENDING", 1, 10)
    s.done("Artifact 88 is not there yet.")


def update_helps(s: Session) -> None:
    """Updating the tool closes the loop; 1.4.0 and 1.5.0 give the error different names."""
    s.task("Plan the next release.")
    s.run(PLAN, fail("CLI_OUTDATED" if s.tool_version == "1.5.0" else "TOOL_OUTDATED"))
    s.run("tool self update", ok(9.0, updated=True))
    s.run(PLAN, ok(steps=5))
    s.done("The plan has five steps.")


def update_renames(s: Session) -> None:
    """After the update the same failure has the new release's name for it: an indeterminate loop."""
    s.task("Plan the next release.")
    s.run(PLAN, fail("TOOL_OUTDATED"))
    s.run("tool self update", ok(9.0, updated=True))
    s.tool_version = "1.5.0"
    s.run(PLAN, fail("CLI_OUTDATED"))
    s.hand_over("The plan fails with CLI_OUTDATED after the update too.")
