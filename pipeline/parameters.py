"""The bracketed values of the definitions: configuration that every report states."""

from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Additions:
    """What a user knows of the tools that no log tells; each pair is a row of a table of `meta`."""

    aliases: tuple[tuple[str, str], ...] = ()
    """Two codes that name one error."""
    companions: tuple[tuple[str, str], ...] = ()
    """Tool, `*` for all, and a program that its fix commands may call."""
    destructive: tuple[str, ...] = ()
    """Beginnings of commands, in whole words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """The bracketed values of the definitions; every report states the ones it was computed with."""

    horizon_ms: int = 30 * 60 * 1000
    """Longest gap between a failure and its reissue; at least twice the declared wait."""
    horizon_attempts: int = 50
    """Most attempts of the session between a failure and its reissue."""
    wait_tolerance_ms: int = 50
    """A wait shorter than declared by this much, or by `wait_tolerance_share`, still counts as honoured."""
    wait_tolerance_share: float = 0.02
    closed_loop_ms: int = 5 * 60 * 1000
    """Longest gap between the fix and the reissue that tests it."""
    tau_low: float = 0.05
    """Below this, repeating an unchanged call is as good as hopeless."""
    tau_high: float = 0.20
    """Above this, repeating an unchanged call is worth it."""
    false_permanent_successes: int = 3
    """Successes, and sessions with one, that a `false_permanent` needs."""
    false_permanent_actors: int = 2
    missing_fix_sessions: int = 5
    maturity_share: float = 0.95
    """Share of occurrences that must reach a level."""
    maturity_occurrences: int = 5
    """Occurrences below which a code's maturity is provisional."""
    corrected_similarity: float = 0.6
    """Similarity of two targets above which the second corrects the first."""
    strict: bool = False
    """Count suspected false successes (text only) as failures too."""
    additions: Additions = Additions()

    def values(self) -> dict[str, int | float | bool]:
        """Return the bracketed values by name, without the additions."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "additions"}
