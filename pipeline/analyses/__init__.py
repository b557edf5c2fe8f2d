"""Analyses: one question, one mart, one sentence a row; each is a line in `ANALYSES`."""

from pipeline.analyses import (
    code_stability,
    compliance,
    failed_closed_loops,
    failing_fixes,
    false_successes,
    fix_command_lint,
    fix_effects,
    generic_codes,
    hopeless_fixes,
    maturity,
    misclassified_retryables,
    missing_fixes,
    retry_after,
    strata,
    uncoded_errors,
    unsafe_transients,
    waste,
)
from pipeline.analyses.finding import Analysis, Finding, Proposal, Severity, Verdict

ANALYSES: tuple[Analysis, ...] = (
    misclassified_retryables.ANALYSIS,
    unsafe_transients.ANALYSIS,
    false_successes.ANALYSIS,
    failed_closed_loops.ANALYSIS,
    failing_fixes.ANALYSIS,
    fix_command_lint.ANALYSIS,
    maturity.ANALYSIS,
    uncoded_errors.ANALYSIS,
    waste.ANALYSIS,
    retry_after.ANALYSIS,
    missing_fixes.ANALYSIS,
    hopeless_fixes.ANALYSIS,
    fix_effects.ANALYSIS,
    generic_codes.ANALYSIS,
    code_stability.ANALYSIS,
    strata.ANALYSIS,
    compliance.ANALYSIS,
)

__all__ = ["ANALYSES", "Analysis", "Finding", "Proposal", "Severity", "Verdict"]
