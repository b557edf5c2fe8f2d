import pytest

from pipeline.cli import compare, watch
from pipeline.cli.main import program, run

from .conftest import Ran

APP = program("Some commands of `analyze`.", "")
compare.register(APP)
watch.register(APP)


@pytest.fixture
def call(capfd):
    """Return a function that runs a command, stdout and stderr being no terminals."""

    def run_it(*arguments):
        capfd.readouterr()
        exit_code = run(APP, "analyze", [str(argument) for argument in arguments])
        return Ran(exit_code, *capfd.readouterr())

    return run_it


def test_watch_prints_what_is_proven(call, store):
    """A young store proves nothing, for people and as an envelope."""
    assert call("watch", "--store", store).out.startswith("Nothing is proven yet over ")
    assert call("watch", "--store", store, "--json").envelope["data"]["alarms"] == []


def test_compare_of_unknown_names_is_a_coded_failure(call, store):
    """What the store does not know is said with what it knows."""
    ran = call("compare", "1.0", "2.0", "--store", store, "--json")

    assert (ran.exit_code, ran.error["code"]) == (5, "SUBJECT_NOT_FOUND")
    assert set(ran.error["context"]["known"]) == {"version", "model", "agent", "client"}


def test_power_of_an_unknown_code_is_a_coded_failure(call, store):
    """A code without a fair reissue has no rate to start from."""
    ran = call("power", "--code", "NONE_SUCH", "--store", store, "--json")

    assert (ran.exit_code, ran.error["code"]) == (5, "SUBJECT_NOT_FOUND")
