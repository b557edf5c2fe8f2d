"""The columns of an event and the OpenTelemetry attribute each one travels as.

One table is the source of three things: the slots of `collectors.events.Event`, the columns of
`raw.events` and the attributes of the LogRecord. Names that exist in the OpenTelemetry semantic
conventions (1.41) are reused; ours have the single root `recoup.`, are flat, and are absent rather
than false when a tool did not state them.
"""

from typing import Literal, NamedTuple

CALL = "recoup.call"
RESULT = "recoup.result"
TURN = "recoup.turn"
SESSION_END = "recoup.session_end"
DECLARATION = "recoup.declaration"
EVENT_NAMES = (CALL, RESULT, TURN, SESSION_END, DECLARATION)

SCOPE_NAME = "recoup"
SCHEMA_VERSION = "1"

Kind = Literal["string", "int", "bool", "strings", "ints"]


class Field(NamedTuple):
    """One column of an event."""

    name: str
    """Column in `raw.events` and slot of `Event`."""
    attribute: str | None
    """Attribute of the LogRecord; None where the record has a field of its own for it."""
    kind: Kind
    meaning: str


FIELDS: tuple[Field, ...] = (
    # -- the record itself (fields of the LogRecord, not attributes)
    Field("event_name", None, "string", "which of the five events"),
    Field(
        "uid",
        "log.record.uid",
        "string",
        "identity of the record: `c:`, `r:`, `e:`, `t:` or `s:` and its natural key; copies share it",
    ),
    Field("time_unix_nano", None, "int", "when it happened: start of a call, end of a result"),
    Field("observed_time_unix_nano", None, "int", "when a collector first saw it"),
    Field("trace_id", None, "string", "W3C trace id, hex"),
    Field("span_id", None, "string", "W3C span id, hex"),
    # -- where it was read
    Field("format", "recoup.source.format", "string", "the reader that read it"),
    Field("path", "recoup.source.path", "string", "the file, or the address it was sent to"),
    Field("position", "recoup.source.position", "int", "line number from 1, or ordinal of the record"),
    # -- who and when
    Field("session_id", "gen_ai.conversation.id", "string", "the session"),
    Field("actor_id", "gen_ai.agent.id", "string", "the agent or sub-agent thread; `main` for the main thread"),
    Field("agent_name", "gen_ai.agent.name", "string", "the agent program"),
    Field("agent_version", "gen_ai.agent.version", "string", "its version"),
    Field("model", "gen_ai.request.model", "string", "the model that chose the call"),
    Field("turn_id", "recoup.turn.id", "string", "the model step; calls of one step share it"),
    Field("input_tokens", "gen_ai.usage.input_tokens", "int", "tokens the step read, cached ones apart"),
    Field("output_tokens", "gen_ai.usage.output_tokens", "int", "tokens the step wrote"),
    Field("tokens", "recoup.tokens", "int", "tokens charged to the call itself, where the log says"),
    Field("call_id", "gen_ai.tool.call.id", "string", "id that joins a call with its result"),
    Field("flags", "recoup.flags", "strings", "what was noticed about the record"),
    # -- recoup.call
    Field("tool_name", "gen_ai.tool.name", "string", "the tool as the agent names it"),
    Field("program", "process.executable.name", "string", "the program of a shell call"),
    Field("operation", "recoup.operation", "string", "program or tool and its subcommand path"),
    Field("target", "recoup.target", "string", "the resource arguments, canonical JSON"),
    Field("exact_key", "recoup.call.exact_key", "string", "hash of the raw tool name and arguments"),
    Field("invocation_key", "recoup.call.fingerprint", "string", "hash of tool, path, canonical arguments and context"),
    Field("operation_key", "recoup.call.operation_key", "string", "hash of tool, path and target"),
    Field("argv_key", "recoup.call.argv_key", "string", "hash of the argument vector without wrappers"),
    Field("command", "process.command_line", "string", "the command line, secrets redacted"),
    Field("cwd", "process.working_directory", "string", "working directory"),
    Field("arguments", "recoup.call.arguments", "string", "arguments of a structured tool, secrets redacted"),
    Field("idempotency_key", "recoup.call.idempotency_key", "string", "key that makes a repeat safe"),
    Field("is_context_known", "recoup.call.context_known", "bool", "whether the working directory is known"),
    Field(
        "status_owner",
        "recoup.call.status_owner",
        "string",
        "whose exit status is reported: `own`, `negated`, `echoed`, `masked`, `background`, `harness`",
    ),
    Field("benign_exits", "recoup.call.benign_exits", "ints", "exit codes of this program that are answers"),
    Field("is_wait", "recoup.call.is_wait", "bool", "the call only waits"),
    Field("is_read_only", "recoup.call.is_read_only", "bool", "the call changes no state, as far as known"),
    Field(
        "is_viewer", "recoup.call.is_viewer", "bool", "the call prints data it was asked for: an envelope in it is data"
    ),
    # -- recoup.result
    Field("status", "recoup.status", "string", "status as this record alone signals it"),
    Field("status_reason", "recoup.status.reason", "string", "why"),
    Field("signalled_ok", "recoup.signalled_ok", "bool", "the harness' own flag"),
    Field("exit_code", "process.exit.code", "int", "only where stated"),
    Field(
        "echoed_exit_code",
        "recoup.echoed_exit_code",
        "int",
        "a number the output ends in; used where the call echoed `$?`",
    ),
    Field("duration_ms", "recoup.duration_ms", "int", "milliseconds, where stated"),
    Field("output_bytes", "recoup.output.size", "int", "size of the output"),
    Field("output_hash", "recoup.output.hash", "string", "hash of the output"),
    Field("output", "recoup.output.text", "string", "head and tail of a failed or suspicious output, secrets redacted"),
    Field("looks_failed", "recoup.output.looks_failed", "bool", "prose that looks like a failure: suspicion only"),
    Field(
        "fingerprint", "recoup.output.fingerprint", "string", "hash of the masked message, for errors without a code"
    ),
    Field("tool_version", "recoup.tool.version", "string", "version of the tool"),
    # -- the ladder, as the tool stated it
    Field("dialect", "recoup.envelope.dialect", "string", "the envelope dialect; null without an envelope"),
    Field("envelope_ok", "recoup.envelope.ok", "bool", "the envelope's `ok`"),
    Field("schema_version", "recoup.envelope.schema_version", "string", "`meta.schema_version`"),
    Field("request_id", "recoup.envelope.request_id", "string", "`meta.request_id`"),
    Field("error_code", "recoup.error.code", "string", "`error.code`, verbatim, or a stable code lifted from the text"),
    Field("code_source", "recoup.error.code_source", "string", "`envelope` or `lifted:<kind>`"),
    Field("message", "recoup.error.message", "string", "`error.message`, capped"),
    Field("retryable", "recoup.error.retryable", "bool", "`error.retryable` where it is a boolean"),
    Field("retryable_text", "recoup.error.retryable_text", "string", "`error.retryable` where it is a word"),
    Field("retry_after_ms", "recoup.error.retry_after_ms", "int", "declared wait in milliseconds"),
    Field("retry_strategy", "recoup.error.retry_strategy", "string", "`error.retry_strategy`"),
    Field("max_retries", "recoup.error.max_retries", "int", "`error.max_retries`"),
    Field("fix_required", "recoup.error.fix_required", "string", "`error.fix_required`"),
    Field(
        "fix_command", "recoup.error.fix_command", "string", "`error.fix_command`, or a specialised variant; inert text"
    ),
    Field("fix_source", "recoup.error.fix_source", "string", "the field `fix_command` came from"),
    Field("fix_key", "recoup.error.fix_key", "string", "hash of the fix command's argument vector"),
    Field("phase", "recoup.error.phase", "string", "`error.phase`"),
    Field("suggestion", "recoup.error.suggestion", "string", "`error.suggestion`"),
    Field("context", "recoup.error.context", "string", "`error.context`, JSON"),
    Field("side_effects", "recoup.error.side_effects", "string", "side effects, where stated"),
    Field("http_status", "http.response.status_code", "int", "HTTP status, where stated"),
    Field("internal_attempts", "recoup.tool.attempts", "int", "tries made inside the tool"),
    # -- recoup.turn, recoup.session_end
    Field(
        "turn_kind",
        "recoup.turn.kind",
        "string",
        "`prompt`, `answer`, `handover`, `interruption`, `api_error`, `compaction`",
    ),
    Field("mentions", "recoup.turn.mentions", "strings", "codes named in an answer; the text itself is not kept"),
    Field("is_question", "recoup.turn.is_question", "bool", "the answer asks a person for something"),
    Field("reason", "recoup.reason", "string", "why the session or step ended"),
    # -- everything else the source said, JSON
    Field("attributes", "recoup.attributes", "string", "anything else the source said, JSON"),
)

COLUMNS: tuple[str, ...] = tuple(field.name for field in FIELDS)
