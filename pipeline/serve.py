"""`collector serve`: the receivers, the spool and the writer, from start to a stop that loses nothing."""

import asyncio
import contextlib
import ipaddress
import signal
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from collectors.otlp.bodies import DEFAULT_LIMIT
from collectors.otlp.receive import Receiver
from collectors.otlp.spool import DEFAULT_MAX_BYTES, Spool
from collectors.otlp.telemetry import exported
from pipeline.errors import RecoupError
from pipeline.store import open_store, spool_beside
from pipeline.writer import Writer

if TYPE_CHECKING:
    import grpc
    import uvicorn

HTTP_PORT, GRPC_PORT = 4318, 4317
_STOP_SECONDS = 10
_SHORTEST_TOKEN = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """Files in PEM."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Listening:
    """Where a collector listens."""

    http: str
    """URL."""
    grpc: str | None
    """`host:port`; None where gRPC is off."""


def serve(
    store: Path,
    *,
    host: str = "127.0.0.1",
    http_port: int = HTTP_PORT,
    grpc_port: int | None = GRPC_PORT,
    token: str | None = None,
    tls: Tls | None = None,
    spool: Path | None = None,
    max_body_bytes: int = DEFAULT_LIMIT,
    max_spool_bytes: int = DEFAULT_MAX_BYTES,
    on_ready: Callable[[Listening], None] = lambda listening: None,
) -> None:
    """Receive OTLP until SIGTERM or SIGINT, then finish what is under way, write everything and return.

    Args:
        store: The DuckDB file; created where missing.
        host: Address to listen on; a loopback one needs neither token nor TLS.
        http_port: Of OTLP/HTTP; 0 takes a free one.
        grpc_port: Of OTLP/gRPC; 0 takes a free one, None leaves it out.
        token: What senders must send as bearer token; 16 characters or more.
        tls: Certificate and key, for both protocols.
        spool: Folder where requests wait for the store; by default beside the store.
        max_body_bytes: Upper bound of a body, before and after decompression.
        max_spool_bytes: Upper bound of the spool; senders are told to wait while it is full.
        on_ready: Called once, when both ports are open.

    Raises:
        RecoupError: TOKEN_REQUIRED, TOKEN_UNREADABLE, ADDRESS_IN_USE or SPOOL_UNWRITABLE, and as `open_store`.
    """
    _check_access(host, token, tls)
    root = spool if spool is not None else spool_beside(store)
    _check_store(store)
    with _listening(host, http_port) as http_socket, _spool(root, max_spool_bytes) as spooled:
        receiver = Receiver(spool=spooled, token=token, limit=max_body_bytes)
        grpc_server, grpc_bound = _grpc(receiver, host, grpc_port, tls)
        writer = Writer(store, root, spooled, receiver.counts)
        try:
            port = http_socket.getsockname()[1]
            scheme = "https" if tls else "http"
            where = Listening(http=f"{scheme}://{_bracketed(host)}:{port}", grpc=grpc_bound)
            with exported(receiver.counts, writer.refresh):
                _run_http(receiver, writer, http_socket, tls, on_ready=lambda: on_ready(where))
        finally:
            if grpc_server is not None:
                grpc_server.stop(_STOP_SECONDS).wait()
            spooled.close()
            writer.close()


def _check_store(store: Path) -> None:
    """Tell now of a store that can never be used; one that is held for the moment only lets the spool grow."""
    try:
        with open_store(store, write=True, wait_seconds=0.5):
            pass
    except RecoupError as fault:
        if not fault.entry.retryable:
            raise


def _check_access(host: str, token: str | None, tls: Tls | None) -> None:
    if token is not None and len(token) < _SHORTEST_TOKEN:
        raise RecoupError("TOKEN_UNREADABLE", f"the token has fewer than {_SHORTEST_TOKEN} characters")
    for path in (tls.certificate, tls.key) if tls else ():
        if not path.is_file():
            raise RecoupError("TOKEN_UNREADABLE", f"there is no file {path}", context={"path": str(path)})
    if token is None and tls is None and not is_loopback(host):
        raise RecoupError(
            "TOKEN_REQUIRED", f"{host} is no loopback address, and there is no token", context={"host": host}
        )


def is_loopback(host: str) -> bool:
    """Tell whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as fault:
        bound.close()
        raise _in_use(host, port, fault) from fault
    with bound:
        yield bound


def _in_use(host: str, port: int, fault: OSError) -> RecoupError:
    reason = fault.strerror or str(fault)
    return RecoupError(
        "ADDRESS_IN_USE", f"cannot listen on {host}:{port}: {reason}", context={"host": host, "port": port}
    )


@contextlib.contextmanager
def _spool(root: Path, max_bytes: int) -> Iterator[Spool]:
    try:
        spooled = Spool(root, max_bytes=max_bytes)
    except OSError as fault:
        raise RecoupError(
            "SPOOL_UNWRITABLE", f"cannot write to {root}: {fault.strerror}", context={"spool": str(root)}
        ) from fault
    try:
        yield spooled
    finally:
        spooled.close()


def _grpc(receiver: Receiver, host: str, port: int | None, tls: Tls | None) -> "tuple[grpc.Server | None, str | None]":
    if port is None:
        return None, None
    from collectors.otlp.grpc import build_server

    # the library's own message about a taken port is of no use, so it is asked for beforehand
    with _listening(host, port) as probe:
        port = probe.getsockname()[1]
    address = f"{_bracketed(host)}:{port}"
    pem = (tls.certificate.read_bytes(), tls.key.read_bytes()) if tls else None
    try:
        server = build_server(receiver, address, tls=pem)
    except OSError as fault:
        raise _in_use(host, port, fault) from fault
    server.start()
    return server, address


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _run_http(
    receiver: Receiver, writer: Writer, bound: socket.socket, tls: Tls | None, *, on_ready: Callable[[], None]
) -> None:
    import uvicorn

    from collectors.otlp.http import application

    config = uvicorn.Config(
        application(receiver, refresh=writer.refresh),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_STOP_SECONDS,
        ssl_certfile=str(tls.certificate) if tls else None,
        ssl_keyfile=str(tls.key) if tls else None,
    )
    server = uvicorn.Server(config)
    # uvicorn raises the signal that ended it once more, for the handlers that were there before it
    previous = {number: signal.signal(number, server.handle_exit) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
            runner.run(_served(server, bound, on_ready))
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


async def _served(server: "uvicorn.Server", bound: socket.socket, on_ready: Callable[[], None]) -> None:
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        on_ready()
    await serving
