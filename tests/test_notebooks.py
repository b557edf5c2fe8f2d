"""The notebooks: they run on the sample data, say what is true of it, and keep no output in git."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

# What the prose says, as assertions over the notebook's own names.
CLAIMS = {
    "01_first_look": """
        assert all(chosen["outcome"] == "escalated"), "asked a person in the end"
        assert report["findings"][0]["error_code"] == "QUOTA_EXHAUSTED"
        assert coverage["rejects"] == 0
    """,
    "02_misclassified_retryables": """
        by_code = verdicts.set_index(["error_code", "declared_class"])["verdict"]
        assert by_code["QUOTA_EXHAUSTED", "transient"] == by_code["PERMISSION_DENIED", "terminal"] == "contradicted"
        assert by_code["NOT_FOUND", "terminal"] == "supported"
        waits = plots.wait_calibration(looks, "RATE_LIMITED", tool="tool").description
        assert "around 22" in waits and ": 0/10," in waits and ": 18/18," in waits, waits
    """,
    "03_closed_loops": """
        failed = fixes.set_index("error_code")
        assert (failed.loc["CONFIG_STALE", "failed_count"], failed.loc["CONFIG_STALE", "trial_count"]) == (7, 9)
        assert failed.loc["CREDENTIALS_EXPIRED", "failed_count"] == 0
        assert 0.2 < failed.loc["CREDENTIALS_EXPIRED", "rate_upper"] < 0.25, "may still fail in a fifth"
        assert "destructive" in {rule for rules in lint["rules"] for rule in rules}
    """,
    "04_maturity": """
        tool = scores.set_index("tool").loc["tool"]
        assert tool["with_code_count"] > 0.9 * tool["occurrence_count"] and tool["maturity"] <= 1
        assert len(uncoded) > 0
        assert set(below["error_code"]) >= {"QUOTA_EXHAUSTED", "CONFIG_STALE", "TOO_MANY_REQUESTS"}
    """,
    "05_bring_your_own_logs": """
        assert coverage["rejects"] == 0 and coverage["attempts_by_status"] == {"error": 3, "ok": 3}
        loops = store.mart("failed_closed_loops").iloc[0]
        assert (loops["failed_count"], loops["trial_count"]) == (1, 2)
    """,
}

# The cell that the closing question asks to change: what to change in it, and what is then true.
ANSWERS = {
    "01_first_look": (
        '"wasted_tokens"',
        '"wasted_ms"',
        "assert codes.sort_values(dearest_by)['error_code'].iloc[-1] == 'UPSTREAM_TIMEOUT'",
    ),
    "02_misclassified_retryables": (
        "tau_high = 0.20",
        "tau_high = 0.7",
        "assert set(found[found['verdict'] == 'contradicted']['error_code']) == {'QUOTA_EXHAUSTED'}",
    ),
    "03_closed_loops": (
        '"CONFIG_STALE"',
        '"SCHEMA_OUTDATED"',
        "told = plots.episode_lanes(store.timelines(*chosen['episode_id'])).description\n"
        "assert 'fix tool migrate apply-next failed' in told",
    ),
    "04_maturity": (
        "level = 2",
        "level = 3",
        "assert {'BRANCH_NOT_PUSHED', 'SERVICE_UNAVAILABLE'} <= set(below[below['maturity'] == 2]['error_code'])",
    ),
    "05_bring_your_own_logs": (
        'my_logs = folder / "my.ndjson"',
        "my_logs = folder",
        "assert pipeline.import_logs(my_logs, store=folder / 'again.duckdb').report()['coverage']['records'] == 6",
    ),
}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A folder that looks like the repository, so that nothing is written into it."""
    folder = tmp_path_factory.mktemp("checkout")
    (folder / "sample_data").symlink_to(ROOT / "sample_data")
    (folder / "notebooks").mkdir()
    return folder


def _run(notebook, folder):
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(folder)}})
    client.execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def _said(outputs):
    return "".join(output.get("text", "") + str(output.get("data", {})) for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("default")  # of the kernel's client, not ours
def test_runs_and_says_what_is_true(path, checkout, monkeypatch):
    """A notebook runs from top to bottom, what its prose claims holds, and its closing question has an answer."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(path, as_version=4)
    [question] = [cell for cell in notebook.cells if "question" in cell.metadata.get("tags", [])]
    old, new, answer = ANSWERS[path.stem]
    assert question.source.count(old) == 1
    claims = "\n".join(line.strip() for line in CLAIMS[path.stem].splitlines())
    notebook.cells += [
        nbformat.v4.new_code_cell(claims),
        nbformat.v4.new_code_cell(f"{question.source.replace(old, new)}\n{answer}"),
    ]

    outputs = _run(notebook, checkout)

    said = _said(outputs)
    assert [] == [output for output in outputs if output.output_type == "stream" and output.name == "stderr"]
    assert "image/svg+xml" in said
    assert str(checkout) not in said
    assert str(Path.home()) not in said


@pytest.mark.filterwarnings("default")
def test_runs_from_its_own_folder(checkout, monkeypatch):
    """The paths hold from the notebooks folder too."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    notebook = nbformat.read(ROOT / "notebooks" / "01_first_look.ipynb", as_version=4)
    notebook.cells = notebook.cells[:4]

    assert "34 files" in _said(_run(notebook, checkout / "notebooks"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_keeps_no_output(path):
    """In git a notebook has no outputs, no counters and no trace of the machine it ran on."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [] == [cell.id for cell in code if cell.outputs or cell.execution_count is not None]
    assert {"kernelspec", "language_info"} >= set(notebook.metadata)
    assert all(set(cell.metadata) <= {"tags"} for cell in notebook.cells)


def test_every_notebook_ends_with_a_question():
    """The five notebooks are there, and each closes with a question to the reader."""
    assert sorted(CLAIMS) == sorted(ANSWERS) == [path.stem for path in NOTEBOOKS]
    for path in NOTEBOOKS:
        last = nbformat.read(path, as_version=4).cells[-1]
        assert last.cell_type == "markdown"
        assert last.source.startswith("**A question for you.**")
        assert "?" in last.source
