"""Throughput, latency, drain rate and memory of the collector, beside what the disk alone can do.

    python tests/benchmarks/bench_otlp.py [SECONDS] [RUNS]

Prints JSON. `floor` is append + fdatasync of the same bodies, one after another, in the same run;
`acknowledged` counts records whose 200 came after theirs were on disk, while the writer drains
beside it; `per_cpu_second` divides by the receiver's own CPU time, so that other work on the machine
does not count. The store's rate is measured after the senders have stopped.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _collector import Collector
from _otlp_load import body_of

_SIZES = {512: 8, 8: 32}
"""Records a body, and connections."""
_TARGETS = {512: 150_000, 8: 50_000}
"""Records a second, acknowledged; latency is measured at half of it, or of what this machine reaches."""


def floor(folder: Path, size: int, seconds: float) -> int:
    """Return the records a second that appending and syncing body by body gives."""
    body = body_of(size)
    with (folder / f"floor-{size}").open("wb", buffering=0) as file:
        count, until = 0, time.perf_counter() + seconds
        started = time.perf_counter()
        while time.perf_counter() < until:
            file.write(body)
            os.fdatasync(file.fileno())
            count += 1
        return round(count * size / (time.perf_counter() - started))


def load(collector: Collector, size: int, seconds: float, rate: float | None = None) -> dict[str, object]:
    """Return what senders saw, and what it cost the receiver."""
    arguments = [collector.port, size, _SIZES[size], seconds, *([rate] if rate else [])]
    before = _cpu_seconds(collector.process.pid)
    script = Path(__file__).with_name("_otlp_load.py")
    done = subprocess.run(
        [sys.executable, str(script), *map(str, arguments)], capture_output=True, text=True, check=True
    )
    found = json.loads(done.stdout)
    found["per_cpu_second"] = round(found["acknowledged"] / (_cpu_seconds(collector.process.pid) - before))
    return found


def _cpu_seconds(number: int) -> float:
    fields = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def drain(collector: Collector) -> dict[str, int]:
    """Return the records a second that reach the store, and those a second of the writer's CPU."""
    writer = collector.writers()[0]
    count, cpu, started = _drained(collector), _cpu_seconds(writer), time.perf_counter()
    until = started + 60
    while collector.metrics()["recoup_spool_bytes"] and time.perf_counter() < until:
        time.sleep(0.2)
    gained, elapsed = _drained(collector) - count, time.perf_counter() - started
    return {
        "records": round(gained),
        "records_per_second": round(gained / elapsed),
        "per_cpu_second": round(gained / max(0.01, _cpu_seconds(writer) - cpu)),
    }


def _drained(collector: Collector) -> float:
    return sum(value for name, value in collector.metrics().items() if name.startswith("recoup_records_drained_total"))


def run(folder: Path, seconds: float) -> dict[str, object]:
    """Return the figures of one run."""
    found: dict[str, object] = {}
    for size in _SIZES:
        store = folder / f"store-{size}.duckdb"
        collector = Collector(store, max_spool_bytes=8 << 30)
        fastest = load(collector, size, seconds)
        half = load(collector, size, seconds, rate=min(_TARGETS[size], fastest["records_per_second"]) / 2)
        found[f"{size} a body"] = {
            "floor": floor(folder, size, min(2.0, seconds)),
            "acknowledged": fastest,
            "at_half_rate": half,
            "into_the_store": drain(collector),
            "peak_megabytes": collector.peak_megabytes(),
            "exit_code": collector.stop(),
        }
    return found


def main() -> None:
    """Run and print all runs, and the median of the chief figures."""
    given = sys.argv[1:]
    seconds, runs = float(given[0]) if given else 5.0, int(given[1]) if given[1:] else 5
    found = []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            found.append(run(Path(folder), seconds))
    chief = {
        name: {
            "floor": statistics.median(each[name]["floor"] for each in found),
            "acknowledged": statistics.median(each[name]["acknowledged"]["records_per_second"] for each in found),
            "into_the_store": statistics.median(each[name]["into_the_store"]["records_per_second"] for each in found),
        }
        for name in found[0]
    }
    print(json.dumps({"median": chief, "runs": found}))


if __name__ == "__main__":
    main()
