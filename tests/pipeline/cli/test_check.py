"""`analyze check` and the files of `analyze report`, run as their users run them."""

import json
import shlex
import shutil
from pathlib import Path

import pytest

from pipeline.cli import settings
from pipeline.errors import RecoupError

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "sample_data"


@pytest.fixture(scope="module")
def sample_store(tmp_path_factory):
    """A store with the sample logs, its models built."""
    from pipeline import ingest, models
    from pipeline.parameters import Parameters
    from pipeline.store import open_store

    path = tmp_path_factory.mktemp("sample") / "recoup.duckdb"
    ingest.import_paths(path, [SAMPLE])
    with open_store(path, write=True) as connection:
        models.build(connection, Parameters())
    return path


@pytest.fixture
def sample(sample_store, tmp_path):
    """That store as the default one of the folder."""
    shutil.copy(sample_store, tmp_path / "recoup.duckdb")
    return tmp_path


def test_exit_codes(run, sample):
    """0 within the limits, 1 over one, 2 for usage, 3 without a store."""
    assert 1 == run("analyze", "check").exit_code
    assert 0 == run("analyze", "check", "--fail-on", "strata").exit_code
    assert 2 == run("analyze", "check", "--fail-on", "nonsense").exit_code
    assert 2 == run("analyze", "check", "--min-maturity", "4").exit_code
    assert 2 == run("analyze", "check", "--config", "none.toml").exit_code
    missing = run("analyze", "check", "--store", "none.duckdb")
    assert (3, "STORE_NOT_FOUND") == (missing.exit_code, missing.error["code"])


def test_the_last_line_says_what_was_not_checked(run, sample):
    """The summary ends with what was not checked, also where the answer goes to a file."""
    assert run("analyze", "check").out.splitlines()[-1].startswith("not checked: ")
    ran = run("analyze", "check", "--format", "junit", "--output", "out.xml")
    assert "not checked: " in ran.out
    assert Path("out.xml").read_text().startswith("<?xml")


def test_baseline(run, sample):
    """After --write-baseline all is known; a deleted line fails again; a foreign file is refused."""
    assert 0 == run("analyze", "check", "--write-baseline", "known.json").exit_code
    assert 0 == run("analyze", "check", "--baseline", "known.json").exit_code
    held = json.loads(Path("known.json").read_text())
    gone = held["findings"].pop()
    Path("known.json").write_text(json.dumps(held))
    ran = run("analyze", "check", "--baseline", "known.json", "--json")
    assert 1 == ran.exit_code
    assert [gone] == [one["id"] for one in ran.envelope["data"]["violations"] if one["is_new"]]
    Path("known.json").write_text("[]")
    assert "CONFIG_INVALID" == run("analyze", "check", "--baseline", "known.json").error["code"]


def test_settings_file(run, sample):
    """Limits stand in recoup.toml, or in pyproject.toml; a flag overrides them."""
    Path("pyproject.toml").write_text('[tool.recoup.check]\nfail_on = ["strata"]\n')
    assert 0 == run("analyze", "check").exit_code
    Path("recoup.toml").write_text('[check]\nfail_on = ["strata"]\n[check.tools.tool]\nmin_maturity = 3\n')
    ran = run("analyze", "check")
    assert (1, "MIN_MATURITY") == (ran.exit_code, ran.out.split()[0])
    assert 0 == run("analyze", "check", "--min-maturity", "0").exit_code


@pytest.mark.parametrize(
    "text",
    [
        "[check",
        "check = 1",
        "[check]\nmin_maturty = 2",
        "[check]\nmin_maturity = 4",
        "[check]\nmin_maturity = true",
        '[check]\nfail_on = "breach"',
        '[check]\nfail_on = ["brech"]',
        "[check]\ntools = 1",
        "[check.tools]\ndeploy = 1",
    ],
)
def test_settings_that_cannot_be_used(text, tmp_path):
    """What a settings file says wrongly is named, not passed over."""
    path = tmp_path / "recoup.toml"
    path.write_text(text)

    with pytest.raises(RecoupError) as caught:
        settings.rules(path, {})
    assert "CONFIG_INVALID" == caught.value.entry.code


@pytest.mark.parametrize("format", ["json", "sarif"])
def test_formats_for_programs(run, sample, format):
    """JSON and SARIF on stdout are nothing but that, and the exit code stays."""
    ran = run("analyze", "check", "--format", format)

    assert 1 == ran.exit_code
    assert json.loads(ran.out)


def test_report_files(run, sample):
    """A page and a comment are a file each, csv a folder with a file for each mart; csv without a folder is refused."""
    assert 0 == run("analyze", "report", "--format", "html", "--output", "r.html").exit_code
    assert Path("r.html").read_text().startswith("<!doctype html>")
    assert run("analyze", "report", "--format", "md").out.startswith("## What to change first")
    assert 0 == run("analyze", "report", "--format", "csv", "--output", "tables").exit_code
    assert {"findings.csv", "error_codes.csv"} <= {one.name for one in Path("tables").iterdir()}
    assert "ARGUMENT_INVALID" == run("analyze", "report", "--format", "csv").error["code"]
    Path("taken").write_text("")
    assert "OUTPUT_UNWRITABLE" == run("analyze", "report", "--format", "csv", "--output", "taken").error["code"]


def test_report_of_a_period(run, sample):
    """Every format takes --since; a period without sessions has nothing to say."""
    for format in ("html", "md", "csv"):
        ran = run("analyze", "report", "--format", format, "--output", f"out.{format}", "--since", "2999-01-01")
        assert 0 == ran.exit_code
    assert "No attempts were read" in Path("out.html").read_text()


def test_the_example_for_github_actions_runs_as_printed(run, sample):
    """The commands of the workflow in docs/check.md, in their order: the gate passes on a committed baseline."""
    lines = (ROOT / "docs/check.md").read_text().splitlines()
    commands = [line.split("run: ", 1)[1] for line in lines if "- run: " in line]
    assert 5 == len(commands)
    shutil.copytree(SAMPLE, "logs")
    Path("recoup.duckdb").unlink()
    run("collector", "import", "logs")
    assert 0 == run("analyze", "check", "--write-baseline", "recoup-baseline.json").exit_code
    Path("recoup.duckdb").unlink()
    for command in commands:
        program, *arguments = shlex.split(command)
        if program != "pip":
            assert 0 == run(program, *arguments).exit_code
    assert all(Path(name).stat().st_size for name in ("recoup.xml", "recoup.md", "recoup.html"))


def test_the_settings_of_the_docs_can_be_used(tmp_path):
    """The TOML example of docs/check.md is understood."""
    text = (ROOT / "docs/check.md").read_text().split("```toml\n")[1].split("```")[0]
    path = tmp_path / "recoup.toml"
    path.write_text(text)

    rules = settings.rules(path, {})
    assert (0, None, ("breach",)) == (
        rules.limits.max_false_transient,
        rules.limits.min_maturity,
        rules.limits.fail_on,
    )
    assert (2, 0, ("warning",)) == (
        rules.tools["deploy"].min_maturity,
        rules.tools["deploy"].max_false_transient,
        rules.tools["deploy"].fail_on,
    )
