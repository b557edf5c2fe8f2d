"""What a sender is answered: the export responses of OTLP and `google.rpc.Status`, in protobuf and JSON.

Source: opentelemetry-proto 1.11, docs/specification.md, "OTLP/HTTP response" and "failures".
"""

import msgspec

from collectors.otlp.decode import Checked
from collectors.otlp.model import Encoding, Signal

INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, UNAVAILABLE, UNAUTHENTICATED = 3, 8, 12, 14, 16
NOT_FOUND = 5
"""Codes of google.rpc.Code."""

MEDIA_TYPES: dict[Encoding, str] = {"protobuf": "application/x-protobuf", "json": "application/json"}

_REJECTED = {"logs": "rejectedLogRecords", "traces": "rejectedSpans", "metrics": "rejectedDataPoints"}
_RETRY_INFO = b"type.googleapis.com/google.rpc.RetryInfo"


def export_response(checked: Checked, signal: Signal, encoding: Encoding) -> bytes:
    """Return the body of a 200: empty where all was well, else a partial success that says what was not.

    With nothing rejected the message is a warning, as the protocol has it.
    """
    message = warning_of(checked)
    if encoding == "json":
        if not message:
            return b"{}"
        partial = {_REJECTED[signal]: str(checked.rejected), "errorMessage": message}
        return msgspec.json.encode({"partialSuccess": partial})
    if not message:
        return b""
    rejected = b"\x08" + _varint(checked.rejected) if checked.rejected else b""
    return _bytes_field(1, rejected + _bytes_field(2, message.encode()))


def warning_of(checked: Checked) -> str:
    """Return what the sender should know of a request that was taken; empty where all was well."""
    parts = []
    if checked.rejected:
        parts.append(f"{checked.rejected} records are no objects and were rejected")
    if checked.repaired:
        parts.append(f"{checked.repaired} records held invalid UTF-8 or ill-typed values, which were repaired")
    return "; ".join(parts)


def status(code: int, message: str, encoding: Encoding) -> bytes:
    """Return a `google.rpc.Status`."""
    if encoding == "json":
        return msgspec.json.encode({"code": code, "message": message})
    return b"\x08" + _varint(code) + _bytes_field(2, message.encode())


def status_with_retry(code: int, message: str, seconds: int) -> bytes:
    """Return a `google.rpc.Status` in protobuf that tells when to send again (`google.rpc.RetryInfo`)."""
    retry_info = _bytes_field(1, b"\x08" + _varint(seconds))
    detail = _bytes_field(1, _RETRY_INFO) + _bytes_field(2, retry_info)
    return status(code, message, "protobuf") + _bytes_field(3, detail)


def _bytes_field(number: int, value: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
