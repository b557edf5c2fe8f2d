"""The shapes of credentials, with the document or rule set each one comes from."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Shape(NamedTuple):
    """One way a credential looks, or one place that holds one."""

    kind: str
    trigger: str
    """The literal to search for, in lower case for a place; the pattern is matched where it stands."""
    pattern: re.Pattern[str]
    """Group `s` is the secret."""
    accepts: Callable[[str], bool] | None = None


def _dense(secret: str) -> bool:
    """Whether it mixes letters and digits in a run of 12 or more, as no kebab-case name does."""
    return any(c.isdigit() for c in secret) and any(len(run) >= 12 for run in re.split(r"[-_.]", secret))


# (kind, what it begins with, what follows). Sources: GL = gitleaks default rules, GH = GitHub's list of
# supported secret scanning patterns, else the maker's documentation. Lengths are lower bounds, a little
# under the documented ones, since a log may have cut the end.
_PREFIXES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("aws_access_key", ("AKIA", "ASIA", "ABIA", "ACCA"), r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS IAM identifiers
    ("github_token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"[A-Za-z0-9_]{20,}"),  # GH
    ("github_token", ("github_pat_",), r"\w{20,}"),  # GH
    ("gitlab_token", ("glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-"), r"[\w-]{16,}"),  # GitLab
    ("gitlab_token", ("glimt-", "glagent-", "glsoat-", "gloas-"), r"[\w-]{16,}"),  # as above
    ("slack_token", ("xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxo-", "xapp-"), r"[\w.-]{10,}"),  # GL
    ("stripe_key", ("sk_live_", "sk_test_", "rk_live_", "rk_test_"), r"[A-Za-z0-9]{10,}"),  # GL
    ("google_api_key", ("AIza",), r"[\w-]{30,}"),  # GL
    ("google_oauth", ("GOCSPX-",), r"[\w-]{16,}"),  # GL
    ("npm_token", ("npm_",), r"[A-Za-z0-9]{30,}"),  # GL
    ("api_key", ("sk-",), r"[\w-]{16,}"),  # OpenAI, Anthropic, OpenRouter, DeepSeek
    ("pypi_token", ("pypi-AgE",), r"[\w-]{16,}"),  # GL
    ("huggingface_token", ("hf_", "api_org_"), r"[A-Za-z0-9]{26,}"),  # GL
    ("digitalocean_token", ("dop_v1_", "doo_v1_", "dor_v1_"), r"[a-f0-9]{32,}"),  # GL
    ("shopify_token", ("shpat_", "shpss_", "shpca_", "shppa_"), r"[a-fA-F0-9]{24,}"),  # GL
    ("mailgun_key", ("key-",), r"[0-9a-f]{32}(?![0-9a-zA-Z])"),  # GL
    ("databricks_token", ("dapi",), r"[a-f0-9]{32}(?:-\d)?(?![0-9a-zA-Z])"),  # GL
    ("square_token", ("sq0atp-", "sq0csp-", "EAAAE"), r"[\w-]{20,}"),  # GL
    ("atlassian_token", ("ATATT3x", "ATCTT3x", "ATBB"), r"[\w=-]{16,}"),  # Atlassian
    ("linear_key", ("lin_api_", "lin_oauth_"), r"[A-Za-z0-9]{20,}"),  # GL
    ("figma_token", ("figd_",), r"[\w-]{20,}"),  # Figma
    ("notion_token", ("ntn_",), r"[A-Za-z0-9]{30,}"),  # GL
    ("replicate_token", ("r8_",), r"[A-Za-z0-9]{30,}"),  # Replicate
    ("groq_key", ("gsk_",), r"[A-Za-z0-9]{30,}"),  # Groq
    ("xai_key", ("xai-",), r"[A-Za-z0-9]{30,}"),  # xAI
    ("perplexity_key", ("pplx-",), r"[A-Za-z0-9]{30,}"),  # GL
    ("docker_token", ("dckr_pat_", "dckr_oat_"), r"[\w-]{20,}"),  # Docker
    ("grafana_token", ("glsa_", "glc_"), r"[A-Za-z0-9+/=_]{24,}"),  # GL
    ("newrelic_key", ("NRAK-", "NRJS-", "NRII-"), r"[A-Za-z0-9-]{16,}"),  # GL
    ("postman_key", ("PMAK-",), r"[a-f0-9-]{24,}"),  # GL
    ("rubygems_key", ("rubygems_",), r"[a-f0-9]{40,}"),  # GL
    ("pulumi_token", ("pul-",), r"[a-f0-9]{40}"),  # GL
    ("supabase_key", ("sbp_", "sb_secret_"), r"[\w-]{20,}"),  # Supabase
    ("posthog_key", ("phx_", "phc_"), r"[A-Za-z0-9]{30,}"),  # PostHog
    ("sentry_token", ("sntrys_", "sntryu_"), r"[A-Za-z0-9+/=_-]{30,}"),  # GL
    ("planetscale_token", ("pscale_tkn_", "pscale_pw_", "pscale_oauth_"), r"[\w.-]{20,}"),  # GL
    ("flyio_token", ("fo1_", "fm1_"), r"[\w+/=,-]{30,}"),  # GL
    ("alibaba_key", ("LTAI",), r"[A-Za-z0-9]{16,}"),  # GL
    ("easypost_key", ("EZAK", "EZTK"), r"[A-Za-z0-9]{40,}"),  # GL
    ("age_key", ("AGE-SECRET-KEY-1",), r"[A-Z0-9]{40,}"),  # GL
    ("onepassword_token", ("ops_eyJ",), r"[\w+/=-]{40,}"),  # GL
    ("tailscale_key", ("tskey-",), r"[\w-]{16,}"),  # GH
    ("buildkite_token", ("bkua_",), r"[a-f0-9]{32,}"),  # GH
    ("jwt", ("eyJ",), r"[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?"),  # RFC 7519: `{"` is `eyJ`
    ("jfrog_token", ("AKCp8", "cmVmdGtu"), r"[A-Za-z0-9]{50,}"),  # GL
)  # fmt: skip
# The same, with a dot or a colon before the long run.
_DOTTED: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("slack_token", ("xoxe.",), r"[\w.-]{16,}"),  # GL
    ("google_oauth", ("ya29.",), r"[\w.-]{16,}"),  # GL
    ("sendgrid_key", ("SG.",), r"[\w-]{16,}\.[\w-]{16,}"),  # GL
    ("vault_token", ("hvs.", "hvb.", "hvr."), r"[\w-]{20,}"),  # HashiCorp Vault tokens
    ("doppler_token", ("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."), r"[\w.-]{30,}"),  # GL
    ("telegram_token", (":AA",), r"[\w-]{31,38}(?![\w-])"),  # GL
    ("terraform_token", (".atlasv1.",), r"[\w-]{30,}"),  # GL
)  # fmt: skip

_ACCEPTS: dict[str, Callable[[str], bool]] = {"api_key": _dense, "huggingface_token": _dense}


def _shapes(rows: tuple[tuple[str, tuple[str, ...], str], ...]) -> dict[str, Shape]:
    return {
        prefix: Shape(kind, prefix, re.compile(f"(?P<s>{re.escape(prefix)}{body})"), _ACCEPTS.get(kind))
        for kind, prefixes, body in rows
        for prefix in prefixes
    }


PREFIXED = _shapes(_PREFIXES)
"""Shapes that begin a run of 20 or more letters, digits, `_` and `-`, by what they begin with."""
DOTTED = _shapes(_DOTTED)
"""Shapes with a dot or a colon before such a run, or as far as two characters into it."""


def any_of(prefixes: Iterable[str]) -> re.Pattern[str]:
    """Return an expression for any of the prefixes that decides most places by their first character."""
    by_first: dict[str, list[str]] = {}
    for prefix in sorted(prefixes, reverse=True):
        by_first.setdefault(prefix[0], []).append(re.escape(prefix[1:]))
    return re.compile("|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in by_first.items()))
