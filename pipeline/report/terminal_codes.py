"""The codes table of the terminal report."""

from typing import Any

from rich.text import Text

from pipeline.analyses.words import duration
from pipeline.report.escape import escape
from pipeline.report.layout import Column, Glyphs, bar, table

_STATE_STYLES = {"contradicted": "red", "supported": "green", "unproven": ""}


def codes_table(codes: list[dict[str, Any]], width: int, glyphs: Glyphs) -> tuple[list[Text], list[str]]:
    """Return the table's lines and the titles of columns without room.

    Where the width is short columns go in this order: cost, interval, tool, class, bad loops, recovered. Long names of
    codes and tools are cut, numbers never are.
    """
    has_tools = len({row["tool"] for row in codes}) > 1
    columns = [
        Column("code", [_name(row["error_code"]) for row in codes], is_name=True),
        Column("tool", [_name(row["tool"]) for row in codes], gives_way=4, is_name=True),
        Column("class", [_name(row["declared_class"]) for row in codes], gives_way=3),
        Column("seen", [Text(f"{row['occurrence_count']:,}") for row in codes], is_number=True),
        Column("recovered", [_recovered(row, glyphs) for row in codes], is_number=True, gives_way=1),
        Column("fair ok", [_fair(row, glyphs) for row in codes], is_number=True),
        Column("interval", [_interval(row, glyphs) for row in codes], gives_way=5),
        Column("bad loops", [_loops(row, glyphs) for row in codes], is_number=True, gives_way=2),
        Column("maturity", [_maturity(row, glyphs) for row in codes]),
        Column("cost", [_cost(row, glyphs) for row in codes], gives_way=6),
    ]
    told = [
        column
        for column in columns
        if any(cell.plain for cell in column.cells) and (has_tools or column.title != "tool")
    ]
    return table(told, width, glyphs) if codes else ([Text()], [])


def _name(text: str | None) -> Text:
    return Text(escape(text) or "?")


def _share(k: int, n: int, glyphs: Glyphs) -> Text:
    return Text(f"{k:,}/{n:,}") if n else Text(glyphs.dash, "dim")


def _recovered(row: dict[str, Any], glyphs: Glyphs) -> Text:
    return _share(row["recovered_count"], row["episode_count"] - row["censored_count"], glyphs)


def _fair(row: dict[str, Any], glyphs: Glyphs) -> Text:
    return _share(row["fair_success_count"], row["fair_reissue_count"], glyphs)


def _interval(row: dict[str, Any], glyphs: Glyphs) -> Text:
    if not row["fair_reissue_count"]:
        return Text()
    drawn = bar(row["rate_lower"], row["fair_success_rate"], row["rate_upper"], glyphs)
    return Text(drawn, _STATE_STYLES["contradicted" if row["retryable_verdict"] == "contradicted" else "unproven"])


def _loops(row: dict[str, Any], glyphs: Glyphs) -> Text:
    share = _share(row["failed_loop_count"], row["closed_loop_count"], glyphs)
    share.stylize("red" if row["failed_loop_count"] else "")
    return share


def _maturity(row: dict[str, Any], glyphs: Glyphs) -> Text:
    """Return the declared level and, where experience contradicts it, the proven one; `?` marks few occurrences."""
    declared, proven = row["maturity"], row["proven_maturity"]
    level = f"{declared}{glyphs.arrow}{proven}" if proven != declared else str(declared)
    return Text(level + ("?" if row["is_provisional"] else ""), _STATE_STYLES[row["maturity_state"]])


def _cost(row: dict[str, Any], glyphs: Glyphs) -> Text:
    parts = [duration(row["wasted_ms"])] if row["wasted_ms"] else []
    parts += [f"{row['wasted_tokens']:,} tok"] if row["wasted_tokens"] else []
    return Text(", ".join(parts) or glyphs.dash)
