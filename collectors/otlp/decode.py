"""One OTLP request, protobuf or JSON, to plain records; and the quick look that its answer needs."""

from dataclasses import dataclass

from collectors.otlp import decode_json, decode_protobuf
from collectors.otlp.model import REJECTED, REPAIRED, Batch, Encoding, Signal


@dataclass(frozen=True, slots=True)
class Checked:
    """What the sender is told about a request."""

    count: int
    """Records, or metrics, that were read."""
    rejected: int = 0
    """Records that could not be read."""
    repaired: int = 0
    """Records of which a text or a value had to be mended."""


def decode(body: bytes, *, signal: Signal, encoding: Encoding) -> Batch:
    """Return the records of a request; an empty body holds none.

    Raises:
        MalformedError: the body is no such request.
    """
    if not body:
        return Batch()
    return decode_json.decode(body, signal) if encoding == "json" else decode_protobuf.decode(body, signal)


def check(body: bytes, *, signal: Signal, encoding: Encoding) -> Checked:
    """Return what `decode` would find, where possible without building records.

    Raises:
        MalformedError: the body is no such request.
    """
    if not body:
        return Checked(0)
    count = decode_json.count(body, signal) if encoding == "json" else decode_protobuf.count(body, signal)
    if count is not None:
        return Checked(count)
    batch = decode(body, signal=signal, encoding=encoding)
    return Checked(batch.count, batch.counts[REJECTED], batch.counts[REPAIRED])
