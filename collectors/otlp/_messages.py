"""Reduced protobuf messages of the OTLP requests: enough to find the records, with their parts left as bytes.

Texts are declared as bytes, so that one byte that is no UTF-8 does not cost the whole request, and
attributes as repeated bytes, so that the many that repeat are decoded once. A message that is left
as bytes adds no depth: the library's limit of 100 levels is never met.
Source: opentelemetry-proto 1.11, the field numbers of logs.proto, trace.proto, metrics.proto and common.proto.
"""

from typing import Any, NamedTuple, TypeAlias

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

Message: TypeAlias = Any
"""A message or its class; the library has no types for what is made at run time."""

_PACKAGE = "recoup"
_Proto = descriptor_pb2.FieldDescriptorProto
_TYPES = {
    "bytes": _Proto.TYPE_BYTES,
    "fixed64": _Proto.TYPE_FIXED64,
    "fixed32": _Proto.TYPE_FIXED32,
    "int32": _Proto.TYPE_INT32,
    "int64": _Proto.TYPE_INT64,
    "bool": _Proto.TYPE_BOOL,
    "double": _Proto.TYPE_DOUBLE,
}


class _Field(NamedTuple):
    name: str
    number: int
    kind: str
    """A scalar type, or the name of a message."""
    repeated: bool = False


_LOG = (
    _Field("time", 1, "fixed64"),
    _Field("severity", 2, "int32"),
    _Field("severity_text", 3, "bytes"),
    _Field("body", 5, "Value"),
    _Field("attributes", 6, "bytes", repeated=True),
    _Field("flags", 8, "fixed32"),
    _Field("trace_id", 9, "bytes"),
    _Field("span_id", 10, "bytes"),
    _Field("observed_time", 11, "fixed64"),
    _Field("event_name", 12, "bytes"),
)
_SPAN = (
    _Field("trace_id", 1, "bytes"),
    _Field("span_id", 2, "bytes"),
    _Field("parent_span_id", 4, "bytes"),
    _Field("name", 5, "bytes"),
    _Field("kind", 6, "int32"),
    _Field("start", 7, "fixed64"),
    _Field("end", 8, "fixed64"),
    _Field("attributes", 9, "bytes", repeated=True),
    _Field("events", 11, "SpanEvent", repeated=True),
    _Field("links", 13, "SpanLink", repeated=True),
    _Field("status", 15, "Status"),
)
_MESSAGES: dict[str, tuple[_Field, ...]] = {
    # the members of AnyValue's oneof
    "Value": (
        _Field("string", 1, "bytes"),
        _Field("bool", 2, "bool"),
        _Field("int", 3, "int64"),
        _Field("double", 4, "double"),
        _Field("array", 5, "bytes"),
        _Field("kvlist", 6, "bytes"),
        _Field("bytes", 7, "bytes"),
    ),
    "KeyValue": (_Field("key", 1, "bytes"), _Field("value", 2, "Value")),
    "Items": (_Field("items", 1, "bytes", repeated=True),),
    "Resource": (_Field("attributes", 1, "bytes", repeated=True),),
    "Scope": (
        _Field("name", 1, "bytes"),
        _Field("version", 2, "bytes"),
        _Field("attributes", 3, "bytes", repeated=True),
    ),
    "Status": (_Field("message", 2, "bytes"), _Field("code", 3, "int32")),
    "SpanEvent": (
        _Field("time", 1, "fixed64"),
        _Field("name", 2, "bytes"),
        _Field("attributes", 3, "bytes", repeated=True),
    ),
    "SpanLink": (
        _Field("trace_id", 1, "bytes"),
        _Field("span_id", 2, "bytes"),
        _Field("attributes", 4, "bytes", repeated=True),
    ),
    "Log": _LOG,
    "Span": _SPAN,
    "LogScope": (_Field("scope", 1, "bytes"), _Field("records", 2, "Log", repeated=True)),
    "LogResource": (_Field("resource", 1, "bytes"), _Field("scopes", 2, "LogScope", repeated=True)),
    "LogRequest": (_Field("resources", 1, "LogResource", repeated=True),),
    "SpanScope": (_Field("scope", 1, "bytes"), _Field("records", 2, "Span", repeated=True)),
    "SpanResource": (_Field("resource", 1, "bytes"), _Field("scopes", 2, "SpanScope", repeated=True)),
    "SpanRequest": (_Field("resources", 1, "SpanResource", repeated=True),),
    "MetricScope": (_Field("records", 2, "bytes", repeated=True),),
    "MetricResource": (_Field("scopes", 2, "MetricScope", repeated=True),),
    "MetricRequest": (_Field("resources", 1, "MetricResource", repeated=True),),
}
_ONEOF = "Value"


def _file() -> descriptor_pb2.FileDescriptorProto:
    described = descriptor_pb2.FileDescriptorProto(name="recoup_otlp.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = described.message_type.add(name=name)
        if name == _ONEOF:
            message.oneof_decl.add(name="value")
        for field in fields:
            label = _Proto.LABEL_REPEATED if field.repeated else _Proto.LABEL_OPTIONAL
            added = message.field.add(name=field.name, number=field.number, label=label)
            if field.kind in _TYPES:
                added.type = _TYPES[field.kind]
            else:
                added.type = _Proto.TYPE_MESSAGE
                added.type_name = f".{_PACKAGE}.{field.kind}"
            if name == _ONEOF:
                added.oneof_index = 0
    return described


# a pool of its own: the default one may hold the generated messages of opentelemetry-proto
_POOL = descriptor_pool.DescriptorPool()
_POOL.Add(_file())


def _message(name: str) -> Message:
    return message_factory.GetMessageClass(_POOL.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


VALUE = _message("Value")
KEY_VALUE = _message("KeyValue")
ITEMS = _message("Items")
RESOURCE = _message("Resource")
SCOPE = _message("Scope")
LOG_REQUEST = _message("LogRequest")
SPAN_REQUEST = _message("SpanRequest")
METRIC_REQUEST = _message("MetricRequest")
