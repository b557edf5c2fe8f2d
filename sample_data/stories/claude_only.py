"""What only a transcript of Claude Code shows: refusals, blocks, interruptions, sub-agents, and its own faults."""

from catalogue import Json, Reply, fail, ok, text
from claude_writer import REFUSED, ClaudeSession

CANARY = "tool deploy --target canary"
DOCS = "tool build --target docs"


def state_reset_refused(s: ClaudeSession) -> None:
    """The agent wants to run the destructive fix; the person refuses, and a reissue after that is no evidence."""
    apply = "tool state apply --name shop"
    s.task("Apply the state.")
    s.run(apply, fail("STATE_DIVERGED"))
    asked = s.ask_for("Bash", {"command": "tool state reset --hard", "description": "Reset the state"})[0]
    s.now += 12
    s.answer_call(asked, REFUSED, True, "User rejected tool use")
    s.run(apply, fail("STATE_DIVERGED"))
    s.done("I leave the state alone.")


def credentials_asked_about(s: ClaudeSession) -> None:
    """The agent asks the person a question instead of running the fix."""
    s.task("Publish the release of the shop.")
    s.run("tool release publish --name shop", fail("CREDENTIALS_EXPIRED"))
    question = "Publishing failed with CREDENTIALS_EXPIRED. Shall I refresh the credentials?"
    options = [{"label": "Yes", "description": "Refresh"}, {"label": "No", "description": "Leave it"}]
    given = {"questions": [{"question": question, "header": "Refresh", "options": options, "multiSelect": False}]}
    asked = s.ask_for("AskUserQuestion", given)[0]
    s.now += 25
    said = f'User has answered your questions: "{question}"="No". You can now continue.'
    s.answer_call(asked, said, None, {**given, "answers": {question: "No"}})
    s.done("I leave the release to you.")


def build_interrupted(s: ClaudeSession) -> None:
    """The person interrupts a call; the session ends."""
    s.task("Build the handbook.")
    asked = s.ask_for("Bash", {"command": "tool build --target handbook", "description": "Build the handbook"})[0]
    s.now += 21
    s.answer_call(asked, REFUSED, True, "User rejected tool use")
    s.add("user", message=_words("[Request interrupted by user for tool use]"))


def push_blocked(s: ClaudeSession) -> None:
    """A hook blocks a call."""
    s.task("Clean up the build folder.")
    asked = s.ask_for("Bash", {"command": "rm -r build", "description": "Remove the build folder"})[0]
    s.now += 0.4
    s.fail_call(asked, "PreToolUse:Bash hook blocked this call: deletions need a ticket")
    s.done("Deleting needs a ticket.")


def sibling_cancelled(s: ClaudeSession) -> None:
    """A call fails and the parallel one is cancelled by the harness."""
    s.task("Build and measure the docs.")
    body = {"command": DOCS, "description": "Build the docs"}, {"command": "tool docs stats", "description": "Measure"}
    build, stats = s.ask_for("Bash", *body)
    s.now += 3
    s.fail_call(build, "Exit code 1\nError: theme not found")
    told = "Sibling tool call errored"
    s.answer_call(stats, f"<tool_use_error>{told}</tool_use_error>", True, told)
    s.done("The docs do not build.")


def wrong_input(s: ClaudeSession) -> None:
    """Two calls are rejected before anything runs."""
    s.task("Show the manifest.")
    fault = "Read failed due to the following issue:\nThe required parameter `file_path` is missing"
    asked = s.ask_for("Read", {"path": "tool.toml"})[0]
    s.fail_call(asked, f"<tool_use_error>InputValidationError: {fault}</tool_use_error>")
    asked = s.ask_for("Manifest", {})[0]
    s.fail_call(asked, "<tool_use_error>Error: No such tool available: Manifest</tool_use_error>")
    s.done("I cannot read it that way.")


def bench_timed_out(s: ClaudeSession) -> None:
    """The harness ends a call after its own two minutes (143)."""
    s.task("Run the benchmark.")
    s.run("tool bench run --name load", text(143, "Command timed out after 2m 0s", 120.0))
    s.done("The benchmark takes too long.")


def masked_by_pipe(s: ClaudeSession) -> None:
    """Pipes and `||` hide the exit status: unknown, and at most suspected to have failed."""
    s.task("Check the docs quickly.")
    s.run("tool docs check | tail -2", text(0, "checking pages\nERROR: 3 broken links"))
    s.run("tool docs spell | tail -2", text(0, "checking words\n412 words"))
    s.run("curl -s https://status.example.test || echo 'Error: could not reach server (HTTP 503)'", _unreached())
    s.done("I could not tell.")


def no_match(s: ClaudeSession) -> None:
    """Non-zero exits that are answers, not errors."""
    s.task("Is the old flag still used?")
    s.run("grep -rn old_flag api", text(1, ""))
    s.run("git diff --exit-code", text(1, "-old\n+new"))
    s.done("It is not used.")


def canary_delegated(s: ClaudeSession) -> None:
    """A sub-agent takes over the failing deploy and recovers."""
    s.task("Deploy the canary.")
    s.run(CANARY, fail("RUNNER_DOWN"))
    s.delegate("Deploy the canary, wait for the runner if you must.", _canary_work)
    s.done("The canary is deployed.")


def _canary_work(child: ClaudeSession) -> None:
    child.run(CANARY, fail("RUNNER_DOWN"))
    child.wait(4)
    child.run(CANARY, ok(url="https://canary.example.test"))
    child.done("The canary is deployed.")


def provider_overloaded(s: ClaudeSession) -> None:
    """The model's provider fails: no error of a tool."""
    s.task("Summarise the changes.")
    s.now += 2
    error = {"status": 529, "formatted": "529 Overloaded", "message": "Overloaded"}
    s.add("system", subtype="api_error", level="error", error=error, retryInMs=600, retryAttempt=1, maxRetries=2)
    s.now += 1
    block = {"type": "text", "text": "API Error: 529 Overloaded"}
    usage = {"input_tokens": 0, "output_tokens": 0}
    message: Json = {"id": f"msg_synthetic_{s.number:02d}", "type": "message", "role": "assistant"}
    message |= {"model": "<synthetic>", "content": [block], "stop_reason": "stop_sequence", "usage": usage}
    s.add("assistant", message=message, error="server_error", isApiErrorMessage=True, apiErrorStatus=529)
    s.human("Try again.")
    s.done("Two files changed.")


def tickets_hidden_flag(s: ClaudeSession) -> None:
    """The server reports success around `isError: true`."""
    _ticket(s, {"isError": True, "content": [{"type": "text", "text": "Project docs is archived"}]})


def tickets_hidden_status(s: ClaudeSession) -> None:
    """The server reports success around an HTTP status of 503."""
    _ticket(s, {"status": 503, "body": {"message": "Ticket store is down"}})


def tickets_hidden_error(s: ClaudeSession) -> None:
    """The server reports success, and the whole payload is an error."""
    _ticket(s, {"error": {"code": "PROJECT_ARCHIVED", "message": "Project docs is archived", "retryable": False}})


def _ticket(s: ClaudeSession, answer: Json) -> None:
    s.task("Write a ticket about the broken links.")
    s.call("mcp__tickets__create_ticket", {"title": "Broken links in the docs", "priority": "low"}, Reply(0, answer))
    s.done("The ticket is written.")


def ends_before_the_result(s: ClaudeSession) -> None:
    """The transcript stops before the result of its last call."""
    s.task("Back up the database.")
    s.ask_for("Bash", {"command": "tool backup run --name db", "description": "Back up"})


def _unreached() -> Reply:
    return text(0, "Error: could not reach server (HTTP 503)")


def _words(words: str) -> Json:
    return {"role": "user", "content": [{"type": "text", "text": words}]}
