"""recoup's own errors: a registry, and the one exception that carries the recovery ladder.

    RecoupError
    └── (one class; the code says which failure it is)

Our failures practise what we measure: each has a stable code, says whether the identical call may succeed, what must
change first, and - where one safe, static command changes it - that command (REQ-C-013, -014, -030). The registry is
the only place where class and exit code of a failure are decided; `analyze errors` prints it.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What is declared for one error code."""

    code: str
    exit_code: int
    """Of the table in the public cli-agent-spec: 2 argument, 4 precondition, 5 not found, 12 unavailable; 130 is a
    shell's number for Ctrl-C."""
    meaning: str
    retryable: bool = False
    retry_after_ms: int | None = None
    fix_required: str | None = None
    fix_command: str | None = None
    """Static, safe to run twice, and enough: after it exits 0 the original call does not fail with this code."""
    suggestion: str | None = None
    """Prose beside the ladder; no rung."""

    @property
    def declared_class(self) -> str:
        """The class of definitions 5: `transient`, `correctable` or `terminal`."""
        if self.retryable:
            return "transient"
        return "correctable" if self.fix_required else "terminal"


REGISTRY: tuple[Entry, ...] = (
    Entry(
        code="ARGUMENT_INVALID",
        exit_code=2,
        meaning="an option or argument is not understood",
        fix_required="Correct the named option or argument",
    ),
    Entry(
        code="CONFIG_INVALID",
        exit_code=2,
        meaning="recoup.toml or [tool.recoup] cannot be used",
        fix_required="Correct the named setting",
    ),
    Entry(
        code="PATH_NOT_FOUND",
        exit_code=5,
        meaning="a path to import does not exist",
        fix_required="Name an existing file or folder",
    ),
    Entry(
        code="INPUT_UNREADABLE",
        exit_code=4,
        meaning="a file cannot be opened or decompressed",
        fix_required="Make the file readable for this user, or name a whole one",
    ),
    Entry(
        code="INPUT_EMPTY",
        exit_code=4,
        meaning="nothing to read was found",
        fix_required="Name a file or folder that holds logs",
    ),
    Entry(
        code="FORMAT_UNKNOWN",
        exit_code=2,
        meaning="no known format recognises the file",
        fix_required="Name a file in a supported format, or force one with --format",
        suggestion="`collector formats` lists the supported formats",
    ),
    Entry(
        code="CODEC_MISSING",
        exit_code=4,
        meaning="this Python cannot decompress .zst files",
        fix_required="Install the package zstandard, or decompress the file first",
    ),
    Entry(
        code="STORE_NOT_FOUND",
        exit_code=4,
        meaning="there is no store yet",
        fix_required="Import logs first",
        fix_command="collector import",
    ),
    Entry(
        code="STORE_LOCKED",
        exit_code=12,
        meaning="another process holds the store",
        retryable=True,
        retry_after_ms=2000,
    ),
    Entry(
        code="STORE_FOREIGN",
        exit_code=4,
        meaning="the file is not a recoup store",
        fix_required="Name a recoup store, or a new file, with --store",
    ),
    Entry(
        code="STORE_DAMAGED",
        exit_code=4,
        meaning="the store's contents fail their checksums",
        fix_required="Restore the store from a copy, or import into a new one with --store",
    ),
    Entry(
        code="STORE_NEWER",
        exit_code=4,
        meaning="the store was written by a newer recoup",
        fix_required="Use the recoup version that wrote the store, or a newer one",
    ),
    Entry(
        code="STORE_UNWRITABLE",
        exit_code=4,
        meaning="the store cannot be written",
        fix_required="Free disk space, make the folder writable, or name another store with --store",
    ),
    Entry(
        code="SUBJECT_NOT_FOUND",
        exit_code=5,
        meaning="no error code, episode, finding or tool has this name",
        fix_required="Name one that the report shows",
    ),
    Entry(
        code="SQL_INVALID",
        exit_code=2,
        meaning="the query cannot be run",
        fix_required="Correct the query",
    ),
    Entry(
        code="OUTPUT_UNWRITABLE",
        exit_code=4,
        meaning="the output file cannot be written",
        fix_required="Name a writable output file",
    ),
    Entry(
        code="MEMORY_EXHAUSTED",
        exit_code=4,
        meaning="the work does not fit into memory and scratch space",
        fix_required="Free memory or disk space, or narrow the query",
    ),
    Entry(
        code="TOKEN_REQUIRED",
        exit_code=2,
        meaning="the collector would listen beyond this machine without a token or TLS",
        fix_required="Give a token with --token-file or RECOUP_TOKEN, or a certificate with --tls-cert and --tls-key, "
        "or listen on 127.0.0.1",
    ),
    Entry(
        code="TOKEN_UNREADABLE",
        exit_code=4,
        meaning="the file of the token or of the certificate cannot be used",
        fix_required="Name a readable file that holds a token of 16 characters or more, or a certificate with its key",
    ),
    Entry(
        code="ADDRESS_IN_USE",
        exit_code=4,
        meaning="the collector cannot listen on the address",
        fix_required="Stop what listens there, or name another address or port",
    ),
    Entry(
        code="SPOOL_UNWRITABLE",
        exit_code=4,
        meaning="the folder where requests wait for the store cannot be written",
        fix_required="Free disk space, make the folder writable, or name another with --spool",
    ),
    Entry(
        code="SETTINGS_UNUSABLE",
        exit_code=4,
        meaning="a client's settings file cannot be merged into",
        fix_required="Correct the named place of the file, name another with --file, or copy what connect prints",
    ),
    Entry(
        code="SETTINGS_CHANGED",
        exit_code=12,
        meaning="a client's settings file changed while its change was shown",
        retryable=True,
        retry_after_ms=0,
    ),
    Entry(
        code="CONFIRMATION_REQUIRED",
        exit_code=2,
        meaning="a settings file would be changed and there is no terminal to ask on",
        fix_required="Look at the change, then add --yes",
    ),
    Entry(code="INTERRUPTED", exit_code=130, meaning="stopped from the keyboard", retryable=True, retry_after_ms=0),
    Entry(
        code="INTERNAL_FAULT",
        exit_code=1,
        meaning="a defect in recoup",
        suggestion="the context names the place of the defect",
    ),
)

ENTRIES: Mapping[str, Entry] = {entry.code: entry for entry in REGISTRY}


class RecoupError(Exception):
    """A failure of recoup itself.

    Args:
        code: A code of `REGISTRY`.
        message: What happened, naming the offending value; lower case, no full stop.
        context: The values a caller would branch on; JSON values.
    """

    def __init__(self, code: str, message: str, *, context: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.entry = ENTRIES[code]
        self.message = message
        self.context = dict(context or {})

    def to_error(self, *, with_fix_command: bool = True) -> dict[str, object]:
        """Return the value of the key `error` of a response envelope; rungs that do not apply are absent.

        Args:
            with_fix_command: False where running the command would not act on what the caller named.
        """
        entry = self.entry
        rungs: dict[str, object] = {
            "retry_after_ms": entry.retry_after_ms,
            "fix_required": entry.fix_required,
            "fix_command": entry.fix_command if with_fix_command else None,
            "suggestion": entry.suggestion,
            "context": self.context or None,
        }
        stated = {name: value for name, value in rungs.items() if value is not None}
        return {"code": entry.code, "message": self.message, "retryable": entry.retryable, **stated}
