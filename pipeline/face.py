"""The face for notebooks: logs in, tables as pandas out; the store is opened for each question and let go again."""

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.errors import RecoupError
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import pandas as pd

CORE_TABLES = ("attempts", "reissues", "episodes", "legs", "closed_loops", "wait_looks")
"""The public tables of the schema `core`; every table of `marts` is public."""

_TIMELINES = """
with chosen as (
    select unnest($ids)::varchar as episode_id, unnest(range(len($ids))) as place
),
members as (
    select
        episode_attempts.episode_id,
        episode_attempts.attempt_id,
        attempts.attempt_number,
        attempts.true_ok,
        attempts.fix_key
    from core.episode_attempts
    inner join chosen using (episode_id)
    inner join core.attempts as attempts using (attempt_id)
),
spans as (
    select
        episode_id,
        min(attempt_number) as first_number,
        max(attempt_number) as last_number,
        coalesce(list(fix_key) filter (where fix_key is not null), []) as fix_keys
    from members
    group by episode_id
),
-- a fix that failed, or that nothing followed, stands behind the last failure
fixed as (
    select
        members.episode_id,
        max(fixes.attempt_number) as fix_number
    from members
    inner join core.closed_loops as loops on loops.failed_attempt_id = members.attempt_id
    inner join core.attempts as fixes on fixes.attempt_id = loops.fix_attempt_id
    group by members.episode_id
),
calls as (
    select
        chosen.place,
        spans.episode_id,
        row_number() over (partition by spans.episode_id order by attempts.attempt_number) as step,
        case
            when members.attempt_id is not null and attempts.true_ok then 'success'
            when members.attempt_id is not null then 'failure'
            when list_contains(spans.fix_keys, attempts.argv_key) then 'fix'
            else 'other'
        end as role,
        attempts.*
    from spans
    inner join chosen using (episode_id)
    inner join core.attempts as heads on heads.attempt_id = spans.episode_id
    left join fixed on fixed.episode_id = spans.episode_id
    inner join core.attempts as attempts
        on attempts.session_id = heads.session_id
        and attempts.actor_id = heads.actor_id
        and attempts.attempt_number between spans.first_number and greatest(spans.last_number, fixed.fix_number)
        and not attempts.is_wait
    left join members on members.attempt_id = attempts.attempt_id and members.episode_id = spans.episode_id
)
select
    calls.episode_id,
    calls.step,
    calls.role,
    calls.attempt_id,
    calls.session_id,
    calls.actor_id,
    calls.tool,
    calls.command,
    calls.status,
    calls.error_code,
    calls.message,
    calls.fix_command,
    calls.started_at,
    calls.started_ms - lag(calls.ended_ms) over before as delay_ms,
    lag(calls.retry_after_ms) over before as retry_after_ms,
    episodes.origin_code,
    episodes.outcome
from calls
inner join core.episodes as episodes using (episode_id)
window before as (partition by calls.episode_id order by calls.step)
order by calls.place, calls.step
"""


def default_path() -> Path:
    """Return `$RECOUP_STORE`, else `./recoup.duckdb`."""
    return Path(os.environ.get("RECOUP_STORE") or "recoup.duckdb")


@dataclass(frozen=True, slots=True)
class Store:
    """A store to ask; made by `open_store` or `import_logs`. It holds no lock between two questions."""

    path: Path
    parameters: Parameters

    def sql(self, query: str, parameters: Sequence[object] | dict[str, object] = ()) -> "pd.DataFrame":
        """Return the rows of a query that reads.

        Args:
            query: SQL of DuckDB, with `?` or `$name` for the parameters.
            parameters: Their values.

        Raises:
            duckdb.Error: the query cannot be run.
            RecoupError: what opening a store raises.
        """
        from pipeline.store import open_store as connect

        with connect(self.path) as connection:
            return connection.execute(query, parameters).df()

    def mart(self, name: str) -> "pd.DataFrame":
        """Return a public table, whole: one of `tables()`, with or without its schema.

        Raises:
            LookupError: no public table has this name.
        """
        tables = self.tables()
        chosen = next((table for table in tables if name in (table, table.partition(".")[2])), None)
        if chosen is None:
            near = get_close_matches(name, [*tables, *(table.partition(".")[2] for table in tables)], n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise LookupError(f"no table {name!r}{hint} There are: {', '.join(tables)}")
        return self.sql(f"from {chosen} order by all")

    def tables(self) -> list[str]:
        """Return the names of the public tables: `core.attempts`, ..., `marts.error_codes`, ..."""
        held = self.sql("select table_name from duckdb_tables() where schema_name = 'marts' order by table_name")
        return [f"core.{name}" for name in CORE_TABLES] + [f"marts.{name}" for name in held["table_name"]]

    def timelines(self, *episode_ids: str) -> "pd.DataFrame":
        """Return what the agent did in these episodes: one row per call from the first failure to the end.

        Columns: episode_id, step (1 is the first failure), role (failure, success, fix, other), attempt_id, session_id,
        actor_id, tool, command, status, error_code, message, fix_command, started_at, delay_ms (since the end of the
        call before; calls that only wait are part of it), retry_after_ms (declared by the call before), origin_code,
        outcome. Ordered as the episodes are given.
        """
        return self.sql(_TIMELINES, {"ids": list(episode_ids)})

    def report(self) -> dict[str, Any]:
        """Return the report as plain data, as `analyze report --format json` prints it."""
        from pipeline.report.content import build
        from pipeline.store import open_store as connect

        with connect(self.path) as connection:
            return build(connection, self.parameters)


def open_store(path: str | Path | None = None, *, parameters: Parameters | None = None) -> Store:
    """Return the store at `path`, its tables built from what it holds now and with these parameters.

    Where the tables are older and the store cannot be written, they are used as they are, with a warning.

    Args:
        path: The store's file; None for `$RECOUP_STORE`, else `./recoup.duckdb`.
        parameters: The configured values of the definitions; None for those of the configuration file.

    Raises:
        RecoupError: STORE_NOT_FOUND, STORE_LOCKED, STORE_FOREIGN, STORE_DAMAGED, STORE_NEWER; STORE_UNWRITABLE where
            the tables were never built.
    """
    from pipeline import models
    from pipeline.config import load
    from pipeline.store import cell
    from pipeline.store import open_store as connect

    store = Store(default_path() if path is None else Path(path), parameters or load().parameters)
    with connect(store.path) as connection:
        if models.is_current(connection, store.parameters):
            return store
        is_built = cell(connection, "select built is not null from meta.store")
    try:
        with connect(store.path, write=True) as connection:
            models.build(connection, store.parameters)
    except RecoupError as fault:
        if fault.entry.code != "STORE_UNWRITABLE" or not is_built:
            raise
        warnings.warn("the store cannot be written: its tables are those of an earlier build", stacklevel=2)
    return store


def import_logs(*paths: str | Path, store: str | Path | None = None, parameters: Parameters | None = None) -> Store:
    """Import files and folders, build the tables and return the store; what was read before is not read again.

    Args:
        paths: What to read; the format is recognised by content.
        store: The store's file, created where it is missing; None for `$RECOUP_STORE`, else `./recoup.duckdb`.
        parameters: The configured values of the definitions; None for those of the configuration file.

    Raises:
        RecoupError: what importing and opening raise.
    """
    from pipeline.config import load
    from pipeline.ingest import import_paths

    path = default_path() if store is None else Path(store)
    import_paths(path, list(paths), rules=load().rules)
    return open_store(path, parameters=parameters)
