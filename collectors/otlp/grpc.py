"""OTLP over gRPC: the three export services, on raw bytes, so that a request is parsed once.

Source: opentelemetry-proto 1.11, docs/specification.md, "OTLP/gRPC": UNAVAILABLE with a RetryInfo
asks to send again, INVALID_ARGUMENT says that the data is bad, RESOURCE_EXHAUSTED that it is too large.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import grpc

from collectors.otlp import answers
from collectors.otlp.model import MalformedError, Signal
from collectors.otlp.receive import RETRY_SECONDS, Receiver
from collectors.otlp.spool import FullError

if TYPE_CHECKING:
    from collections.abc import Sequence

_SERVICES: dict[str, Signal] = {
    "opentelemetry.proto.collector.logs.v1.LogsService": "logs",
    "opentelemetry.proto.collector.trace.v1.TraceService": "traces",
    "opentelemetry.proto.collector.metrics.v1.MetricsService": "metrics",
}
_WORKERS = 16
_WAIT_SECONDS = 8
"""For the disk; clients give up after 10 s, retries included."""


def build_server(receiver: Receiver, address: str, *, tls: "tuple[bytes, bytes] | None" = None) -> grpc.Server:
    """Return a server that listens on `address` (`host:port`) once it is started.

    Args:
        receiver: Where the requests go.
        address: Port 0 takes a free one.
        tls: A certificate chain and its private key, in PEM.

    Raises:
        OSError: the address cannot be listened on.
    """
    server = grpc.server(
        ThreadPoolExecutor(_WORKERS, thread_name_prefix="grpc"),
        options=[
            ("grpc.max_receive_message_length", receiver.limit),
            ("grpc.so_reuseport", 0),
        ],
    )
    for service, signal in _SERVICES.items():
        handler = grpc.unary_unary_rpc_method_handler(partial(_export, receiver, signal))
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"Export": handler}),))
    try:
        if tls is None:
            server.add_insecure_port(address)
        else:
            server.add_secure_port(address, grpc.ssl_server_credentials([(tls[1], tls[0])]))
    except RuntimeError as fault:
        raise OSError(str(fault)) from fault
    return server


def _export(receiver: Receiver, signal: Signal, body: bytes, context: grpc.ServicerContext) -> bytes:
    if not receiver.is_allowed(_authorization(context.invocation_metadata())):
        return _refuse(receiver, signal, context, grpc.StatusCode.UNAUTHENTICATED, "a bearer token is needed")
    written: Future[Exception | None] = Future()
    try:
        checked = receiver.take(body, signal=signal, encoding="protobuf", done=written.set_result)
        fault = written.result(_WAIT_SECONDS)
        if fault is not None:
            raise fault
    except MalformedError as malformed:
        return _refuse(receiver, signal, context, grpc.StatusCode.INVALID_ARGUMENT, str(malformed))
    except (FullError, TimeoutError) as full:
        message = str(full) or "the disk did not answer"
        details = answers.status_with_retry(answers.UNAVAILABLE, message, RETRY_SECONDS)
        context.set_trailing_metadata((("grpc-status-details-bin", details),))
        return _refuse(receiver, signal, context, grpc.StatusCode.UNAVAILABLE, message)
    receiver.counts.add("recoup_requests_total", transport="grpc", signal=signal, code="OK")
    return answers.export_response(checked, signal, "protobuf")


def _refuse(
    receiver: Receiver, signal: Signal, context: grpc.ServicerContext, code: grpc.StatusCode, message: str
) -> bytes:
    receiver.counts.add("recoup_requests_total", transport="grpc", signal=signal, code=code.name)
    context.set_code(code)
    context.set_details(message)
    return b""


def _authorization(metadata: "Sequence[tuple[str, str | bytes]]") -> bytes:
    value = next((value for key, value in metadata if key == "authorization"), b"")
    return value.encode() if isinstance(value, str) else value
