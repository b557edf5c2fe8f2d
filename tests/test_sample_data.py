"""The sample world is reproducible, tells what its README says, and holds nothing private."""

import json
import re
import shlex
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

SAMPLE = Path(__file__).parents[1] / "sample_data"
README = (SAMPLE / "README.md").read_text(encoding="utf-8")
LOGS = sorted(path for path in SAMPLE.rglob("*") if path.suffix in (".jsonl", ".ndjson"))
HALF_AN_HOUR, FIVE_MINUTES = 1800.0, 300.0


class Step(NamedTuple):
    """One call of an agent, or a word of a person where `command` is None."""

    turn: str
    tool: str
    command: str | None
    start: float
    end: float
    is_ok: bool
    exit_code: int | None
    output: Any
    error: dict


HUMAN = Step("", "", None, 0, 0, True, None, None, {})


def seconds(stamp: str) -> float:
    """Return the seconds since the Unix epoch of an ISO 8601 stamp."""
    return datetime.fromisoformat(stamp).timestamp()


def records(path: Path) -> list[dict]:
    """Return the records of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def error_of(output: Any) -> dict:
    """Return the `error` of an output; empty where it holds none."""
    return (output.get("error") or {}) if isinstance(output, dict) else {}


def claude_steps(path: Path) -> list[Step]:
    """Return the calls of one transcript and its prompts, in the order they started."""
    asked, steps = {}, []
    for record in records(path):
        content = record.get("message", {}).get("content")
        if record["type"] == "user" and isinstance(content, str):
            steps.append(HUMAN._replace(start=seconds(record["timestamp"])))
        for block in content if isinstance(content, list) else []:
            if block["type"] == "tool_use":
                asked[block["id"]] = (record, block)
            elif block["type"] == "tool_result":
                step = claude_step(*asked.pop(block["tool_use_id"]), record, block)
                is_refused = record["toolUseResult"] == "User rejected tool use"
                steps.append(HUMAN._replace(start=step.start) if is_refused else step)
    return sorted(steps, key=lambda step: step.start)


def claude_step(call: dict, use: dict, record: dict, block: dict) -> Step:
    """Return one call of a transcript with its result."""
    content = block["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    stated = re.match(r"Exit code (\d+)\n", text)
    text = text.removeprefix(stated[0]) if stated else text
    output = json.loads(text) if text.startswith("{") else text
    command = use["input"].get("command") or f"{use['name']} {json.dumps(use['input'], sort_keys=True)}"
    tool = command.removeprefix("sudo ").split()[0] if use["name"] == "Bash" else use["name"]
    is_ok = not block.get("is_error") and not error_of(output)
    span = seconds(call["timestamp"]), seconds(record["timestamp"])
    code = int(stated[1]) if stated else None
    return Step(call["message"]["id"], tool, command, *span, is_ok, code, output, error_of(output))


def builder_step(record: dict) -> Step:
    """Return one record of builder-bot as a step."""
    end = seconds(record["ts"])
    if "event" in record:
        return HUMAN._replace(start=end) if record["event"] == "human" else HUMAN._replace(command="", start=end)
    called = f"{record.get('tool')} {json.dumps(record.get('arguments'), sort_keys=True)}"
    command = record.get("command") or (shlex.join(record["argv"]) if "argv" in record else called)
    tool = command.removeprefix("sudo ").split()[0]
    output = record["envelope"] or record.get("stderr") or record.get("stdout")
    is_ok = not record["exit_code"] and not error_of(output)
    start = end - record["duration_ms"] / 1000
    turn = f"{record['session_id']} {record['turn']}"
    return Step(turn, tool, command, start, end, is_ok, record["exit_code"], output, error_of(output))


def threads() -> dict[str, list[Step]]:
    """Return the steps of each thread of work (a session, or a sub-agent in it); waits are no steps."""
    found = defaultdict(list)
    for path in LOGS:
        if path.suffix == ".jsonl":
            found[path.stem] = claude_steps(path)
        else:
            for record in records(path):
                found[record["session_id"]].append(builder_step(record))
    return {name: [s for s in steps if s.command is None or s.tool != "sleep"] for name, steps in found.items()}


THREADS = threads()


def declared(error: dict) -> str:
    """Return the class an error is declared with."""
    fixes = [name for name in ("fix_required", "fix_command", "redirect") if name in error]
    classes = {True: "contradictory" if fixes else "transient", False: "correctable" if fixes else "terminal"}
    return "undeclared" if "retryable" not in error else classes.get(error["retryable"], "maybe")


def unit(step: Step) -> tuple[str, str, str]:
    """Return tool, code and declared class of a failure."""
    return step.tool, step.error["code"], declared(step.error)


def is_fair(failed: Step, after: Step) -> bool:
    """Tell whether `after` repeats `failed` unchanged and honours its wait."""
    wait = failed.error.get("retry_after_ms", failed.error.get("retry_after", 0) * 1000) / 1000
    delay = after.start - failed.end
    return after.command == failed.command and wait <= delay <= HALF_AN_HOUR


def first_fair_reissues(steps: list[Step]) -> dict[tuple[str, str, str], bool]:
    """Return, for each unit, whether the first fair reissue of the thread succeeded."""
    found: dict[tuple[str, str, str], bool] = {}
    for place, step in enumerate(steps):
        later = [other for other in steps[place + 1 :] if other.turn != step.turn]
        if step.error.get("code") and later and is_fair(step, later[0]):
            found.setdefault(unit(step), later[0].is_ok)
    return found


def fix_of(error: dict) -> str | None:
    """Return the command an error proposes."""
    return error.get("fix_command") or error.get("redirect", {}).get("command")


def loop_verdict(failed: Step, steps: list[Step]) -> str | None:
    """Return how the loop of one failure ended; None where its fix never ran. `steps` follow the failure."""
    fix = fix_of(failed.error)
    ran = next((place for place, step in enumerate(steps) if step.command == fix), None)
    if fix == failed.command or ran is None:
        return None
    if not steps[ran].is_ok:
        return "unrunnable" if steps[ran].exit_code == 127 or "<" in fix else "fix_failed"
    again = next((step for step in steps[ran + 1 :] if step.command == failed.command), None)
    if again is None or again.start - steps[ran].end > FIVE_MINUTES:
        return "open" if again is None else "stale"
    if again.is_ok:
        return "closed"
    if again.error["code"] == failed.error["code"]:
        return "failed"
    return "indeterminate" if again.error["message"] == failed.error["message"] else "advanced"


def table(heading: str) -> list[dict[str, str]]:
    """Return the rows of the README's table under `heading`."""
    lines = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", README, re.M | re.S)[1].splitlines()
    cells = [[cell.strip().strip("`") for cell in line.split("|")[1:-1]] for line in lines if line.startswith("|")]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def test_same_bytes_again(tmp_path):
    """Generating the world anew gives the committed files, byte for byte, and no others."""
    subprocess.run([sys.executable, "-B", SAMPLE / "generate.py", tmp_path], check=True, capture_output=True)
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    kept = {path.relative_to(SAMPLE): path.read_bytes() for path in (*LOGS, SAMPLE / "INDEX.md")}
    assert made == kept


def test_every_code_is_in_the_readme_with_its_counts():
    """The table of truths lists every (tool, code, class) with its failures, sessions and first fair reissues."""
    failures, sessions = Counter(), defaultdict(set)
    fair, good = Counter(), Counter()
    for name, steps in THREADS.items():
        coded = [unit(step) for step in steps if step.error.get("code")]
        failures.update(coded)
        for each in coded:
            sessions[each].add(name)
        for each, succeeded in first_fair_reissues(steps).items():
            fair[each] += 1
            good[each] += succeeded
    counted = {each: (str(n), str(len(sessions[each])), f"{good[each]}/{fair[each]}") for each, n in failures.items()}
    told = {
        (row["tool"], row["code"], row["declared"]): (row["failures"], row["sessions"], row["first fair reissues"])
        for row in table("The planted truths")
    }
    assert counted == told


def test_every_fix_is_in_the_readme_with_its_loops():
    """The table of loops counts what came of every fix that an agent ran as given."""
    counted: dict[str, Counter] = defaultdict(Counter)
    for steps in THREADS.values():
        used = set()
        for place, step in reversed(list(enumerate(steps))):
            verdict = loop_verdict(step, steps[place + 1 :]) if fix_of(step.error) else None
            if verdict and (step.error["code"], step.command) not in used:
                used.add((step.error["code"], step.command))
                counted[step.error["code"]][verdict] += 1
    told = {
        row.pop("code"): {verdict: int(count) for verdict, count in row.items() if verdict != "fix" and count}
        for row in table("The closed loops")
    }
    assert counted == told


@pytest.mark.parametrize("row", table("Other things to see"), ids=lambda row: row["what"])
def test_other_things_are_as_often_as_the_readme_says(row):
    """Each other planted thing is in the logs as often as the README says, found by its mark."""
    mark = re.compile(row["mark"])
    assert sum(len(mark.findall(path.read_text(encoding="utf-8"))) for path in LOGS) == int(row["count"])


def test_half_the_sessions_of_each_agent_run_each_release():
    """Thirty sessions an agent; tool 1.4.0 says one thing and 1.5.0 another."""
    starts = {}
    for name, steps in THREADS.items():
        metas = [step.output["meta"] for step in steps if isinstance(step.output, dict) and "meta" in step.output]
        starts[name] = metas[0]["tool_version"]
    main = Counter((name[:2] == "bb", version) for name, version in starts.items() if not name.startswith("agent-"))
    assert main == {(False, "1.4.0"): 15, (False, "1.5.0"): 15, (True, "1.4.0"): 15, (True, "1.5.0"): 15}


def test_declared_waits_are_too_short_and_too_long_where_planted():
    """RATE_LIMITED never clears before twice its wait and always after; ENV_WARMING always clears before half of it."""
    ratios: dict[str, set] = defaultdict(set)
    for steps in THREADS.values():
        for failed, after in pairwise(steps):
            if failed.tool == "tool" and failed.error.get("code") in ("RATE_LIMITED", "ENV_WARMING"):
                ratio = (after.start - failed.end) * 1000 / failed.error["retry_after_ms"]
                ratios[failed.error["code"]].add((ratio, after.is_ok))
    assert all(1 <= ratio < 1.5 if not is_ok else ratio >= 4 for ratio, is_ok in ratios["RATE_LIMITED"])
    early = [is_ok for ratio, is_ok in ratios["ENV_WARMING"] if ratio < 0.5]
    assert (len(early), all(early)) == (40, True)


def test_operations_of_different_stories_never_meet():
    """Within a session, a command that failed is only ever run again by the story it failed in."""
    for steps in THREADS.values():
        for place, step in enumerate(steps):
            later = [other for other in steps[place + 1 :] if other.command == step.command and not step.is_ok]
            assert all(other.start - step.end < HALF_AN_HOUR / 2 for other in later)


@pytest.mark.parametrize(
    "private",
    [
        r"\bsk-\w",
        r"\bgh[pousr]_\w",
        r"\bAKIA\w",
        r"(?i)bearer\s",
        r"(?i)password",
        r"BEGIN \w+ PRIVATE KEY",
        r"\w@\w+\.\w",
    ],
)
def test_no_secrets(private):
    """Nothing in the folder looks like a key, a password or an address of a person."""
    for path in (*LOGS, *SAMPLE.glob("*.md")):
        assert not re.search(private, path.read_text(encoding="utf-8")), path.name


def test_no_path_of_a_real_machine():
    """The only absolute path is the made-up /srv/demo."""
    for path in LOGS:
        text = re.sub(r"https?://\S+", "", path.read_text(encoding="utf-8"))
        roots = {m[0] for m in re.finditer(r"(?<![\w.<])/[A-Za-z]\w*(?:/\w+)*", text)}
        assert roots <= {"/srv/demo/shop"}, path.name


def test_stays_small():
    """The logs are small enough to commit: under 1.5 MB."""
    assert sum(path.stat().st_size for path in LOGS) < 1_500_000
