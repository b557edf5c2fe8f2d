"""Write the table of measured properties into docs/statistics.md, between its markers."""

import argparse
from pathlib import Path

from tests.pipeline.simulations.table import with_table


def main() -> None:
    """Replace the table of the given document."""
    parser = argparse.ArgumentParser(prog="python -m tests.pipeline.simulations", description=main.__doc__)
    parser.add_argument("--write", type=Path, required=True, metavar="FILE", help="the document to update")
    path = parser.parse_args().write
    path.write_text(with_table(path.read_text(encoding="utf-8")), encoding="utf-8")


main()
