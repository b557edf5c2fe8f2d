"""The writer's process as the receiver sees it: started, listened to, started again where it died, and ended last."""

import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec

from collectors.otlp.counts import Counts
from collectors.otlp.spool import Spool
from pipeline.drain_report import Report

_AGAIN_SECONDS = 1.0
_END_SECONDS = 60
_BECAME = {"events": "event", "kept_raw": "kept_raw", "duplicates": "duplicate", "unreadable": "unreadable"}
_NOTICED = ("skewed", "duplicate_keys", "too_deep", "bad_ids", "damaged_bytes", "set_aside", "reader_failed")
_DECODER = msgspec.json.Decoder(Report)


class Writer:
    """Runs `pipeline.drain` beside a receiver, and keeps the figures that it reports.

    Args:
        store: The DuckDB file.
        root: Of the spools.
        spool: The receiver's own.
        counts: Where the figures go.
    """

    def __init__(self, store: Path, root: Path, spool: Spool, counts: Counts) -> None:
        # -P: a folder named `pipeline` where the collector was started is not ours
        self._command = [sys.executable, "-P", "-m", "pipeline.drain", str(store), str(root), str(spool.directory)]
        self._spool = spool
        self._counts = counts
        self._last = Report()
        self._is_closing = False
        self._process = self._started()
        self._thread = threading.Thread(target=self._listen, name="writer", daemon=True)
        self._thread.start()

    def refresh(self) -> None:
        """Bring the gauges up to date."""
        last = self._last
        waiting = max(0, self._spool.bytes_on_disk - last.drained_bytes)
        self._counts.set("recoup_spool_bytes", waiting)
        self._counts.set("recoup_spool_limit_bytes", self._spool.max_bytes)
        age = (time.time_ns() - last.oldest_ns) / 1e9 if last.oldest_ns and waiting else 0
        self._counts.set("recoup_spool_age_seconds", max(0, round(age, 3)))

    def close(self) -> None:
        """Let the writer store the rest, and wait for its end; what it cannot store stays in the spool."""
        self._is_closing = True
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._thread.join()

    def _started(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _listen(self) -> None:
        while True:
            for line in self._process.stdout or ():
                self._note(_DECODER.decode(line))
            self._process.wait()
            if self._is_closing:
                return
            self._counts.add("recoup_drain_failures_total", code="WRITER_DIED")
            time.sleep(_AGAIN_SECONDS)
            if not self._is_closing:
                self._process = self._started()

    def _note(self, report: Report) -> None:
        self._last = report
        if report.failure:
            self._counts.add("recoup_drain_failures_total", code=report.failure)
            return
        self._counts.add("recoup_commits_total")
        self._counts.add("recoup_commit_seconds_total", report.commit_seconds)
        for name, became in _BECAME.items():
            self._counts.add("recoup_records_drained_total", report.counts.get(name, 0), became=became)
        for name in _NOTICED:
            self._counts.add("recoup_records_noticed_total", report.counts.get(name, 0), kind=name)
