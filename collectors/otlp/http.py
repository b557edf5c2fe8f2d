"""OTLP over HTTP as an ASGI application: `/v1/logs`, `/v1/traces`, `/v1/metrics`, `/healthz` and `/metrics`.

Source: opentelemetry-proto 1.11, docs/specification.md, "OTLP/HTTP". Senders retry after 429, 502,
503 and 504 only; everything else they drop, so a fault that passes is always a 503.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, MutableMapping
from functools import partial
from typing import Any, NamedTuple

import msgspec

from collectors.otlp import answers, bodies
from collectors.otlp.counts import exposition
from collectors.otlp.decode import Checked
from collectors.otlp.model import Encoding, MalformedError, Signal
from collectors.otlp.receive import RETRY_SECONDS, Receiver
from collectors.otlp.spool import FullError

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_PATHS: dict[str, Signal] = {"/v1/logs": "logs", "/v1/traces": "traces", "/v1/metrics": "metrics"}
_ENCODINGS: dict[bytes, Encoding] = {media.encode(): encoding for encoding, media in answers.MEDIA_TYPES.items()}
_Headers = dict[bytes, bytes]
_BODY_SECONDS = 60
"""A sender that pauses longer has gone, whatever its connection says."""
_HELD_BYTES = 192 << 20
"""Upper bound of what is held of all unfinished requests together."""
_THREAD_BYTES = 256 << 10
"""Bodies from this size on are decompressed and checked beside the event loop, so many at a time."""
_LARGE_AT_ONCE = 2


class _Answer(NamedTuple):
    status: int
    body: bytes
    media_type: bytes = b"application/json"
    headers: tuple[tuple[bytes, bytes], ...] = ()


class _Refusal(Exception):
    """An answer other than 200, decided somewhere below."""

    def __init__(self, status: int, code: int, message: str, *headers: tuple[bytes, bytes]) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers


class _Gone(Exception):
    """The sender closed the connection before its body ended."""


def application(receiver: Receiver, *, refresh: Callable[[], None] = lambda: None) -> App:
    """Return the ASGI application.

    Args:
        receiver: Where the requests go.
        refresh: Called before the figures are shown, to bring gauges up to date.
    """
    handler = _Handler(receiver, refresh)

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await handler.handle(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _live(receive, send)

    return app


async def _live(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


class _Arrivals:
    """Wakes the requests whose frames are on disk: one call into the event loop a group, not one a request."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready: deque[tuple[asyncio.Future[None], Exception | None]] = deque()
        self._is_called = False

    def put(self, future: "asyncio.Future[None]", fault: Exception | None) -> None:
        self._ready.append((future, fault))
        if not self._is_called:
            self._is_called = True
            with contextlib.suppress(RuntimeError):  # the loop has ended, and with it whoever waited
                self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        # first, so that whoever appends while this runs calls again
        self._is_called = False
        while self._ready:
            future, fault = self._ready.popleft()
            if future.done():
                continue
            if fault is None:
                future.set_result(None)
            else:
                future.set_exception(fault)


class _Handler:
    def __init__(self, receiver: Receiver, refresh: Callable[[], None]) -> None:
        self._receiver = receiver
        self._refresh = refresh
        self._arrivals: _Arrivals | None = None
        self._held = 0
        self._large = asyncio.Semaphore(_LARGE_AT_ONCE)

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        path = scope["path"].rstrip("/") or "/"
        signal = _PATHS.get(path)
        media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        encoding = _ENCODINGS.get(media_type, "json")
        try:
            if path in ("/healthz", "/metrics"):
                answer = self._own(path, scope["method"], headers)
            else:
                signal = self._checked_signal(signal, scope["method"], headers, media_type)
                answer = await self._export(signal, encoding, headers, receive)
        except _Refusal as refusal:
            answer = _refused(refusal, encoding)
        except _Gone:
            self._count(signal, "disconnected")
            return
        self._count(signal, str(answer.status))
        await _send(answer, send, is_head=scope["method"] == "HEAD")

    def _count(self, signal: Signal | None, code: str) -> None:
        self._receiver.counts.add("recoup_requests_total", transport="http", signal=signal or "none", code=code)

    def _own(self, path: str, method: str, headers: _Headers) -> _Answer:
        if method not in ("GET", "HEAD"):
            raise _Refusal(405, answers.UNIMPLEMENTED, "only GET is answered here", (b"allow", b"GET, HEAD"))
        if path == "/healthz":
            return _Answer(200, msgspec.json.encode({"status": "ok"}))
        self._check_token(headers)
        self._refresh()
        text = exposition(self._receiver.counts.snapshot())
        return _Answer(200, text.encode(), b"text/plain; version=0.0.4; charset=utf-8")

    def _checked_signal(self, signal: Signal | None, method: str, headers: _Headers, media_type: bytes) -> Signal:
        self._check_token(headers)
        if signal is None:
            raise _Refusal(404, answers.NOT_FOUND, "there is /v1/logs, /v1/traces and /v1/metrics")
        if method != "POST":
            raise _Refusal(405, answers.UNIMPLEMENTED, "only POST is answered here", (b"allow", b"POST"))
        if media_type not in _ENCODINGS:
            raise _Refusal(
                415,
                answers.INVALID_ARGUMENT,
                "the content type must be one of OTLP: application/x-protobuf or application/json",
            )
        return signal

    def _check_token(self, headers: _Headers) -> None:
        if not self._receiver.is_allowed(headers.get(b"authorization", b"")):
            raise _Refusal(401, answers.UNAUTHENTICATED, "a bearer token is needed", (b"www-authenticate", b"Bearer"))

    async def _export(self, signal: Signal, encoding: Encoding, headers: _Headers, receive: Receive) -> _Answer:
        if int(headers.get(b"content-length", b"0")) > self._receiver.limit:
            raise self._too_large()
        body = await self._body(receive)
        try:
            checked = await self._taken(body, signal, encoding, headers.get(b"content-encoding", b"").decode("latin-1"))
        except bodies.TooLargeError as fault:
            raise self._too_large() from fault
        except (bodies.UndecodableError, MalformedError) as fault:
            raise _Refusal(400, answers.INVALID_ARGUMENT, str(fault)) from fault
        except FullError as fault:
            raise _unavailable(str(fault)) from fault
        finally:
            self._held -= len(body)
        return _Answer(200, answers.export_response(checked, signal, encoding), answers.MEDIA_TYPES[encoding].encode())

    async def _body(self, receive: Receive) -> bytes:
        """Return the body; its size stays counted as held."""
        chunk, has_more = _chunk(await receive())
        chunks = [chunk]
        size = self._hold(chunk, 0)
        try:
            async with asyncio.timeout(_BODY_SECONDS if has_more else None):
                while has_more:
                    chunk, has_more = _chunk(await receive())
                    chunks.append(chunk)
                    size = self._hold(chunk, size)
        except TimeoutError as fault:
            self._held -= size
            raise _unavailable("the body did not arrive") from fault
        except BaseException:
            self._held -= size
            raise
        return chunks[0] if len(chunks) == 1 else b"".join(chunks)

    def _hold(self, chunk: bytes, size: int) -> int:
        """Count a chunk that follows `size` bytes; return the size with it."""
        if size + len(chunk) > self._receiver.limit:
            raise self._too_large()
        if self._held + len(chunk) > _HELD_BYTES:
            raise _unavailable("too many large requests at once")
        self._held += len(chunk)
        return size + len(chunk)

    async def _taken(self, body: bytes, signal: Signal, encoding: Encoding, content_encoding: str) -> Checked:
        if self._arrivals is None:
            self._arrivals = _Arrivals()
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        done = partial(self._arrivals.put, future)

        def take() -> Checked:
            plain = bodies.plain(body, content_encoding, self._receiver.limit) if content_encoding else body
            return self._receiver.take(plain, signal=signal, encoding=encoding, done=done)

        if len(body) < _THREAD_BYTES:
            checked = take()
        else:
            async with self._large:
                checked = await asyncio.to_thread(take)
        await future
        return checked

    def _too_large(self) -> _Refusal:
        return _Refusal(413, answers.RESOURCE_EXHAUSTED, f"the body is larger than {self._receiver.limit} bytes")


def _chunk(message: MutableMapping[str, Any]) -> tuple[bytes, bool]:
    if message["type"] == "http.disconnect":
        raise _Gone
    return message.get("body", b""), message.get("more_body", False)


def _unavailable(message: str) -> _Refusal:
    return _Refusal(503, answers.UNAVAILABLE, message, (b"retry-after", str(RETRY_SECONDS).encode()))


def _refused(refusal: _Refusal, encoding: Encoding) -> _Answer:
    body = answers.status(refusal.code, refusal.message, encoding)
    return _Answer(refusal.status, body, answers.MEDIA_TYPES[encoding].encode(), refusal.headers)


async def _send(answer: _Answer, send: Send, *, is_head: bool) -> None:
    headers = [
        (b"content-type", answer.media_type),
        (b"content-length", str(len(answer.body)).encode()),
        *answer.headers,
    ]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else answer.body})
