import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collectors.conventions import COLUMNS, FIELDS
from collectors.events import Event, Reject
from pipeline.raw import FileState, append_events, append_rejects, file_states, save_file_states, to_arrow
from pipeline.store import cell, open_store, records

VALUES = {"string": "text é\n", "int": -(2**63), "bool": False, "strings": ("a", "b"), "ints": (1, 2)}


@pytest.fixture
def store(tmp_path):
    """Return a store open for writing."""
    with open_store(tmp_path / "store.duckdb", write=True) as connection:
        yield connection


def event(number, **slots):
    """Return an event that differs from others by its number."""
    return Event(event_name="recoup.call", uid=f"c:{number}", session_id="s", position=number, **slots)


def content(connection):
    """Return the number that changes with the raw layer."""
    return cell(connection, "select content from meta.store")


def test_every_slot_is_a_column(store):
    """An event comes back from the store with every slot as it went in."""
    append_events(store, [Event(**{field.name: VALUES[field.kind] for field in FIELDS})])

    [row] = records(store, f"select {', '.join(COLUMNS)} from raw.events")

    assert {field.name: VALUES[field.kind] for field in FIELDS} == {
        name: tuple(value) if isinstance(value, list) else value for name, value in row.items()
    }


def test_a_value_no_column_can_hold_costs_that_value(store):
    """Half a surrogate pair is replaced and a number beyond 64 bits is null; the rest of the batch is kept."""
    odd = event(1, message="a\ud83db", flags=("\udc00",), retry_after_ms=10**30, benign_exits=(2**63, 1), tokens=5)

    assert 2 == append_events(store, [odd, event(2, message="whole \U0001f600", retry_after_ms=7)])

    assert [
        ("a\ufffdb", ["\ufffd"], None, [None, 1], 5),
        ("whole \U0001f600", None, 7, None, None),
    ] == store.execute(
        "select message, flags, retry_after_ms, benign_exits, tokens from raw.events order by position"
    ).fetchall()


def test_absent_is_not_false(store):
    """A slot that was not stated is null."""
    append_events(store, [event(1), event(2, retryable=False)])

    assert [(None,), (False,)] == store.execute("select retryable from raw.events order by position").fetchall()


def test_repetition_adds_nothing(store):
    """An event shipped again is not added, in the same batch or a later one, and the content does not change."""
    assert 2 == append_events(store, [event(1), event(2), event(1)])
    before = content(store)

    assert 0 == append_events(store, [event(2), event(1)])
    assert before == content(store)
    assert 1 == append_events(store, [event(2), event(3)])
    assert before < content(store)


def test_a_copy_elsewhere_is_kept(store):
    """The same call told in another place or with another word is another event; the models join them by uid."""
    assert 3 == append_events(store, [event(1, path="a"), event(1, path="b"), event(1, path="b", command="x")])


def test_no_events_touch_nothing(store):
    """An empty batch is no change."""
    before = content(store)

    assert 0 == append_events(store, [])
    assert before == content(store)


@settings(max_examples=25, deadline=None)
@given(batches=st.lists(st.lists(st.integers(0, 12), max_size=12), max_size=5))
def test_any_shipping_gives_the_same_events(tmp_path_factory, batches):
    """However events are split, ordered and repeated, each is held once."""
    with open_store(tmp_path_factory.mktemp("raw") / "store.duckdb", write=True) as connection:
        added = sum(append_events(connection, [event(number) for number in batch]) for batch in batches)

        held = connection.execute("select position from raw.events order by position").fetchall()

    expected = sorted({number for batch in batches for number in batch})
    assert expected == [number for (number,) in held]
    assert len(expected) == added


def test_rejects_are_kept_once(store):
    """The same reject twice is one row; another reason at the same place is another."""
    reject = Reject(path="a", position=3, reason="not_json", excerpt="{")

    assert 1 == append_rejects(store, [reject, reject])
    assert 1 == append_rejects(store, [reject, Reject(path="a", position=3, reason="too_large")])
    assert 0 == append_rejects(store, [])
    assert [("not_json",), ("too_large",)] == store.execute("select reason from raw.rejects order by reason").fetchall()


def test_file_states_are_replaced(store):
    """What is known of a file is the last that was saved, skipped kinds included; others stay."""
    save_file_states(
        store, [FileState(path="a", read_bytes=1, skipped={"x": 1, "y": 2}), FileState(path="b", is_torn=True)]
    )
    last = FileState(path="a", format="f", read_bytes=2, is_complete=True, skipped={"z": 3})

    save_file_states(store, [last])

    assert {"a": last, "b": FileState(path="b", is_torn=True)} == file_states(store)
    assert {"a": last} == file_states(store, ["a", "c"])


def test_columns_have_the_types_of_the_store(store):
    """A batch has the columns of the conventions in their order, also where all values are missing."""
    table = to_arrow([event(1)])

    assert list(COLUMNS) == table.column_names
    append_events(store, [event(1)])
    assert {"BIGINT", "VARCHAR", "BOOLEAN", "VARCHAR[]", "BIGINT[]"} <= {
        kind
        for _, kind in store.execute(
            "select column_name, data_type from duckdb_columns() where table_name = 'events'"
        ).fetchall()
    }
