"""Errors that are declared transient: some are, one never clears, one waits too short, one far too long."""

from catalogue import fail, ok
from world import Session

from stories.common import stuck

# -- UPSTREAM_TIMEOUT: declared transient, and it is

DEPLOY = "tool deploy --target staging"


def upstream_clears(s: Session) -> None:
    """The wait is honoured and the first reissue succeeds."""
    s.task("Deploy the shop to staging.")
    stuck(s, DEPLOY, "UPSTREAM_TIMEOUT", 0, 5)
    s.wait(5)
    s.run(DEPLOY, ok(url="https://staging.example.test"))
    s.done("The shop is on staging.")


def upstream_clears_second(s: Session) -> None:
    """The first fair reissue fails, the second succeeds."""
    s.task("Deploy the shop to staging.")
    stuck(s, DEPLOY, "UPSTREAM_TIMEOUT", 1, 5)
    s.wait(5)
    s.run(DEPLOY, ok(url="https://staging.example.test"))
    s.done("The shop is on staging, at the third try.")


def upstream_early(s: Session) -> None:
    """The first reissue ignores the wait and fails; the next one waits and succeeds."""
    s.task("Deploy the shop to staging, quickly.")
    s.run(DEPLOY, fail("UPSTREAM_TIMEOUT"))
    stuck(s, DEPLOY, "UPSTREAM_TIMEOUT", 0, 5)
    s.wait(5)
    s.run(DEPLOY, ok(url="https://staging.example.test"))
    s.done("The shop is on staging.")


def upstream_recurs(s: Session) -> None:
    """Another code comes between, the first one returns, then the deploy succeeds: a leg that recurs."""
    s.task("Deploy the shop to staging.")
    stuck(s, DEPLOY, "UPSTREAM_TIMEOUT", 0, 5)
    s.wait(5)
    s.run(DEPLOY, fail("REGISTRY_UNREACHABLE"))
    s.wait(3)
    s.run(DEPLOY, fail("UPSTREAM_TIMEOUT"))
    s.wait(5)
    s.run(DEPLOY, ok(url="https://staging.example.test"))
    s.done("The shop is on staging.")


def upstream_dropped(s: Session) -> None:
    """The agent gives up although the error says that a reissue may help."""
    s.task("Deploy the shop to staging if you have time.")
    s.run(DEPLOY, fail("UPSTREAM_TIMEOUT"))
    s.done("I left the deploy for later.")


# -- QUOTA_EXHAUSTED: declared transient, never clears

REPORT = "tool report build --name weekly"


def _quota(s: Session, reissues: int) -> None:
    s.task("Build the weekly report.")
    stuck(s, REPORT, "QUOTA_EXHAUSTED", reissues, 2)
    s.hand_over("The weekly report cannot be built: QUOTA_EXHAUSTED, and waiting does not help.")


def quota_one_try(s: Session) -> None:
    """One fair reissue fails, then a person is asked."""
    _quota(s, 1)


def quota_two_tries(s: Session) -> None:
    """Two fair reissues fail, then a person is asked."""
    _quota(s, 2)


def quota_three_tries(s: Session) -> None:
    """Three fair reissues fail, then a person is asked."""
    _quota(s, 3)


# -- RATE_LIMITED: declared transient with a wait that is too short; the same without any wait

SYNC = "tool sync --name catalogue"
SEARCH = "tool search --name checkout"


def rate_needs_four_times(s: Session) -> None:
    """A reissue after the declared 20 s fails, one after 80 s succeeds."""
    s.task("Sync the catalogue.")
    stuck(s, SYNC, "RATE_LIMITED", 1, 20)
    s.wait(80)
    s.run(SYNC, ok(items=412))
    s.done("The catalogue is in sync.")


def rate_patient(s: Session) -> None:
    """The agent waits four times as long as told and succeeds at once."""
    s.task("Sync the catalogue, there is no hurry.")
    s.run(SYNC, fail("RATE_LIMITED"))
    s.wait(85)
    s.run(SYNC, ok(items=412))
    s.done("The catalogue is in sync.")


def throttled_clears(s: Session) -> None:
    """No wait is declared; a reissue after a minute succeeds."""
    s.task("Search for the checkout service.")
    s.run(SEARCH, fail("TOO_MANY_REQUESTS"))
    s.wait(60)
    s.run(SEARCH, ok(hits=3))
    s.done("Three places mention checkout.")


def throttled_stays(s: Session) -> None:
    """No wait is declared; a reissue after ten seconds fails."""
    s.task("Search for the checkout service.")
    stuck(s, SEARCH, "TOO_MANY_REQUESTS", 1, 10)
    s.done("The search gives no answer today.")


# -- ENV_WARMING: declared transient with a wait that is far too long

ENV_OPEN = "tool env open --name preview"


def warming_early(s: Session) -> None:
    """The agent waits 8 s instead of 60 s, and that is enough."""
    s.task("Open the preview environment.")
    s.run(ENV_OPEN, fail("ENV_WARMING"))
    s.wait(8)
    s.run(ENV_OPEN, ok(url="https://preview.example.test"))
    s.done("The preview is open.")


def warming_waited(s: Session) -> None:
    """The agent waits the full 60 s."""
    s.task("Open the preview environment.")
    s.run(ENV_OPEN, fail("ENV_WARMING"))
    s.wait(60)
    s.run(ENV_OPEN, ok(url="https://preview.example.test"))
    s.done("The preview is open.")


# -- TIMEOUT of a mutating command: declared transient, and the reissue meets its own effect

MISSION = "tool mission new --name spring-sale"


def mission_exists(s: Session) -> None:
    """The reissue of a mutating call finds that the first try had worked: unsafe."""
    s.task("Start the mission spring-sale.")
    s.run(MISSION, fail("TIMEOUT"))
    s.wait(1)
    s.run(MISSION, fail("ALREADY_EXISTS"))
    s.run("tool mission list", ok(missions=["spring-sale"]))
    s.done("The mission exists.")


def mission_clears(s: Session) -> None:
    """The reissue of the mutating call succeeds."""
    s.task("Start the mission spring-sale.")
    s.run(MISSION, fail("TIMEOUT"))
    s.wait(1)
    s.run(MISSION, ok(id="m-17"))
    s.done("The mission runs.")


# -- other declared transients

MIRROR = "tool mirror pull --name base"


def mirror_clears(s: Session) -> None:
    """A transient error without a wait; a reissue after 2 s succeeds."""
    s.task("Pull the base mirror.")
    s.run(MIRROR, fail("SERVICE_UNAVAILABLE"))
    s.wait(2)
    s.run(MIRROR, ok(layers=9))
    s.done("The mirror is pulled.")


def mirror_changed(s: Session) -> None:
    """A transient error without a wait; the agent changes the call at once instead of waiting, and fails again."""
    s.task("Pull the base mirror.")
    s.run(MIRROR, fail("SERVICE_UNAVAILABLE"))
    s.run(f"{MIRROR} --layers 2", fail("SERVICE_UNAVAILABLE"))
    s.done("The mirror does not answer.")


def runners_busy_in_parallel(s: Session) -> None:
    """Three identical calls in one turn fail; `retry_after` is in seconds, as older tools write it."""
    lease = "tool runner lease --name linux"
    s.task("Lease three linux runners at once.")
    s.together([(lease, fail("RUNNER_BUSY"))] * 3)
    s.wait(4)
    s.run(lease, ok(runner="linux-7"))
    s.done("One runner is leased.")


def region_down_once(s: Session) -> None:
    """A code seen once; the agent moves on to another region, which recovers nothing."""
    s.task("Show the replicas of eu-3.")
    s.run("tool replica list --region eu-3", fail("REGION_DOWN"))
    s.run("tool replica list --region eu-1", ok(replicas=4))
    s.done("eu-1 has four replicas.")
