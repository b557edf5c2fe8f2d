"""The configuration file: where it is found, what it may say, and what it changes."""

import json
import re
from pathlib import Path

import pytest

from collectors import identity
from collectors.rules import DEFAULT, Benign, current, in_force
from pipeline import config, ingest, models
from pipeline.cli import analyze, collector
from pipeline.config import Config, find, load
from pipeline.errors import RecoupError
from pipeline.parameters import Additions, Parameters
from pipeline.store import open_store

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs" / "configuration.md"


def written(folder, text, name="recoup.toml"):
    """Write a file and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_stated(tmp_path):
    """Without a file the defaults hold."""
    found = load(start=tmp_path)

    assert (None, Parameters()) == (found.path, found.parameters)
    assert not any((found.rules.benign, found.rules.excluded, found.rules.targets, found.rules.viewers))


def test_the_nearest_file_counts(tmp_path):
    """The search goes upward, past a pyproject that does not speak of recoup; recoup.toml comes first in a folder."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    written(tmp_path, "", "pyproject.toml")
    top = written(tmp_path, "[parameters]\nstrict = true\n")
    written(inner, "[tool.other]\nx = 1\n", "pyproject.toml")
    assert top == find(inner)

    near = written(inner, "[tool.recoup.parameters]\ntau_high = 0.5\n", "pyproject.toml")
    assert near == find(inner)
    assert 0.5 == load(start=inner).parameters.tau_high
    assert load(top, start=inner).parameters.strict
    own = written(inner, "")
    assert own == find(inner)


def test_a_broken_stranger_is_passed_over(tmp_path):
    """A pyproject that is no TOML and does not name recoup is nobody's business here."""
    written(tmp_path, "= broken", "pyproject.toml")

    assert find(tmp_path) is None or find(tmp_path).parent != tmp_path


@pytest.fixture
def example(tmp_path):
    """Return the configuration of the documentation's example."""
    [text] = re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return load(written(tmp_path, text))


def test_the_example_is_understood(example):
    """The example of the documentation parses into the values it states."""
    assert example.rules.benign == (
        Benign("tool", 3, ("drift",), frozenset({"--exit-code"}), "tool manual, drift: 3 the state has drifted"),
    )
    assert {"nonce", "--nonce", "correlation", "--correlation"} <= example.rules.excluded
    assert {"tool": frozenset({"stack"}), "": frozenset({"cluster"})} == dict(example.rules.targets)
    assert example.parameters == Parameters(
        horizon_ms=3_600_000,
        strict=True,
        additions=Additions(
            aliases=(("AUTH_EXPIRED", "CREDENTIALS_EXPIRED"),),
            companions=(("tool", "toolctl"),),
            destructive=("tool state reset",),
        ),
    )


def test_the_docs_name_every_key_and_default():
    """Every key has its row, every parameter with its default."""
    text = DOCS.read_text(encoding="utf-8")

    assert set(config._KEYS) <= set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    stated = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+|true|false) \|", text, re.MULTILINE))
    assert {name: str(value).lower() for name, value in Parameters().values().items()} == stated


@pytest.mark.parametrize(
    ("text", "key", "meant"),
    [
        ("[parameters]\nhorizn_ms = 1", "parameters.horizn_ms", "horizon_ms"),
        ("[paramters]", "paramters", "parameters"),
        ("zzz = 1", "zzz", None),
        ("[parameters]\nhorizon_ms = '1'", "parameters.horizon_ms", None),
        ("[parameters]\nhorizon_ms = true", "parameters.horizon_ms", None),
        ("[parameters]\nhorizon_ms = -1", "parameters.horizon_ms", None),
        ("[parameters]\ntau_high = 2", "parameters.tau_high", None),
        ("[parameters]\ntau_low = 0.5", "parameters.tau_low", None),
        ("[parameters]\nstrict = 1", "parameters.strict", None),
        ("parameters = 1", "parameters", None),
        ("[parameters]\nadditions = 1", "parameters.additions", None),
        ("benign_exits = 1", "benign_exits", None),
        ("[[benign_exits]]\ncode = 1", "benign_exits[0].program", None),
        ("[[benign_exits]]\nprogram = 'x'", "benign_exits[0].code", None),
        ("[[benign_exits]]\nprogram = 'x'\ncode = 0", "benign_exits[0].code", None),
        ("[[benign_exits]]\nprogram = 'x'\ncode = 1\nflag = ['-e']", "benign_exits[0].flag", "flags"),
        ("[[benign_exits]]\nprogram = 'x'\ncode = 1\npath = 'plan'", "benign_exits[0].path", None),
        ("[aliases]\nA = 1", "aliases.A", None),
        ("[companions]\ntool = 'x'", "companions.tool", None),
        ("destructive_commands = ['']", "destructive_commands", None),
    ],
)
def test_what_cannot_be_used(tmp_path, text, key, meant):
    """A fault names the file and the key, and the key that was perhaps meant."""
    path = written(tmp_path, text)
    with pytest.raises(RecoupError) as raised:
        load(path)

    assert ("CONFIG_INVALID", str(path), key) == (
        raised.value.entry.code, raised.value.context["file"], raised.value.context["key"]
    )  # fmt: skip
    assert meant == raised.value.context.get("did_you_mean")
    assert f"{path}: {key} " in raised.value.message


@pytest.mark.parametrize("content", [b"= 1", b"\xff", None])
def test_what_cannot_be_read(tmp_path, content):
    """A file that is missing, no TOML or no UTF-8 is an error that names it."""
    path = tmp_path / "recoup.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(RecoupError) as raised:
        load(path)

    assert ("CONFIG_INVALID", str(path)) == (raised.value.entry.code, raised.value.context["file"])


def test_rules_hold_inside_their_block_alone(example):
    """Rules in force name calls, and no longer when the block has ended."""
    before = identity.of_shell("Bash", "tool run --nonce 1", cwd="/a")
    with in_force(example.rules):
        assert current() is example.rules
        keys = {identity.of_shell("Bash", f"tool run --nonce {n}", cwd="/a").invocation_key for n in (1, 2)}

    assert (1, DEFAULT) == (len(keys), current())
    assert before == identity.of_shell("Bash", "tool run --nonce 1", cwd="/a")
    assert before.invocation_key not in keys


def called(number, words, code, fix=None):
    """Return one line of an envelope log."""
    error = {"code": "LOCKED", "message": "held", "retryable": False, "fix_required": "unlock", "fix_command": fix}
    record = {"ts": f"2026-05-04T10:00:0{number}Z", "session_id": "s", "call_id": str(number), "argv": words.split()}
    return json.dumps(record | {"exit_code": code, "envelope": {"ok": False, "error": error} if fix else None}) + "\n"


LOG = (
    called(1, "tool drift --exit-code", 3)
    + called(2, "tool up --nonce 1", 8, "toolctl unlock")
    + called(5, "tool up --nonce 2", 8, "tool  state reset --now")
)


def analysed(folder, name, settings):
    """Return what a store says that was imported and built with a configuration."""
    store = folder / f"{name}.duckdb"
    ingest.import_paths(store, [written(folder, LOG, f"{name}.ndjson")], rules=settings.rules)
    with open_store(store, write=True) as connection:
        assert models.build(connection, settings.parameters)
        assert not models.build(connection, settings.parameters)
    with open_store(store) as connection:
        return (
            connection.execute("select status from core.attempts order by attempt_number").fetchall(),
            connection.execute("select count(distinct invocation_key) from core.attempts").fetchall(),
            connection.execute("select rules from marts.fix_command_lint order by fix_command").fetchall(),
            connection.execute("select alias, code from meta.aliases").fetchall(),
            connection.execute("select horizon_ms from meta.parameters").fetchall(),
        )


def test_what_a_configuration_changes(tmp_path, example):
    """Rules change what is imported, additions and parameters what is built; without them nothing changes."""
    plain = analysed(tmp_path, "plain", Config())
    stated = analysed(tmp_path, "stated", example)

    assert [("error",)] * 3 == plain[0]
    assert [("ok",), ("error",), ("error",)] == stated[0]
    assert ([(3,)], [(2,)]) == (plain[1], stated[1])
    assert [("destructive" in found, "foreign_program" in found) for (found,) in plain[2]] == [
        (False, False), (False, True)
    ]  # fmt: skip
    assert [("destructive" in found, "foreign_program" in found) for (found,) in stated[2]] == [
        (True, False), (False, False)
    ]  # fmt: skip
    assert ([], [("AUTH_EXPIRED", "CREDENTIALS_EXPIRED")]) == (plain[3], stated[3])
    assert ([(1_800_000,)], [(3_600_000,)]) == (plain[4], stated[4])


def test_stating_more_makes_a_store_stale(tmp_path, example):
    """A store that was built without an alias is built again with it."""
    analysed(tmp_path, "one", Config())
    with open_store(tmp_path / "one.duckdb", write=True) as connection:
        assert not models.is_current(connection, Parameters(additions=Additions(aliases=(("A", "B"),))))
        assert models.is_current(connection, Parameters())


def test_commands_take_a_configuration(tmp_path, capsys, monkeypatch):
    """Commands use the file that --config names, else the nearest one; a fault in it is an answer with a ladder."""
    monkeypatch.chdir(tmp_path)
    written(tmp_path, LOG, "calls.ndjson")
    near = written(tmp_path, "[parameters]\ntau_high = 0.3\n")
    other = written(tmp_path, "[parameters]\ntau_hgih = 0.4\n", "other.toml")
    assert collector.main(["import", "calls.ndjson", "--json"]) == 0
    query = ["sql", "select tau_high from meta.parameters", "--json"]

    capsys.readouterr()
    assert analyze.main(query) == 0
    assert "0.3" in capsys.readouterr().out
    assert analyze.main([*query, "--config", str(near)]) == 0
    capsys.readouterr()

    assert analyze.main([*query, "--config", str(other)]) == 2
    error = json.loads(capsys.readouterr().out)["error"]
    assert ("CONFIG_INVALID", False) == (error["code"], error["retryable"])
    assert {"file": str(other), "key": "parameters.tau_hgih", "did_you_mean": "tau_high"} == error["context"]
