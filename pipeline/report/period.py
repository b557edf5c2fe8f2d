"""A report over a period: the models built again, in memory, over the sessions that began in it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pipeline import models
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NAME = "period"

_EVENTS = f"""
create table {_NAME}.raw.events as
with begun as (
    select session_id, min(time_unix_nano) as began_ns from raw.events group by session_id
)
select events.* from raw.events as events inner join begun using (session_id)
where began_ns >= coalesce($since, began_ns)
    and coalesce(began_ns < $until, began_ns is not null)
    and coalesce(events.time_unix_nano < $until, true)
"""


@contextmanager
def within(
    connection: "duckdb.DuckDBPyConnection", parameters: Parameters, since: datetime | None, until: datetime | None
) -> Iterator["duckdb.DuckDBPyConnection"]:
    """Give a connection whose core and marts cover the sessions that began at or after `since` and before `until`.

    What a session did at or after `until` is not read, so that an episode still open then is censored. A session
    without any stated time is in no period. Without bounds the connection itself is given.

    Args:
        connection: A store whose models are built; it may be read-only and is left as it is. What it has not committed
            is not seen.
        parameters: What to build the models with.
        since: UTC where it names no zone.
        until: UTC where it names no zone.
    """
    if since is None and until is None:
        yield connection
        return
    inside = connection.cursor()
    store = inside.execute("select current_database()").fetchone()
    inside.execute(f"attach ':memory:' as {_NAME} (read_write)")
    try:
        for schema in ("raw", "staging", "core", "marts", "meta"):
            inside.execute(f"create schema {_NAME}.{schema}")
        inside.execute(_EVENTS, {"since": _nanoseconds(since), "until": _nanoseconds(until)})
        # what the user said, and no event tells
        inside.execute(f"create table {_NAME}.meta.aliases as select * from meta.aliases")
        inside.execute(f"use {_NAME}")
        models.rebuild(inside, parameters)
        yield inside
    finally:
        # a database that is in use cannot be detached
        inside.execute(f'use "{store[0] if store else "memory"}"')
        inside.execute(f"detach {_NAME}")
        inside.close()


def _nanoseconds(moment: datetime | None) -> int | None:
    """Return nanoseconds since the Unix epoch, without the rounding of a float."""
    if moment is None:
        return None
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - _EPOCH) // timedelta(microseconds=1) * 1000
