"""OTLP requests for the tests, in both encodings."""

import base64
import json

from collectors.otlp.decode import decode


def proto_value(target, value):
    """Fill an AnyValue."""
    if isinstance(value, bool):
        target.bool_value = value
    elif isinstance(value, int):
        target.int_value = value
    elif isinstance(value, float):
        target.double_value = value
    elif isinstance(value, str):
        target.string_value = value
    elif isinstance(value, bytes):
        target.bytes_value = value
    elif isinstance(value, list):
        target.array_value.SetInParent()
        for item in value:
            proto_value(target.array_value.values.add(), item)
    elif isinstance(value, dict):
        target.kvlist_value.SetInParent()
        for key, item in value.items():
            proto_value(target.kvlist_value.values.add(key=key).value, item)


def json_value(value):
    """Return an AnyValue of OTLP/JSON."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": {float("inf"): "Infinity", float("-inf"): "-Infinity"}.get(value, value)}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, bytes):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, list):
        return {"arrayValue": {"values": [json_value(item) for item in value]}}
    if isinstance(value, dict):
        return {"kvlistValue": {"values": json_attributes(value)}}
    return {}


def json_attributes(attributes):
    """Return attributes of OTLP/JSON."""
    return [{"key": key, "value": json_value(value)} for key, value in attributes.items()]


def json_logs(*records, resource=()):
    """Return an OTLP/JSON request."""
    groups = [{"resource": {"attributes": list(resource)}, "scopeLogs": [{"logRecords": list(records)}]}]
    return json.dumps({"resourceLogs": groups}).encode()


def one(body, *, signal="logs", encoding="json"):
    """Return the only record of a request, and the batch."""
    batch = decode(body, signal=signal, encoding=encoding)
    assert len(batch.records) == 1
    return batch.records[0], batch
