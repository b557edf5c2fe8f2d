"""The table of docs/statistics.md."""

from tests.pipeline.simulations.decisions import live_rows, mixture_rows, wait_rows
from tests.pipeline.simulations.draws import Row
from tests.pipeline.simulations.intervals import bootstrap_rows, clustered_rows, other_rows

START, END = "<!-- simulations: start -->", "<!-- simulations: end -->"


def hard_rows() -> tuple[Row, ...]:
    """Coverage where loops are long and their trials alike: here rare rates lose some."""
    return clustered_rows(likeness=0.3, mean_trials=8.0, bound=">= .86")


def all_rows() -> tuple[Row, ...]:
    """Every row, in the order of the table."""
    intervals = (*clustered_rows(), *hard_rows(), *bootstrap_rows(), *other_rows())
    return (*intervals, *mixture_rows(), *live_rows(), *wait_rows())


def table() -> str:
    """Return the table as Markdown."""
    lines = ["| what | setting | measure | found | promised | the common way |", "|---|---|---|---|---|---|"]
    lines += [
        f"| {row.topic} | {row.setting} | {row.measure} | {row.value:.3f} | {row.bound} | {row.instead} |"
        for row in all_rows()
    ]
    return "\n".join(lines)


def with_table(text: str) -> str:
    """Return the document with a fresh table between its markers."""
    before, rest = text.split(START)
    return f"{before}{START}\n{table()}\n{END}{rest.split(END)[1]}"
