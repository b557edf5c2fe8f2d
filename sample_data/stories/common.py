"""Steps that several stories share."""

from catalogue import fail, ok, text
from world import Session


def routine(s: Session) -> None:
    """Two calls that work."""
    s.task("Look around before you start.")
    s.run("tool list --name services", ok(services=["shop", "api", "worker"]))
    s.run("git status --short", text(0, " M api/app.py"))


def services_checked(s: Session) -> None:
    """Five calls that work."""
    s.task("Check the services.")
    for service in ("api", "worker", "web", "mail", "search"):
        s.run(f"tool logs --name {service}", ok(lines=40))
    s.done("The services log nothing unusual.")


def stuck(s: Session, command: str, code: str, reissues: int, seconds: float) -> None:
    """Run `command`, then reissue it `reissues` times after `seconds` each; it fails every time."""
    s.run(command, fail(code))
    for _ in range(reissues):
        s.wait(seconds)
        s.run(command, fail(code))


def ends_after_a_failure(s: Session) -> None:
    """The log stops right after a failure, without an end marker: censored."""
    s.task("Back up the database.")
    s.run("tool backup run --name db", fail("BACKUP_BUSY"))
    s.stop()


def killed_from_outside(s: Session) -> None:
    """The load test is killed (137): no error of the tool."""
    s.task("Run the load test.")
    s.run("tool load run --name peak", text(137, "Killed", 44.0))
    s.done("The load test was killed.")
