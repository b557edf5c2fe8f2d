"""A steady load for a while: is memory flat, and does the store hold what was sent?

    python tests/benchmarks/soak_otlp.py [SECONDS] [RECORDS_A_SECOND]

The defaults are eight hours of a hundred agents, a record a second each, in ten minutes. Prints JSON;
exit code 1 where the store differs from what was acknowledged.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
from _collector import Collector

_RECORDS_A_BODY = 48
_SAMPLES = 20


def _resident(number: int) -> int:
    lines = Path(f"/proc/{number}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) // 1024


def run(folder: Path, seconds: float, rate: float) -> dict[str, object]:
    """Return memory over time in megabytes, and what was sent and stored."""
    store = folder / "store.duckdb"
    collector = Collector(store)
    script = Path(__file__).with_name("_otlp_load.py")
    arguments = map(str, (collector.port, _RECORDS_A_BODY, 8, seconds, rate))
    sender = subprocess.Popen([sys.executable, str(script), *arguments], stdout=subprocess.PIPE, text=True)
    memory = []
    while sender.poll() is None:
        time.sleep(seconds / _SAMPLES)
        memory.append([_resident(collector.process.pid), _resident(collector.writers()[0])])
    sent = json.loads(sender.communicate()[0])
    code = collector.stop()
    with duckdb.connect(str(store), read_only=True) as connection:
        (stored,) = connection.execute("select count(*) from raw.otlp_records").fetchone()
    return {
        "sent": sent,
        "stored": stored,
        "megabytes": memory,
        "exit_code": code,
        "store_bytes_a_record": round(store.stat().st_size / max(1, stored)),
    }


def main() -> int:
    """Run once and print the result."""
    given = [float(value) for value in sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        found = run(Path(folder), *(given + [600.0, 4800.0][len(given) :]))
    print(json.dumps(found))
    return 0 if found["stored"] == found["sent"]["acknowledged"] else 1


if __name__ == "__main__":
    sys.exit(main())
