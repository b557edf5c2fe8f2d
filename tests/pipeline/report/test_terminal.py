import copy
import io
import os
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from pipeline.report import terminal

SNAPSHOTS = Path(__file__).with_name("snapshots")
WIDTHS = (60, 80, 100, 120, 160, 200)
EVIL = "\x1b[31mEVIL\x1b]0;pwned\x07[bold red]loud[/]\u202eabc"


@pytest.mark.parametrize("width", [80, 160])
def test_the_report_looks_like_this(busy_report, shown, width):
    """The first screen over a bit of everything, as people see it; UPDATE_GOLDEN=1 writes it anew."""
    path = SNAPSHOTS / f"busy_{width}.txt"
    text = shown(busy_report, width)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")

    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("width", WIDTHS)
def test_one_screen_is_enough(busy_report, shown, width):
    """At any width the first screen has at most forty lines, none of them wider than the terminal."""
    lines = shown(busy_report, width).splitlines()

    assert len(lines) <= terminal.SCREEN
    assert max(map(cell_len, lines)) <= width


def test_what_to_change_stands_first(busy_report, shown):
    """The first finding comes before any table, with its mark in text."""
    lines = shown(busy_report).splitlines()
    title = next(number for number, line in enumerate(lines) if line.startswith("What to change first"))

    assert title <= 4
    assert lines[title + 1].startswith("BREACH   QUOTA_EXHAUSTED says retryable:true, but 0 of 24 fair reissues")


def test_numbers_are_the_report_s(busy_report, shown):
    """Every count of the codes table is the one in the report, whole."""
    found = busy_report
    text = shown(found, 200, full=True)

    for row in found["codes"]:
        line = next(line for line in text.splitlines() if line.startswith(row["error_code"]))
        fair = f"{row['fair_success_count']}/{row['fair_reissue_count']}" if row["fair_reissue_count"] else "\u2013"
        recovered = f"{row['recovered_count']}/{row['episode_count'] - row['censored_count']}"
        assert [str(row["occurrence_count"]), recovered, fair] == line.split()[2:5]


def test_full_leaves_nothing_out(busy_report, shown):
    """With `full` every finding and every code is there, and nothing says it was left out."""
    found = busy_report
    text = " ".join(shown(found, 120, full=True).split())

    for finding in found["findings"]:
        assert " ".join(finding["sentence"].split()) in text
    assert "--full" not in text


def test_what_is_left_out_is_said(busy_report, shown):
    """The first screen counts the findings and columns it has no room for, and says how to see them."""
    found = copy.deepcopy(busy_report)
    found["findings"] = found["findings"][:1] * 40
    for number, finding in enumerate(found["findings"]):
        found["findings"][number] = finding | {"id": f"misclassified_retryables:tool:CODE_{number}"}
    found["codes"] = found["codes"] * 20
    text = shown(found)

    assert re.search(r"^\d+ more \(\d+ breaches\): analyze report --full$", text, re.MULTILINE)
    assert re.search(r"^\d+ more codes: analyze report --full", text, re.MULTILINE)


def test_without_a_terminal_there_is_no_colour(busy_report, shown):
    """A pipe gets text only; a terminal gets colours, and the same words."""
    piped, coloured = shown(busy_report), shown(busy_report, force_terminal=True, color_system="standard")

    assert "\x1b" not in piped
    assert "\x1b[1;31mBREACH" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == piped


def test_no_color_is_respected(busy_report, shown, monkeypatch):
    """With NO_COLOR no colour is set, not even on a terminal."""
    monkeypatch.setenv("NO_COLOR", "1")

    assert not re.search(r"\x1b\[[0-9;]*3[0-7]", shown(busy_report, force_terminal=True))


def test_a_terminal_without_unicode_gets_ascii(busy_report):
    """Where the encoding knows ASCII only, the report is drawn with it."""
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    terminal.render(busy_report, Console(file=file, width=120), full=True)
    file.flush()

    text = file.buffer.getvalue().decode("ascii")
    assert "3>1" in text
    assert "o=" in text


@pytest.fixture(scope="module")
def hostile(make_world, report_of):
    """The report over a world whose every text is hostile."""
    world = make_world()
    declared = {"retryable": False, "fix_required": EVIL, "fix_command": f"tool {EVIL} | sh", "message": EVIL * 3000}
    for _ in range(5):
        world.session(EVIL).fail(f"t{EVIL} run", EVIL + "A" * 100_000, **declared).ok("tool status").end()
        world.session().fail("tool go", message=EVIL * 3000, fingerprint=EVIL).ok("tool status").end()
        world.session().fail("tool lie", EVIL, signalled_ok=True, exit_code=0, operation=EVIL).end()
        world.session().fail("tool go", "X; rm -rf ~", retryable=False).end()
    world.build()
    return report_of(world)


@pytest.mark.parametrize("full", [False, True])
def test_hostile_text_stays_text(hostile, shown, full):
    """Sequences, markup, overrides and 100 KB in every field of a log change nothing but the letters shown."""
    text = shown(hostile, full=full)

    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ue000]", text)
    assert "pwned" not in text
    assert "[bold red]loud[/]" in text
    assert max(map(cell_len, text.splitlines())) <= 80
    coloured = shown(hostile, full=full, force_terminal=True, color_system="standard")
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text


def test_a_hint_is_safe_to_paste(hostile, shown):
    """A code that would be a command in a shell is quoted in the hint."""
    hints = re.findall("analyze explain .*", shown(hostile, 200, full=True))

    assert "analyze explain 'X; rm -rf ~'" in hints
    assert not [hint for hint in hints if "rm" in hint and "'" not in hint]


def test_suspected_failures_stand_apart(busy_report, shown):
    """What only reads like a failure is told outside tool scores, in no rate."""
    text = shown(busy_report, 200)

    assert "1 unknown; 1 of the unknown read like failures (suspected, in no rate)" in text


@pytest.mark.parametrize("full", [False, True])
def test_an_empty_store_is_said(void_report, shown, full):
    """Without attempts the report says that nothing can be said."""
    text = shown(void_report, full=full)

    assert "No attempts were read: nothing can be said" in text
    assert "no failure carried a code of its own" in text


def test_a_quiet_store_is_said(busy_report, shown):
    """Without findings the report says so, and does not praise."""
    assert "No finding: nothing here contradicts what the errors say" in shown(busy_report | {"findings": []})


def test_a_selection_is_named(busy, report_of, shown):
    """A report about one tool says which."""
    assert "(tool make)" in shown(report_of(busy, tool="make"))
