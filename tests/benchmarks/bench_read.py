"""How fast files are read into events, beside a plain orjson parse of the same lines or documents.

One core, one process, processor time, garbage collection off. `first` is the first run of the process, with what
is imported on first use; `cold` runs begin with empty memories; `warm` ones find commands and texts they have seen.
Usage: `python tests/benchmarks/bench_read.py [FOLDER]`; FOLDER defaults to `RECOUP_DATA`/claude_code. Files that no
format recognises are left out.
"""

import contextlib
import functools
import gc
import json
import os
import statistics
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import orjson

from collectors import HEAD_BYTES, Format, sniff

RUNS = 7
DATA = Path(os.environ.get("RECOUP_DATA", Path(__file__).parents[3] / "shared" / "data"))

Files = list[tuple[Format, str, list[bytes]]]


def opened(folder: Path) -> Files:
    """Return the format, the path and the lines of each file; a document is one line."""
    files: Files = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        form = sniff(content[:HEAD_BYTES], str(path))
        if form is not None:
            files.append((form, str(path), content.splitlines(keepends=True) if form.UNIT == "line" else [content]))
    return files


def parse(files: Files) -> int:
    """Parse every line with orjson and drop it, broken ones as well; return the count."""
    count = 0
    for _, _, lines in files:
        for line in lines:
            with contextlib.suppress(orjson.JSONDecodeError):
                orjson.loads(line)
            count += 1
    return count


def read(files: Files) -> int:
    """Read every file into events and drop them; return the count."""
    count = 0
    for form, path, lines in files:
        for _ in form.read(lines, path):
            count += 1
    return count


def seconds(work: Callable[[Files], int], files: Files) -> float:
    """Return the processor time of one run."""
    start = time.process_time()
    work(files)
    return time.process_time() - start


def memories() -> list[functools._lru_cache_wrapper]:
    """Return what the readers remember between records, but for the one that holds the parser of shell strings."""
    found = (each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper))
    return [each for each in found if each.__module__.startswith("collectors.") and each.cache_parameters()["maxsize"]]


def main() -> None:
    """Measure and print one JSON object."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA / "claude_code"
    files = opened(folder)
    size = sum(len(line) for _, _, lines in files for line in lines)
    deque((parse(files) for _ in range(2)), maxlen=0)
    gc.disable()
    first = seconds(read, files)
    remembered = memories()
    floor, cold, warm = [], [], []
    for _ in range(RUNS):  # in turn, so that all see the same machine
        for memory in remembered:
            memory.cache_clear()
        cold.append(seconds(read, files))
        floor.append(seconds(parse, files))
        warm.append(seconds(read, files))
    print(
        json.dumps(
            {
                "formats": sorted({form.NAME for form, _, _ in files}),
                "files": len(files),
                "bytes": size,
                "lines": parse(files),
                "records": read(files),
                "orjson_seconds": spread(floor),
                "cold_seconds": spread(cold),
                "warm_seconds": spread(warm),
                "first_seconds": round(first, 4),
                "cold_ratio": round(min(floor) / min(cold), 3),
                "warm_ratio": round(min(floor) / min(warm), 3),
                "first_ratio": round(min(floor) / first, 3),
                "cold_megabytes_per_second": round(size / min(cold) / 1e6, 1),
            },
            indent=1,
        )
    )


def spread(values: list[float]) -> dict[str, float]:
    """Return minimum, median and maximum."""
    found = {"min": min(values), "median": statistics.median(values), "max": max(values)}
    return {name: round(value, 4) for name, value in found.items()}


if __name__ == "__main__":
    main()
