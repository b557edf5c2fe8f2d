"""Spans of tool calls by the conventions that frameworks follow.

- OpenTelemetry GenAI: `gen_ai.operation.name` = `execute_tool` (pydantic-ai, VS Code Copilot, Copilot CLI, util-genai);
- OpenTelemetry MCP: `mcp.method.name` = `tools/call`, of the client and of the server;
- OpenInference: `openinference.span.kind` = `TOOL`; OpenLLMetry: `traceloop.span.kind` = `tool`;
- Langfuse: `langfuse.observation.type` = `tool`.

A span's status is set by the instrumentation: 2 is a failure, 1 and 0 are none that it noticed. The text of the failure
is the status's message, an `exception` event, or the result itself, where an envelope may sit.

Source: semantic-conventions-genai (model/gen-ai, model/mcp), the OpenInference and OpenLLMetry conventions.
"""

from collections.abc import Mapping
from typing import NamedTuple

from msgspec.structs import replace

from collectors.events import Event
from collectors.formats._outcomes import ERROR, OK, Outcome
from collectors.otlp.calls import Answered, Asked, both
from collectors.otlp.facts import Source, base_of, text, values_of
from collectors.otlp.model import AnyValue, SpanRecord

_FAILED = 2
_SERVER = 2


class Convention(NamedTuple):
    """How one convention marks a tool's span and names its parts."""

    marker: str
    value: str
    tool: tuple[str, ...]
    call_id: tuple[str, ...]
    arguments: tuple[str, ...]
    result: tuple[str, ...]
    name_prefix: str = ""
    """Of the span's name, before the tool's."""


CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "gen_ai.operation.name",
        "execute_tool",
        ("gen_ai.tool.name",),
        ("gen_ai.tool.call.id", "gen_ai.tool.call_id"),
        ("gen_ai.tool.call.arguments", "tool_arguments"),
        ("gen_ai.tool.call.result", "tool_response"),
        "execute_tool ",
    ),
    Convention(
        "mcp.method.name",
        "tools/call",
        ("gen_ai.tool.name", "mcp.tool.name"),
        (),
        ("gen_ai.tool.call.arguments",),
        ("gen_ai.tool.call.result",),
        "tools/call ",
    ),
    Convention(
        "openinference.span.kind",
        "TOOL",
        ("tool.name",),
        ("tool.id", "tool_call.id"),
        ("tool.parameters", "input.value"),
        ("output.value",),
    ),
    Convention(
        "traceloop.span.kind",
        "tool",
        ("traceloop.entity.name",),
        ("gen_ai.tool.call.id",),
        ("traceloop.entity.input",),
        ("traceloop.entity.output",),
    ),
    Convention(
        "langfuse.observation.type",
        "tool",
        (),
        ("gen_ai.tool.call.id",),
        ("langfuse.observation.input",),
        ("langfuse.observation.output",),
    ),
)
_NOT_RUN = {
    "-32602": Outcome("not_run", "invalid_input"),
    "-32601": Outcome("not_run", "unknown_tool"),
    "-32600": Outcome("not_run", "protocol_error"),
}
_VALIDATION = Outcome("not_run", "invalid_input")
_CANCELLED = Outcome("cancelled", "harness")
_ENDS: Mapping[str, Outcome] = {"cancelled": _CANCELLED, "CancelledError": _CANCELLED}


def convention_of(record: SpanRecord) -> Convention | None:
    """Return the convention by which a span is a tool's; None where it is none."""
    attributes = record.attributes
    for convention in CONVENTIONS:
        if attributes.get(convention.marker) == convention.value:
            return convention
    return None


def tool_span(source: Source, convention: Convention) -> list[Event]:
    """Return the call and its end; of a call that is put off, only the call."""
    record = source.record
    if not isinstance(record, SpanRecord):
        return []
    attributes = record.attributes
    base = base_of(source, session=None)
    call_id = text(attributes, *convention.call_id)
    base = replace(base, call_id=call_id)
    tool = text(attributes, *convention.tool) or record.name.removeprefix(convention.name_prefix)
    given = next(
        (values_of(attributes[name]) for name in convention.arguments if attributes.get(name) is not None), None
    )
    used = (*convention.tool, *convention.call_id, *convention.arguments, *convention.result, "gen_ai.conversation.id")
    events = both(
        source, base, Asked(tool, None, given), _answered(record, convention), name=_name(base, record), used=used
    )
    return events[:1] if attributes.get("pydantic_ai.tool.deferral.kind") else events


def _name(base: Event, record: SpanRecord) -> str | None:
    """Return what names the call: its id in the session, else its span; client and server of one call share that."""
    if base.call_id:
        return f"{base.session_id}/{base.call_id}"
    span = record.parent_span_id if record.kind == _SERVER and record.parent_span_id else record.span_id
    return f"{record.trace_id}/{span}" if record.trace_id and span else None


def _answered(record: SpanRecord, convention: Convention) -> Answered:
    attributes = record.attributes
    result = text(attributes, *convention.result) or ""
    kind = text(attributes, "error.type")
    level = attributes.get("langfuse.observation.level")
    if record.status_code != _FAILED and kind is None and level != "ERROR":
        return Answered(result, Outcome(OK, "span_status"), True)
    said = (
        result or record.status_message or text(attributes, "langfuse.observation.status_message") or _exception(record)
    )
    return Answered(said, _outcome(attributes, kind), False)


def _outcome(attributes: Mapping[str, AnyValue], kind: str | None) -> Outcome:
    if attributes.get("pydantic_ai.tool.failure_stage") == "validation":
        return _VALIDATION
    code = text(attributes, "rpc.response.status_code") or kind or ""
    return _NOT_RUN.get(code) or _ENDS.get(kind or "") or Outcome(ERROR, "span_status")


def _exception(record: SpanRecord) -> str:
    for event in reversed(record.events):
        if event.name == "exception":
            return text(event.attributes, "exception.message", "exception.type") or ""
    return ""
