"""What an analysis is, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pipeline.parameters import Parameters

if TYPE_CHECKING:
    import duckdb

Severity = Literal["breach", "warning", "info"]
"""`breach`: what the tool says is untrue or harmful; `warning`: an agent cannot decide; `info`: good to know."""

Verdict = Literal["contradicted", "supported", "watch", "insufficient"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """What to change in the tool's error."""

    field: str
    """Of the error object: `code`, `retryable`, `retry_after_ms`, `fix_required`, `fix_command`; or `exit_code`."""
    value: bool | int | str | None
    """None where the author has to choose it, or where the field should go."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One sentence about one error of one tool, with the numbers behind it. Text of logs in it is raw."""

    id: str
    """`<analysis>:<tool>:<code>[:...]`, the same in every run over the same errors."""
    analysis: str
    severity: Severity
    verdict: Verdict
    tool: str
    error_code: str | None
    """None where the failure carries no code of its own."""
    k: int | None
    n: int | None
    lower: float | None = None
    """Of the 95 % interval of k/n, 0..1; None where the sentence states a fact and no rate."""
    upper: float | None = None
    sentence: str
    evidence: list[str] = field(default_factory=list)
    """Episode or attempt ids, at most ten."""
    proposal: Proposal | None = None
    weight: float = 0.0
    """Failing calls that this concerns; orders findings of one severity."""


Find = Callable[["duckdb.DuckDBPyConnection", Parameters], list[Finding]]


@dataclass(frozen=True, slots=True)
class Analysis:
    """One question to one mart."""

    name: str
    question: str
    mart: str
    find: Find
