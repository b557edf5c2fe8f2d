"""What each agent's own settings must say for it to send its telemetry here, and what each setting lets out.

Names and defaults: Claude Code's monitoring documentation and the behaviour noted in its issues, Codex's config
reference (`[otel]`; an HTTP endpoint is taken as it stands), Gemini CLI's and Qwen Code's telemetry documentation,
VS Code's and GitHub's monitoring documentation of Copilot, the OTLP exporter of the OpenTelemetry Collector.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

ENDPOINT = "{endpoint}"
"""Stands in values for the address without a slash at its end."""
HEADERS = "OTEL_EXPORTER_OTLP_HEADERS"
"""The variable through which every agent takes a header: a token belongs in no file that may be shared or synced."""

Value = str | bool | Mapping[str, "Value"]


class Setting(NamedTuple):
    """One setting."""

    path: tuple[str, ...]
    """Keys from the file's top; of an environment, the one name."""
    value: Value
    lets_out: str = ""
    """What of people's content it sends; empty where it sends none."""
    reason: str = ""
    """Why it is set, or what recoup cannot tell without it."""
    when: str = "always"
    """`traces` and `content` are written only where they are asked for."""


class Client(NamedTuple):
    """One agent, or the OpenTelemetry Collector."""

    name: str
    title: str
    kind: str
    """Of its file: `json`, `jsonc` (comments are allowed), `toml`, or `yaml`, which is only shown."""
    places: Mapping[str, str]
    """Where its file lies, by `sys.platform`; the key `""` is for all others."""
    settings: tuple[Setting, ...]
    environment: tuple[Setting, ...] = ()
    """The same for a shell, where the agent understands that."""
    environment_title: str = "or, in the shell that starts it"
    always_out: tuple[str, ...] = ()
    """What it sends whatever the settings say."""
    keep_off: tuple[tuple[str, str], ...] = ()
    """Settings that recoup does not need, and what they let out."""
    blockers: tuple[tuple[str, ...], ...] = ()
    """Settings under which nothing is sent at all."""
    remarks: tuple[str, ...] = ()


_CLAUDE = (
    Setting(("CLAUDE_CODE_ENABLE_TELEMETRY",), "1"),
    Setting(("OTEL_LOGS_EXPORTER",), "otlp"),
    Setting(("OTEL_EXPORTER_OTLP_PROTOCOL",), "http/protobuf"),
    Setting(("OTEL_EXPORTER_OTLP_ENDPOINT",), ENDPOINT),
    Setting(
        ("OTEL_LOG_TOOL_DETAILS",),
        "1",
        "commands and other arguments of tools, names of MCP tools, and the full text of errors",
        "without it an error is only a category, and every tool of an MCP server has one name",
    ),
    Setting(("CLAUDE_CODE_ENHANCED_TELEMETRY_BETA",), "1", when="traces"),
    Setting(
        ("OTEL_TRACES_EXPORTER",),
        "otlp",
        reason="programs it runs get a TRACEPARENT, by which what they say themselves is joined with the call",
        when="traces",
    ),
    Setting(
        ("OTEL_LOG_TOOL_CONTENT",),
        "1",
        "everything that tools are given and give back, files included; only with traces",
        "without it an envelope in the output of a call that worked is not seen",
        when="content",
    ),
)

_GEMINI = (
    Setting(("telemetry", "enabled"), True),
    Setting(("telemetry", "target"), "local"),
    Setting(("telemetry", "otlpEndpoint"), ENDPOINT),
    Setting(("telemetry", "otlpProtocol"), "http", reason="its default is gRPC"),
    Setting(("telemetry", "logPrompts"), False, reason="what people write stays out; its default is true"),
    Setting(
        ("telemetry", "traces"),
        True,
        "prompts, and what tools are given and give back, on spans",
        "without it calls have no ids",
        when="traces",
    ),
)

_QWEN = (
    Setting(("telemetry", "enabled"), True),
    Setting(("telemetry", "otlpEndpoint"), ENDPOINT),
    Setting(("telemetry", "otlpProtocol"), "http", reason="its default is gRPC"),
    Setting(("telemetry", "logPrompts"), False, reason="what people write stays out; its default is true"),
    Setting(
        ("telemetry", "includeSensitiveSpanAttributes"),
        True,
        "whole conversations, and what tools are given and give back, on spans",
        "without it results of tools that worked are not seen",
        when="content",
    ),
)

_COPILOT_CONTENT = "prompts and answers as well as what tools are given and give back"
_COPILOT_NEED = "without it an error is only a class"

CLIENTS: tuple[Client, ...] = (
    Client(
        name="claude-code",
        title="Claude Code",
        kind="json",
        places={"": "~/.claude/settings.json"},
        settings=tuple(setting._replace(path=("env", *setting.path)) for setting in _CLAUDE),
        environment=_CLAUDE,
        always_out=(
            "the account's id and e-mail address, names of tools, whether they succeeded, and how long they took",
        ),
        keep_off=(
            ("OTEL_LOG_USER_PROMPTS", "what people write"),
            ("OTEL_LOG_RAW_API_BODIES", "whole conversations with the model"),
        ),
        remarks=(
            "calls that a person refused have no result, only a decision",
            "the programs it runs do not see these variables; `collector run` takes its own",
        ),
    ),
    Client(
        name="codex",
        title="Codex",
        kind="toml",
        places={"": "~/.codex/config.toml"},
        settings=(
            Setting(("otel", "log_user_prompt"), False, reason="what people write stays out"),
            Setting(
                ("otel", "exporter"),
                {"otlp-http": {"endpoint": f"{ENDPOINT}/v1/logs", "protocol": "binary"}},
                reason="the address is taken as it stands, so the path belongs to it",
            ),
            Setting(
                ("otel", "trace_exporter"),
                {"otlp-http": {"endpoint": f"{ENDPOINT}/v1/traces", "protocol": "binary"}},
                when="traces",
            ),
        ),
        always_out=(
            "arguments of tools and what they give back, in each log event of a call: no setting leaves them out",
        ),
        keep_off=(("otel.log_user_prompt", "what people write"),),
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        kind="jsonc",
        places={"": "~/.gemini/settings.json"},
        settings=_GEMINI,
        environment=(
            Setting(("GEMINI_TELEMETRY_ENABLED",), "true"),
            Setting(("GEMINI_TELEMETRY_TARGET",), "local"),
            Setting(("GEMINI_TELEMETRY_OTLP_ENDPOINT",), ENDPOINT),
            Setting(("GEMINI_TELEMETRY_OTLP_PROTOCOL",), "http"),
            Setting(("GEMINI_TELEMETRY_LOG_PROMPTS",), "false"),
            Setting(("GEMINI_TELEMETRY_TRACES_ENABLED",), "true", when="traces"),
        ),
        always_out=("arguments of tools, and the text of their errors",),
        keep_off=(("telemetry.logPrompts", "what people write"),),
        blockers=(("telemetry", "outfile"),),
        remarks=("its log events have no id of the call, so such a call stands alone beside its transcript",),
    ),
    Client(
        name="qwen",
        title="Qwen Code",
        kind="jsonc",
        places={"": "~/.qwen/settings.json"},
        settings=_QWEN,
        environment=(
            Setting(("QWEN_TELEMETRY_ENABLED",), "true"),
            Setting(("QWEN_TELEMETRY_OTLP_ENDPOINT",), ENDPOINT),
            Setting(("QWEN_TELEMETRY_OTLP_PROTOCOL",), "http"),
            Setting(("QWEN_TELEMETRY_LOG_PROMPTS",), "false"),
            Setting(("QWEN_TELEMETRY_INCLUDE_SENSITIVE_SPAN_ATTRIBUTES",), "true", when="content"),
        ),
        always_out=("arguments of tools, and the text of their errors",),
        keep_off=(("telemetry.logPrompts", "what people write"),),
        blockers=(("telemetry", "outfile"),),
    ),
    Client(
        name="copilot",
        title="GitHub Copilot (VS Code; the command line tool by its environment)",
        kind="jsonc",
        places={
            "": "~/.config/Code/User/settings.json",
            "darwin": "~/Library/Application Support/Code/User/settings.json",
            "win32": "~/AppData/Roaming/Code/User/settings.json",
        },
        settings=(
            Setting(("github.copilot.chat.otel.enabled",), True),
            Setting(("github.copilot.chat.otel.exporterType",), "otlp-http"),
            Setting(("github.copilot.chat.otel.otlpEndpoint",), ENDPOINT),
            Setting(
                ("github.copilot.chat.otel.captureContent",), True, _COPILOT_CONTENT, _COPILOT_NEED, when="content"
            ),
        ),
        environment=(
            Setting(("COPILOT_OTEL_ENABLED",), "true"),
            Setting(("COPILOT_OTEL_EXPORTER_TYPE",), "otlp-http"),
            Setting(("OTEL_EXPORTER_OTLP_ENDPOINT",), ENDPOINT),
            Setting(
                ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT",),
                "true",
                _COPILOT_CONTENT,
                _COPILOT_NEED,
                when="content",
            ),
        ),
        environment_title="and for Copilot CLI, in the shell that starts it",
        always_out=("names of tools, classes of errors, and how long calls took",),
        remarks=(
            "settings of VS Code may be synced to other machines, so a token belongs in the environment",
            "calls come as spans, without being asked for traces",
        ),
    ),
    Client(
        name="otel-collector",
        title="OpenTelemetry Collector",
        kind="yaml",
        places={"": ""},
        settings=(),
        always_out=("all that your pipelines carry: leave out what should not arrive with a processor before it",),
        remarks=(
            "its own OTLP receiver listens on 4318 by default; have one of the two listen elsewhere",
            "what it resends after a restart is recognised and counted once",
        ),
    ),
)


def settings_of(settings: tuple[Setting, ...], endpoint: str, *, traces: bool, content: bool) -> tuple[Setting, ...]:
    """Return the settings to write, with the address in them.

    Args:
        settings: Of a client.
        endpoint: Base address, without a slash at its end.
        traces: Whether spans are wanted, too.
        content: Whether what lets content out is wanted, too.
    """
    wanted = {"always": True, "traces": traces, "content": content}
    return tuple(
        setting._replace(value=_filled(setting.value, endpoint)) for setting in settings if wanted[setting.when]
    )


def _filled(value: Value, endpoint: str) -> Value:
    if isinstance(value, str):
        return value.replace(ENDPOINT, endpoint)
    if isinstance(value, bool):
        return value
    return {name: _filled(part, endpoint) for name, part in value.items()}


def collector_yaml(endpoint: str, token_variable: str | None) -> str:
    """Return what an OpenTelemetry Collector's configuration needs to pass on what it gets."""
    lines = ["exporters:", "  otlphttp/recoup:", f'    endpoint: "{endpoint}"', "    compression: gzip"]
    if token_variable:
        lines += ["    headers:", f'      authorization: "Bearer ${{env:{token_variable}}}"']
    lines += ["service:", "  pipelines:"]
    for signal in ("logs", "traces"):
        lines += [f"    {signal}/recoup:", "      receivers: [otlp]", "      exporters: [otlphttp/recoup]"]
    return "\n".join(lines) + "\n"


def header_line(token_variable: str) -> str:
    """Return the line of a shell that gives senders the token, which itself stays in the environment."""
    return f'export {HEADERS}="Authorization=Bearer ${token_variable}"'


def environment_lines(settings: tuple[Setting, ...]) -> Iterator[str]:
    """Yield the lines of a shell for settings that are an environment."""
    for setting in settings:
        yield f"export {setting.path[0]}={setting.value}"
