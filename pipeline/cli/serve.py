"""`collector serve`: its options, and what it says when it is ready.

Registered by `app.command("serve")(serve)`.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.cli.main import DEFAULT_STORE, Store
from pipeline.errors import RecoupError

if TYPE_CHECKING:
    from pipeline.serve import Listening, Tls

TOKEN_VARIABLE = "RECOUP_TOKEN"  # its name, not a token
_MEBIBYTE = 1 << 20


def serve(
    store: Store = DEFAULT_STORE,
    host: Annotated[str, typer.Option(help="Address to listen on; others than this machine's need a token or TLS.")] = (
        "127.0.0.1"
    ),
    http_port: Annotated[int, typer.Option(help="Of OTLP/HTTP; 0 takes a free one.", min=0, max=65535)] = 4318,
    grpc_port: Annotated[int, typer.Option(help="Of OTLP/gRPC; 0 takes a free one.", min=0, max=65535)] = 4317,
    grpc: Annotated[bool, typer.Option("--grpc/--no-grpc", help="Whether gRPC is served at all.")] = True,
    token_file: Annotated[
        Path | None, typer.Option(help=f"File that holds the token senders must give; or set {TOKEN_VARIABLE}.")
    ] = None,
    tls_cert: Annotated[Path | None, typer.Option(help="Certificate chain, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option(help="Its private key, PEM.")] = None,
    spool: Annotated[Path | None, typer.Option(help="Where requests wait for the store; default: beside it.")] = None,
    max_body_mb: Annotated[int, typer.Option(help="Largest body, before and after decompression.", min=1)] = 64,
    max_spool_mb: Annotated[int, typer.Option(help="Senders are told to wait when as much waits.", min=1)] = 1024,
) -> None:
    r"""Receive OpenTelemetry logs and traces until stopped; what was acknowledged is never lost.

    \b
    Examples:
      collector serve
      collector serve --host 0.0.0.0 --token-file token.txt
    """
    from pipeline import serve as serving

    serving.serve(
        store,
        host=host,
        http_port=http_port,
        grpc_port=grpc_port if grpc else None,
        token=_token(token_file),
        tls=_tls(tls_cert, tls_key),
        spool=spool,
        max_body_bytes=max_body_mb * _MEBIBYTE,
        max_spool_bytes=max_spool_mb * _MEBIBYTE,
        on_ready=_announce,
    )


def _token(path: Path | None) -> str | None:
    if path is None:
        return os.environ.get(TOKEN_VARIABLE) or None
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError) as fault:
        raise RecoupError("TOKEN_UNREADABLE", f"cannot read {path}", context={"path": str(path)}) from fault


def _tls(certificate: Path | None, key: Path | None) -> "Tls | None":
    from pipeline.serve import Tls

    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        raise RecoupError("ARGUMENT_INVALID", "--tls-cert and --tls-key belong together")
    return Tls(certificate=certificate, key=key)


def _announce(listening: "Listening") -> None:
    typer.echo(f"OTLP/HTTP on {listening.http}", err=True)
    if listening.grpc:
        typer.echo(f"OTLP/gRPC on {listening.grpc}", err=True)
