"""What the text of a Claude Code user record is: a person's words, or one of the many things the harness writes."""

import re
from typing import NamedTuple

from collectors.formats._claude_records import Block, Line, Part

INTERRUPTION = "[Request interrupted by user"
_NOTIFICATION = "<task-notification>"
_TAG = re.compile(r"<([a-z][a-z_-]{2,40})>")
_COMMAND = re.compile(r"<command-name>\s*/?([\w:.-]{1,80})\s*</command-name>")
# `<bash-input>` is a person who ran a command by hand: between two attempts that matters like any word
_HARNESS_TAGS = frozenset(
    {
        "local-command-stdout",
        "local-command-stderr",
        "local-command-caveat",
        "command-args",
        "command-contents",
        "bash-stdout",
        "bash-stderr",
        "system-reminder",
        "task-notification",
        "user-prompt-submit-hook",
        "user-memory-input",
        "session-start-hook",
        "new-diagnostics",
        "ide_opened_file",
        "ide-opened-file",
        "ide-selection",
    }
)
# commands that change the program and say nothing to the agent
_LOCAL = (
    "add-dir agents bashes bug clear color compact config context copy cost doctor effort exit export extra-usage"
    " fast feedback help hooks ide install-github-app keybindings login logout mcp memory model mobile output-style"
    " passes permissions plan plugin privacy-settings quit release-notes remote-control rename resume rewind sandbox"
    " skills stats status statusline tasks terminal-setup theme todos upgrade usage vim"
)
_LOCAL_COMMANDS = frozenset(_LOCAL.split())
_HARNESS_WORDS = ("Caveat: The messages below", "[Image: ", "This session is being continued from a previous")
_EXITS = frozenset({"exit", "quit"})
_FIELD = re.compile(
    r"<(task-id|tool-use-id|status|summary|subagent_tokens|total_tokens|duration_ms)>(.{0,2000}?)</\1>", re.DOTALL
)
_STATED_EXIT = re.compile(r"\bexit code (-?\d{1,5})\b")


class TaskEnd(NamedTuple):
    """The end of a background task, as a notification states it."""

    task_id: str | None
    tool_use_id: str | None
    state: str | None
    """`completed`, `failed`, `killed`, ... as written."""
    exit_code: int | None = None
    tokens: int | None = None
    duration_ms: int | None = None


def content_text(content: str | list[Part | str] | list[Block | str] | None) -> str:
    """Return the text of a content field, its parts joined by line breaks; what is no text is left out."""
    if isinstance(content, str):
        return content
    texts = [part if isinstance(part, str) else part.text for part in content or ()]
    return "\n".join(text for text in texts if text)


def is_prompt(line: Line, text: str) -> bool:
    """Return whether the text is a person's words to the agent of the main thread."""
    if line.is_sidechain or line.agent_id or line.is_meta:
        return False
    if line.is_compact_summary or line.is_visible_in_transcript_only:
        return False
    if line.origin is not None and line.origin.kind == "task-notification":
        return False
    start = text.lstrip()[:400]
    if not start or start.startswith(_HARNESS_WORDS):
        return False
    tag = _TAG.match(start)
    if tag is None:
        return True
    if tag[1] == "command-name" or tag[1] == "command-message":
        command = command_of(text)
        return command is not None and command not in _LOCAL_COMMANDS
    return tag[1] not in _HARNESS_TAGS


def command_of(text: str) -> str | None:
    """Return the slash command that a person typed, without its slash; None where the text is none."""
    match = _COMMAND.search(text[:1000]) if text.lstrip()[:9] == "<command-" else None
    return match[1] if match else None


def is_exit(text: str) -> bool:
    """Return whether the person ended the session with this."""
    return command_of(text) in _EXITS


def task_end(text: str) -> TaskEnd | None:
    """Return the end of a background task that a notification states; None where the text is no notification."""
    if not text.lstrip()[:60].startswith(_NOTIFICATION):
        return None
    fields: dict[str, str] = {}
    for name, value in _FIELD.findall(text[:50_000]):
        fields.setdefault(name, value.strip())
    code = _STATED_EXIT.search(fields.get("summary", ""))
    return TaskEnd(
        task_id=fields.get("task-id"),
        tool_use_id=fields.get("tool-use-id"),
        state=fields.get("status"),
        exit_code=int(code[1]) if code else None,
        tokens=_count(fields.get("subagent_tokens") or fields.get("total_tokens")),
        duration_ms=_count(fields.get("duration_ms")),
    )


def _count(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None
