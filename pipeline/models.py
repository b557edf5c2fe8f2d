"""The models: SQL files in the order they build on each other."""

from dataclasses import asdict
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from typing import TYPE_CHECKING

from pipeline.fits import FITS, write_quantiles
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

MODELS: tuple[str, ...] = (
    # one row in, one row out of what was shipped; copies of one call joined
    "staging.calls",
    "staging.results",
    "staging.turns",
    # the grains everything stands on
    "core.outcomes",
    "core.placements",
    "core.attempts",
    "core.next_steps",
    "core.corrections",
    "core.reissues",
    "core.episode_attempts",
    "core.episodes",
    "core.legs",
    "core.closed_loops",
    "core.decisions",
    "core.retry_chains",
    # what SQL cannot compute: `pipeline.fits` reads the models before and writes a table
    "core.retry_fits",
    "core.wait_looks",
    "core.wait_fits",
    "core.fix_trials",
    "core.fix_fits",
    "core.behaviours",
    "core.purity_fits",
    "core.versions",
    "core.session_counts",
    "core.strata_trials",
    "core.strata_fits",
    "core.live_trials",
    "core.live_fits",
    "core.recovery_times",
    "core.recovery_points",
    "core.recovery_fits",
    # what it cost
    "core.waste_steps",
    "core.waste_shares",
    "core.waste",
    # one question each
    "marts.misclassified_retryables",
    "marts.unsafe_transients",
    "marts.missing_fixes",
    "marts.hopeless_fixes",
    "marts.code_purity",
    "marts.error_codes",
    "marts.failed_closed_loops",
    "marts.false_successes",
    "marts.maturity_scores",
    "marts.fix_command_lint",
    "marts.uncoded_errors",
    "marts.attempt_statuses",
    "marts.session_summaries",
    "marts.fix_idempotency",
    "marts.failing_fixes",
    "marts.fix_effects",
    "marts.wasted_calls",
    "marts.waste",
    "marts.retry_after_calibration",
    "marts.code_stability",
    "marts.strata",
    "marts.selection",
    "marts.live_monitor",
    "marts.recovery_by",
    "marts.recovery_curves",
    # what the report's summary says
    "marts.totals",
    "marts.rates",
    "marts.episode_outcomes",
    "marts.recovery_effectiveness",
    "marts.recovery_efficiency",
    "marts.compliance",
    "marts.compliance_totals",
    "marts.compliance_outcomes",
    "marts.obedience",
)
"""Every model, in order of building. A model reads only models before it, `raw` and `meta`."""

_ADDITIONS = """
create or replace table meta.aliases (alias varchar, code varchar);
create or replace table meta.companions (tool varchar, program varchar);
create or replace table meta.destructive (command varchar);
"""
"""What the user says of the tools (`parameters.Additions`); empty where nobody said anything."""


def build(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> bool:
    """Build core and marts if the raw layer, the parameters or the models changed; return whether they were built.

    Needs a connection that may write. The tables are a pure function of `raw` and `parameters`: order, repetition
    and splitting of what was shipped leave no trace in them.
    """
    if is_current(connection, parameters):
        return False
    rebuild(connection, parameters)
    connection.execute(
        "update meta.store set built = content, built_with = ?",
        [fingerprint(parameters)],
    )
    return True


def is_current(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> bool:
    """Tell whether core and marts were built from what the raw layer holds now, with these parameters."""
    row = connection.execute("select built = content and built_with = ? from meta.store", [fingerprint(parameters)])
    return bool(row.fetchall()[0][0])


def rebuild(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    """Build every model from the raw layer, whatever the store thinks of them."""
    _write_parameters(connection, parameters)
    connection.execute(_macros())
    write_quantiles(connection)
    for name in MODELS:
        build_one(connection, name, parameters)


def build_one(connection: "duckdb.DuckDBPyConnection", name: str, parameters: Parameters) -> None:
    """Build one model from those before it."""
    if name in FITS:
        FITS[name](connection, parameters)
    else:
        connection.execute(f"create or replace table {name} as\n{_query(name)}")


def _write_parameters(connection: "duckdb.DuckDBPyConnection", parameters: Parameters) -> None:
    values = parameters.values()
    columns = ", ".join(f"? as {name}" for name in values)
    connection.execute(f"create or replace table meta.parameters as select {columns}", list(values.values()))
    connection.execute(_ADDITIONS)
    said = parameters.additions
    rows = {"aliases": said.aliases, "companions": said.companions, "destructive": [(one,) for one in said.destructive]}
    for table, given in rows.items():
        for row in given:
            connection.execute(f"insert into meta.{table} values ({', '.join('?' * len(row))})", row)


@cache
def _query(name: str) -> str:
    """Return the one SELECT of a model; `staging.calls` lies in `sql/staging/calls.sql`."""
    schema, _, table = name.partition(".")
    return files("pipeline").joinpath("sql", schema, f"{table}.sql").read_text(encoding="utf-8")


@cache
def _macros() -> str:
    return files("pipeline").joinpath("sql", "macros.sql").read_text(encoding="utf-8")


@cache
def _fits() -> str:
    """Return the code of what is computed in Python."""
    folders = (files("pipeline").joinpath(name) for name in ("fits", "statistics"))
    sources = sorted((file.name, file) for folder in folders for file in folder.iterdir() if file.name.endswith(".py"))
    return "".join(file.read_text(encoding="utf-8") for _, file in sources)


def fingerprint(parameters: Parameters) -> int:
    """Return a number that changes when any parameter, any model's SQL, or the code of any fit changes."""
    queries = "".join(_query(name) for name in MODELS if name not in FITS)
    text = repr(sorted(asdict(parameters).items())) + _macros() + queries + _fits()
    return int.from_bytes(blake2b(text.encode(), digest_size=7).digest(), "big")
