"""`analyze serve`: the page, live over a store that a collector fills.

Registered by `app.command("serve")(serve)`.
"""

from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.main import DEFAULT_STORE, Config, Store
from pipeline.errors import RecoupError
from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

_HOST = "127.0.0.1"
_LONGEST_TARGET = 4096
_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def serve(
    store: Store = DEFAULT_STORE,
    port: Annotated[int, typer.Option(help="Port on this machine; 0 takes a free one.", min=0, max=65535)] = 8318,
    config: Config = None,
) -> None:
    r"""Show the report in a browser of this machine, made anew whenever it is loaded; until stopped.

    \b
    Examples:
      analyze serve
      analyze serve --port 0 --store other.duckdb
    """
    from pipeline.config import load

    with server(store, port, load(config).parameters) as running:
        typer.echo(f"http://{_HOST}:{running.server_port}/")
        running.serve_forever()


def server(store: Path, port: int, parameters: Parameters) -> ThreadingHTTPServer:
    """Return a server that listens on the loopback interface only; it answers GET and changes nothing but the models.

    Raises:
        RecoupError: STORE_NOT_FOUND; ADDRESS_IN_USE.
    """
    if not store.exists():
        raise RecoupError("STORE_NOT_FOUND", f"there is no store at {store}", context={"store": str(store)})
    turn = Lock()  # one answer at a time: each may build the models

    class Handler(BaseHTTPRequestHandler):
        """One request."""

        def do_GET(self) -> None:
            """Answer, if the request names this machine: a foreign name may be a page that rebinds its own."""
            host = (self.headers.get("Host") or "").rpartition(":")[0] or self.headers.get("Host")
            if host not in (_HOST, "localhost") or len(self.path) > _LONGEST_TARGET:
                self.send_error(400)
                return
            with turn:
                _respond(self, store, parameters)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing: the terminal shows the address."""

    try:
        return ThreadingHTTPServer((_HOST, port), Handler)
    except OSError as fault:
        raise RecoupError(
            "ADDRESS_IN_USE", f"cannot listen on {_HOST}:{port}: {fault.strerror}", context={"port": port}
        ) from fault


def _respond(request: BaseHTTPRequestHandler, store: Path, parameters: Parameters) -> None:
    from pipeline.cli.opening import built_store
    from pipeline.report.live import answer

    def open_built() -> "AbstractContextManager[duckdb.DuckDBPyConnection]":
        return built_store(store, parameters)

    page = answer(request.path, open_built, parameters)
    body = page.body.encode("utf-8", "backslashreplace")
    request.send_response(page.status)
    for name, value in (_HEADERS | {"Content-Type": page.kind, "Content-Length": str(len(body))}).items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body)
