"""Sessions of Claude Code that a transcript, the stream and the hooks recorded at once: together they tell no more."""

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("RECOUP_DATA", Path(__file__).parents[4] / "shared" / "data"))
RUN = "gen-2.1.332"
HOOKS = DATA / "hooks" / RUN
"""What the hooks of run `a` logged."""
EPISODES = """
    select session_id, actor_id, operation, outcome, attempt_count, reissue_count, flags, origin_code, started_at
    from core.episodes order by all
"""
ATTEMPTS = """
    select
        call_id, actor_id, operation, status, exit_code, error_code, flags, turn_number, attempt_number, signalled_ok
    from core.attempts order by all
"""

pytestmark = pytest.mark.skipif(not HOOKS.exists(), reason="the recorded runs are not beside this checkout")


def paths_of(run, *kinds):
    """Return the folders of a run."""
    folders = {"claude_code": DATA / "claude_code" / RUN / run, "hooks": HOOKS}
    folders["claude_stream_json"] = DATA / "claude_stream_json" / RUN / run
    return [folders[kind] for kind in kinds]


def told(connection):
    """Return the episodes and the attempts."""
    return connection.execute(EPISODES).fetchall(), connection.execute(ATTEMPTS).fetchall()


@pytest.mark.parametrize("run", "abcde")
def test_stream_beside_the_transcript(analyse, run):
    """A transcript and the stream of the same run give the episodes and attempts of the transcript."""
    alone = told(analyse(*paths_of(run, "claude_code")))

    assert alone[1]
    assert alone == told(analyse(*paths_of(run, "claude_code", "claude_stream_json")))


def test_hooks_beside_the_rest(analyse):
    """So do all three."""
    alone = told(analyse(*paths_of("a", "claude_code")))

    assert alone == told(analyse(*paths_of("a", "claude_code", "claude_stream_json", "hooks")))
