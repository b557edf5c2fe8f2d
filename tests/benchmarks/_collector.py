"""A collector in a process of its own, for the scripts beside this file."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PROGRAM = """
import json, sys
from pathlib import Path
from pipeline.serve import serve
serve(Path(sys.argv[1]), on_ready=lambda where: print(where.http, flush=True), **json.loads(sys.argv[2]))
"""


class Collector:
    """A collector that listens on a free port, or on the given one."""

    def __init__(self, store: Path, **options):
        command = [
            sys.executable,
            "-c",
            _PROGRAM,
            str(store),
            json.dumps({"http_port": 0, "grpc_port": None} | options),
        ]
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=store.parent, env=environment)
        self.port = int(self.process.stdout.readline().rpartition(":")[2])

    def writers(self) -> list[int]:
        """Return the processes that the receiver started."""
        number = self.process.pid
        return [int(child) for child in Path(f"/proc/{number}/task/{number}/children").read_text().split()]

    def metrics(self) -> dict[str, float]:
        """Return the figures of /metrics."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        pairs = (line.rpartition(" ") for line in lines if not line.startswith("#"))
        return {name: float(value) for name, _, value in pairs}

    def peak_megabytes(self) -> dict[str, int]:
        """Return the peak resident memory of receiver and writer."""
        numbers = {"receiver": self.process.pid, "writer": self.writers()[0]}
        return {name: _peak(number) for name, number in numbers.items()}

    def stop(self) -> int:
        """Stop in good order; return the exit code."""
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=300)
        return self.process.returncode


def _peak(number: int) -> int:
    lines = Path(f"/proc/{number}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) // 1024
