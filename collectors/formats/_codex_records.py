"""The fields of a Codex rollout record that a reader needs; everything else is skipped while decoding."""

from typing import Annotated

import msgspec
from msgspec import Raw, Struct

UNSTATED = Raw(b"")
Whole = Annotated[int, msgspec.Meta(ge=-(2**61), le=2**61)]
Time = str | int | float | None


class Part(Struct, gc=False):
    """One part of a message or of an output; older outputs are one object with `content`."""

    type: str | None = None
    text: str | None = None
    content: str | None = None
    success: bool | None = None


class Spawn(Struct, gc=False):
    """`thread_spawn`: who started a sub-agent."""

    parent_thread_id: str | None = None
    agent_role: str | None = None


class Sub(Struct, gc=False):
    """`source.subagent` where it is an object."""

    thread_spawn: Spawn | None = None


class Source(Struct, gc=False):
    """`source` of a sub-agent's session."""

    subagent: str | Sub | None = None


class Action(Struct, gc=False):
    """What a `local_shell_call` runs."""

    command: list[str] | None = None
    working_directory: str | None = None


class Duration(Struct, gc=False):
    """A duration as Rust writes it."""

    secs: Whole | None = None
    nanos: Whole | None = None


class Usage(Struct, gc=False):
    """Tokens of one response of the model."""

    input_tokens: Whole | None = None
    cached_input_tokens: Whole | None = None
    output_tokens: Whole | None = None
    total_tokens: Whole | None = None


class Info(Struct, gc=False):
    """`info` of a `token_count`."""

    total_token_usage: Usage | None = None
    last_token_usage: Usage | None = None


class Failure(Struct, gc=False):
    """An error of the model's API."""

    message: str | None = None
    kind: str | None = None
    codex_error_info: Raw = UNSTATED


class Item(Struct, gc=False):
    """`item` of an `item_completed`."""

    type: str | None = None
    id: str | None = None
    status: str | None = None
    exit_code: Whole | None = None
    duration: Duration | None = None
    aggregated_output: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    source: str | None = None
    content: list[Part | str] | None = None
    result: Raw = UNSTATED
    error: Raw = UNSTATED


class Payload(Struct, gc=False):
    """What a line holds; which fields are there depends on its type."""

    type: str | None = None
    id: str | None = None
    session_id: str | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    timestamp: Time = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: str | Source | None = None
    model: str | None = None
    turn_id: str | None = None
    call_id: str | None = None
    name: str | None = None
    namespace: str | None = None
    arguments: Raw = UNSTATED
    input: Raw = UNSTATED
    action: Action | None = None
    output: str | list[Part | str] | Part | None = None
    role: str | None = None
    content: str | list[Part | str] | None = None
    message: str | None = None
    reason: str | None = None
    item: Item | None = None
    status: str | None = None
    exit_code: Whole | None = None
    duration: Duration | None = None
    aggregated_output: str | None = None
    stdout: str | None = None
    stderr: str | None = None
    success: bool | None = None
    result: Raw = UNSTATED
    error: str | Failure | None = None
    codex_error_info: Raw = UNSTATED
    info: Info | None = None
    usage: Usage | None = None


class Line(Struct, gc=False):
    """One line of a rollout."""

    type: str | None = None
    timestamp: Time = None
    payload: Payload | None = None


DECODER = msgspec.json.Decoder(Line)


def text_of(content: str | list[Part | str] | Part | None) -> str:
    """Return the text of a message or an output, its parts joined by line breaks; what is no text is left out."""
    if isinstance(content, str):
        return content
    if isinstance(content, Part):
        return content.text or content.content or ""
    texts = [part if isinstance(part, str) else part.text for part in content or ()]
    return "\n".join(text.removesuffix("\n") for text in texts if text)
