import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from collectors.events import Reject
from pipeline import raw
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters
from pipeline.raw import FileState
from pipeline.report import content
from pipeline.report.json import render
from pipeline.report.summary import OUTCOMES
from pipeline.statistics import interval, session_interval

DOCS = Path(__file__).parents[3] / "docs"
HOSTILE = "\x1b[31mCODE[bold]\u202e"
SCHEMA = json.loads((DOCS / "report.schema.json").read_text(encoding="utf-8"))


def known(schema, defs=SCHEMA["$defs"]):
    """Return the properties of a schema, those of what it refers to included."""
    found = dict(schema.get("properties", {}))
    for part in (*schema.get("allOf", ()), *([schema["$ref"]] if "$ref" in schema else ())):
        found |= known(defs[part.rsplit("/", 1)[1]] if isinstance(part, str) else part)
    return found


def undescribed(value, schema, path=""):
    """Yield the places of a report that its schema does not name."""
    if isinstance(value, list):
        items = schema.get("items", {})
        for item in value:
            yield from undescribed(item, items, f"{path}[]")
    elif isinstance(value, dict) and "additionalProperties" not in schema:
        properties = known(schema)
        for key, item in value.items():
            if key in properties:
                yield from undescribed(item, properties[key], f"{path}.{key}")
            else:
                yield f"{path}.{key}"


@pytest.fixture(scope="module")
def told(make_world, report_of):
    """The report over a world in which each tool tells one story, whole or of one tool."""
    world = make_world()
    session = world.session().ok("thrice a").fail("thrice b", "BUSY").fail("thrice b", "BUSY").ok("thrice b")
    session.fail("thrice c", "LOST").end()
    world.session().fail("open a", "BUSY").ok("open a").end()
    world.session().fail("open a", "LOST").ok("open b").end()
    for _ in range(12):
        world.session().fail("final a", "DENIED", retryable=False, exit_code=7).ok("final b").end()
    world.session().fail("final a", "BUSY", retryable=True).ok("final a").end()
    world.session().fail("hostile a", HOSTILE).end()
    world.session().fail("twice a", "BUSY").ok("twice a").end()
    for event in world.events[-5:-3]:
        copy = type(event)(**{name: getattr(event, name) for name in event.__struct_fields__})
        copy.path = "logs/fork.jsonl"
        world.events.append(copy)
    world.session().fail("open a", "CUT")
    raw.append_rejects(
        world.connection,
        [
            Reject(path="logs/s001.jsonl", position=1, reason="bad_value", excerpt=""),
            Reject(path="logs/s001.jsonl", position=99, reason="not_json", excerpt="{"),
        ],
    )
    state = FileState(
        path="logs/s001.jsonl",
        format="made_up",
        record_count=9,
        repaired_count=2,
        is_torn=True,
        skipped={"progress": 3},
    )
    raw.save_file_states(world.connection, [state, FileState(path="logs/picture.png")])
    world.build()

    return lambda **chosen: report_of(world, **chosen)


def test_the_schema_is_one():
    """The schema itself is valid JSON Schema 2020-12."""
    Draft202012Validator.check_schema(SCHEMA)


def test_a_report_is_as_its_schema_says(busy_report, told):
    """Reports over many stories validate, and hold no field that the schema leaves out."""
    for built in (busy_report, told(), told(tool="final")):
        found = json.loads(render(built))

        Draft202012Validator(SCHEMA).validate(found)
        assert list(undescribed(found, SCHEMA)) == []


def test_a_report_over_nothing_is_one(void_report):
    """An empty store gives a valid report: zero counts, no rates, no findings."""
    nothing = {"k": 0, "n": 0, "value": None, "lower": None, "upper": None, "sessions": 0, "weighting": "attempt"}

    Draft202012Validator(SCHEMA).validate(void_report)
    assert void_report["summary"]["error_rate"] == nothing
    assert (void_report["codes"], void_report["findings"], void_report["summary"]["attempts"]) == ([], [], 0)


def test_every_field_is_explained():
    """Each field of the schema has its row in docs/report.md, with the schema's own words."""
    page = (DOCS / "report.md").read_text(encoding="utf-8")
    sections = [SCHEMA, *SCHEMA["$defs"].values()]
    sections += [SCHEMA["properties"][name] for name in ("parameters", "coverage", "summary")]

    for section in sections:
        for name, field in known(section).items():
            assert f"`{name}` |" in page, name
            assert field.get("description", "") in page, name


def test_the_parameters_are_stated(void):
    """Every bracketed value of the definitions stands in the report, as it was used."""
    stated = content.build(void.connection, Parameters(tau_low=0.1))["parameters"]

    assert stated["tau_low"] == 0.1
    assert {name: stated[name] for name in ("tool", "since", "until")} == {"tool": None, "since": None, "until": None}


def test_rates_are_those_of_the_statistics(busy, busy_report):
    """SQL's intervals are the library's, by attempt and by session."""
    rows = busy.connection.execute("select error_count, ok_count + error_count from marts.session_summaries")
    failed, scored = zip(*rows.fetchall(), strict=True)

    for name, oracle in (("error_rate", interval), ("error_rate_by_session", session_interval)):
        expected, rate = oracle(failed, scored), busy_report["summary"][name]
        assert (rate["k"], rate["n"]) == (expected.k, expected.n)
        assert [rate[bound] for bound in ("lower", "value", "upper")] == pytest.approx(
            [expected.lower, expected.rate, expected.upper], abs=1e-9
        )


def test_success_has_three_columns(told):
    """First attempt, any attempt and final success differ as soon as something is repeated."""
    summary = told(tool="thrice")["summary"]
    shares = {name: (rate["k"], rate["n"]) for name, rate in summary.items() if name.endswith("_success")}

    assert shares == {"first_attempt_success": (1, 3), "attempt_success": (2, 5), "final_success": (2, 3)}


def test_what_is_still_open_has_two_bounds(told):
    """A censored episode is in no rate, and in both bounds."""
    recovery = told(tool="open")["summary"]["recovery_rate"]

    assert (recovery["k"], recovery["n"], recovery["value"]) == (1, 2, 0.5)
    assert (recovery["if_censored_lost"], recovery["if_censored_recovered"]) == (1 / 3, 2 / 3)


def test_outcomes_add_up(busy_report):
    """Every episode has one of the eight outcomes."""
    summary = busy_report["summary"]

    assert tuple(summary["outcomes"]) == OUTCOMES
    assert sum(summary["outcomes"].values()) == summary["episodes"] > 0


def test_the_index_is_blank_where_little_could_recover(told):
    """Below ten legs that could recover, REI is null and its parts are shown."""
    rei = told(tool="final")["summary"]["rei"]

    assert (rei["value"], rei["re"], rei["se"], rei["n_re"], rei["n_se"]) == (None, 1.0, 1.0, 1, 12)
    assert rei["terminal_share"] == 12 / 13


def test_a_tool_is_chosen(busy, busy_report, report_of):
    """With a tool, summary, codes and findings are its own, and coverage is the whole store's."""
    chosen = report_of(busy, tool="make")

    assert chosen["summary"]["errors"] == 6
    assert {finding["tool"] for finding in chosen["findings"]} == {"make"}
    assert chosen["codes"] == []
    assert chosen["coverage"] == busy_report["coverage"]
    assert chosen["parameters"]["tool"] == "make"


def test_the_sum_of_tools_is_the_whole(told):
    """Errors, episodes and cost of all tools add up to the summary over all."""
    whole = told()["summary"]
    parts = [told(tool=row["tool"])["summary"] for row in whole["maturity"]["tools"]]

    assert len(parts) == 5
    assert sum(part["errors"] for part in parts) == whole["errors"]
    assert sum(part["episodes"] for part in parts) == whole["episodes"]
    assert sum(part["waste"]["tokens"] for part in parts) == whole["waste"]["tokens"]


def test_an_unknown_tool_is_an_error_that_names_the_known(told):
    """A typo in a tool's name fails with the tools there are."""
    with pytest.raises(RecoupError, match="no attempt of a tool named 'fnal'") as caught:
        told(tool="fnal")

    assert caught.value.entry.code == "SUBJECT_NOT_FOUND"
    assert "final" in caught.value.context["known"]


def test_nothing_disappears_from_coverage(told):
    """Files, records, rejects, repairs and skipped records are counted; what a reject left behind is not lost."""
    coverage = told()["coverage"]
    names = ("files", "unrecognised_files", "torn_files", "records", "repaired", "non_call_records")

    assert [coverage[name] for name in names] == [1, 1, 1, 9, 2, 3]
    assert (coverage["rejects"], coverage["salvaged"], coverage["lost"]) == (2, 1, 1)
    assert coverage["rejects_by_reason"] == {"bad_value": 1, "not_json": 1}
    assert sum(coverage["attempts_by_status"].values()) == told()["summary"]["attempts"]


def test_a_call_told_twice_is_a_duplicate(told):
    """The copy of a call in a second file is counted, and the call once."""
    found = told(tool="twice")

    assert found["coverage"]["duplicates"] == 2
    assert found["summary"]["attempts"] == 2


def test_text_of_logs_is_raw(told):
    """The report holds hostile text as it was: what shows it, escapes it."""
    found = told(tool="hostile")

    assert found["codes"][0]["error_code"] == HOSTILE
    assert any(HOSTILE in finding["sentence"] for finding in found["findings"])


def test_a_report_changes_nothing(busy, busy_report, report_of):
    """Two builds over one store are equal, and leave it as it was."""
    tables = "select table_schema, table_name from information_schema.tables order by all"
    before = busy.connection.execute(tables).fetchall()

    assert report_of(busy) == busy_report
    assert busy.connection.execute(tables).fetchall() == before
