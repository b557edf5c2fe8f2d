"""`analyze serve`: the report over a store that may be filled meanwhile."""

import json
import threading
from http.client import HTTPConnection

import pytest

from pipeline.cli import live
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters

from .conftest import failed_line


@pytest.fixture
def ask(store):
    """Return a function that asks a running server and returns status, headers and text."""
    running = live.server(store, 0, Parameters())
    thread = threading.Thread(target=running.serve_forever)
    thread.start()

    def call(target, method="GET", **headers):
        connection = HTTPConnection("127.0.0.1", running.server_port, timeout=60)
        connection.request(method, target, headers=headers)
        response = connection.getresponse()
        answer = response.status, dict(response.getheaders()), response.read().decode()
        connection.close()
        return answer

    yield call
    running.shutdown()
    thread.join()
    running.server_close()


def test_the_page_with_links(ask):
    """The root is the page of the report; its codes lead to pages that explain them, its sessions to theirs."""
    status, headers, text = ask("/")

    assert (200, "no-store", "nosniff") == (status, headers["Cache-Control"], headers["X-Content-Type-Options"])
    assert '<a href="/code/RATE_LIMITED">' in text
    status, _, text = ask("/code/RATE_LIMITED")
    assert 200 == status
    assert "RATE_LIMITED" in text


def test_a_session(ask):
    """A session's page lists its attempts; the page of the report is where to come from."""
    report = json.loads(ask("/report.json")[2])
    assert ["RATE_LIMITED"] == [one["error_code"] for one in report["codes"]]
    target = ask("/")[2].partition('href="/session/')[2].partition('"')[0]

    status, _, text = ask(f"/session/{target}")
    assert 200 == status
    assert "RATE_LIMITED" in text


@pytest.mark.parametrize("target", ["/nothing", "/code/NOPE", "/session/%00%ff", "/code/../../etc", "/code/<script>x"])
def test_what_is_not_there(ask, target):
    """An unknown address is a 404 whose text runs nothing."""
    status, _, text = ask(target.replace("<", "%3C"))

    assert 404 == status
    assert "<script>" not in text


def test_only_for_this_machine_and_only_to_read(ask):
    """A request under a foreign name is refused, as is any method but GET."""
    assert 400 == ask("/", Host="evil.example")[0]
    assert 501 == ask("/", method="POST")[0]


def test_a_reload_shows_what_came_meanwhile(ask, run, tmp_path):
    """What a collector adds between two loads is in the second: the server holds no lock on the store."""
    before = json.loads(ask("/report.json")[2])["summary"]["attempts"]
    (tmp_path / "more.log").write_text(failed_line(0, session="s9"))
    assert 0 == run("collector", "import", "more.log").exit_code

    assert before < json.loads(ask("/report.json")[2])["summary"]["attempts"]


def test_no_store(tmp_path):
    """Without a store it does not start."""
    with pytest.raises(RecoupError, match="there is no store"):
        live.server(tmp_path / "none.duckdb", 0, Parameters())


def test_a_taken_port(store):
    """A port in use is named."""
    first = live.server(store, 0, Parameters())
    with first, pytest.raises(RecoupError, match="cannot listen"):
        live.server(store, first.server_port, Parameters())
