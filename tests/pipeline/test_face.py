"""The face for notebooks: it costs nothing to import, builds what it answers from, and holds no lock."""

import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import pytest

import pipeline
from pipeline import face, ingest
from pipeline.errors import RecoupError
from pipeline.store import cell
from pipeline.store import open_store as connect

ROOT = Path(__file__).parents[2]

STALE = {
    "code": "CACHE_STALE",
    "message": "the cache belongs to another branch",
    "retryable": False,
    "fix_required": "Clear the cache",
    "fix_command": "mytool cache clear",
}
BUSY = {"code": "BUSY", "message": "busy", "retryable": True, "retry_after_ms": 60_000}
BUILD, FIX, PULL = (["mytool", *rest] for rest in (["build", "--target", "web"], ["cache", "clear"], ["pull", "x"]))


def call(session, second, argv, exit_code=0, error=None):
    """One line of an envelope log."""
    envelope = {"ok": error is None, "data": None, "error": error, "warnings": [], "meta": {"duration_ms": 400}}
    stamp = f"2026-03-02T09:{second // 60:02d}:{second % 60:02d}.000Z"
    return json.dumps(
        {
            "ts": stamp,
            "session_id": session,
            "agent": "a",
            "call_id": f"{session}-{second}",
            "argv": argv,
            "exit_code": exit_code,
            "envelope": envelope,
        }
    )


@pytest.fixture(scope="module")
def imported(tmp_path_factory):
    """Three sessions, imported: a fix that helps, one that fails, and a reissue that came early."""
    lines = [
        call("helps", 1, BUILD, 4, STALE),
        call("helps", 3, FIX),
        call("helps", 6, BUILD),
        call("fails", 1, BUILD, 4, STALE),
        call("fails", 3, FIX, 1, STALE | {"code": "LOCKED", "fix_command": None}),
        call("early", 1, PULL, 11, BUSY),
        call("early", 5, ["sleep", "7"]),
        call("early", 12, PULL),
    ]
    path = tmp_path_factory.mktemp("logs") / "log.ndjson"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path, pipeline.import_logs(path, store=path.with_name("my.duckdb"))


@pytest.fixture
def log(imported, tmp_path):
    """The log of three sessions."""
    return Path(shutil.copy(imported[0], tmp_path))


@pytest.fixture
def store(imported, tmp_path):
    """The log, imported, in a store of the test's own."""
    return pipeline.open_store(shutil.copy(imported[1].path, tmp_path))


def test_importing_costs_nothing():
    """`import pipeline` loads no library and no module of ours; the face is there when it is asked for."""
    code = (
        "import sys, typing; before = set(sys.modules); import pipeline; "
        "assert set(sys.modules) - before == {'pipeline'}, set(sys.modules) - before; "
        "assert {'open_store', 'import_logs', 'plots', 'Store', 'Parameters'} <= set(dir(pipeline)); "
        "pipeline.open_store; assert 'pandas' not in sys.modules and 'matplotlib' not in sys.modules; "
        "assert callable(pipeline.plots.to_svg)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=os.environ | {"PYTHONPATH": str(ROOT)}, timeout=60)


def test_unknown_attribute():
    """A name that is not of the face is an AttributeError, as of any module."""
    with pytest.raises(AttributeError, match="has no attribute 'open_stores'"):
        _ = pipeline.open_stores


def test_mart_is_the_table(store):
    """A table comes whole as a DataFrame, by its name with or without the schema, core and marts alike."""
    frame = store.mart("error_codes")
    assert isinstance(frame, pd.DataFrame)
    assert {"CACHE_STALE", "BUSY", "LOCKED"} == set(frame["error_code"])
    pd.testing.assert_frame_equal(frame, store.mart("marts.error_codes"))
    assert len(store.mart("core.attempts")) == 8
    assert {"core.attempts", "core.closed_loops", "marts.error_codes"} <= set(store.tables())


def test_unknown_table_names_a_near_one(store):
    """A typo is told with the nearest name; an internal table is no public one."""
    with pytest.raises(LookupError, match="did you mean 'error_codes'"):
        store.mart("eror_codes")
    with pytest.raises(LookupError, match=r"no table 'core\.episode_attempts'"):
        store.mart("core.episode_attempts")


def test_sql_takes_parameters(store):
    """A query returns its rows, with positional or named parameters, and cannot write."""
    counted = "select count(*) as n from core.attempts where status = {}"
    assert [4] == store.sql(counted.format("?"), ["error"])["n"].to_list()
    assert [4] == store.sql(counted.format("$status"), {"status": "error"})["n"].to_list()
    with pytest.raises(Exception, match="read-only"):
        store.sql("delete from raw.events")


def test_report_is_the_report(store):
    """The report as plain data counts what the tables hold, and can be written as JSON."""
    report = store.report()
    assert report["summary"]["attempts"] == len(store.mart("attempts"))
    assert {code["error_code"] for code in report["codes"]} == set(store.mart("error_codes")["error_code"])
    assert json.loads(json.dumps(report)) == report


def test_stale_tables_are_built(log, tmp_path):
    """A store that was filled but not built answers; one that is current is not written again."""
    path = tmp_path / "filled.duckdb"
    ingest.import_paths(path, [log])
    with connect(path) as connection:
        assert cell(connection, "select built is null from meta.store")

    store = pipeline.open_store(path)

    assert len(store.mart("attempts")) == 8
    stamp = path.stat().st_mtime_ns
    pipeline.open_store(path)
    assert path.stat().st_mtime_ns == stamp


def test_parameters_build_other_tables(store):
    """The tables are built with the parameters they are asked for, and the report states them."""
    strict = pipeline.open_store(store.path, parameters=pipeline.Parameters(maturity_occurrences=1))
    assert not strict.mart("error_codes")["is_provisional"].any()
    assert strict.report()["parameters"]["maturity_occurrences"] == 1
    assert pipeline.open_store(store.path).mart("error_codes")["is_provisional"].all()


def test_import_reads_only_what_is_new(log, store):
    """Importing again, a copy of it too, adds nothing; a log that grew adds its new lines."""
    assert len(store.mart("attempts")) == 8
    store = pipeline.import_logs(log, store=store.path)
    before = store.mart("attempts")
    assert len(before) == 8
    pd.testing.assert_frame_equal(before, pipeline.import_logs(log, store=store.path).mart("attempts"))
    with log.open("a", encoding="utf-8") as file:
        file.write("\n" + call("new", 1, PULL))
    assert len(pipeline.import_logs(log, store=store.path).mart("attempts")) == len(before) + 1


def test_holds_no_lock(store):
    """Between two questions another writer gets the store at once."""
    frame = store.mart("attempts")
    with connect(store.path, write=True, wait_seconds=0) as connection:
        assert cell(connection, "select count(*) from core.attempts") == len(frame)


@contextmanager
def powerless():
    """Let the block run as a user who may write nothing of this one."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_unwritable_store_answers_from_its_last_build(store):
    """Tables that cannot be built again are used as they are, with a warning; without any, it is an error."""
    with connect(store.path, write=True) as connection:
        connection.execute("update meta.store set content = content + 1")
    with TemporaryDirectory() as name:
        path = Path(shutil.copy(store.path, name))
        path.chmod(0o444)
        path.parent.chmod(0o555)
        with powerless(), pytest.warns(UserWarning, match="cannot be written"):
            opened = pipeline.open_store(path)
        assert len(opened.mart("attempts")) == 8
        path.parent.chmod(0o755)


def test_unwritable_store_without_tables(log):
    """A store that was never built and cannot be written has no answers."""
    with TemporaryDirectory() as name:
        path = Path(name) / "filled.duckdb"
        ingest.import_paths(path, [log])
        path.chmod(0o444)
        path.parent.chmod(0o555)
        with powerless(), pytest.raises(RecoupError) as caught:
            pipeline.open_store(path)
        path.parent.chmod(0o755)
    assert caught.value.entry.code == "STORE_UNWRITABLE"


def test_missing_store(tmp_path):
    """A store that is not there is our error with its code."""
    with pytest.raises(RecoupError) as caught:
        pipeline.open_store(tmp_path / "none.duckdb")
    assert caught.value.entry.code == "STORE_NOT_FOUND"


def test_default_path(log, tmp_path, monkeypatch):
    """Without a path it is `$RECOUP_STORE`, and without that `recoup.duckdb` in the working folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RECOUP_STORE", raising=False)
    assert pipeline.import_logs(log).path == Path("recoup.duckdb") == face.default_path()
    monkeypatch.setenv("RECOUP_STORE", str(tmp_path / "other.duckdb"))
    assert pipeline.import_logs(log).path == tmp_path / "other.duckdb" == pipeline.open_store().path


def test_timelines(store):
    """An episode is told call by call: fixes by name, one that failed at its end; a wait is part of the delay."""
    episodes = store.mart("episodes")
    episodes = episodes[episodes["origin_code"] != "LOCKED"].set_index("session_id")["episode_id"]

    told = store.timelines(episodes["fails"], episodes["early"], episodes["helps"])

    assert told["session_id"].drop_duplicates().to_list() == ["fails", "early", "helps"]
    roles = told.groupby("session_id", sort=False)["role"].agg(list).to_dict()
    assert roles == {
        "fails": ["failure", "fix"],
        "early": ["failure", "success"],
        "helps": ["failure", "fix", "success"],
    }
    early = told[told["session_id"] == "early"].iloc[1]
    assert (early["delay_ms"], early["retry_after_ms"]) == (10_600, 60_000)
    assert told[told["session_id"] == "fails"]["status"].to_list() == ["error", "error"]
    assert len(store.timelines()) == 0
