"""The receiver's own figures, and how `/metrics` writes them (Prometheus text format 0.0.4)."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Metric(NamedTuple):
    """One figure of the receiver."""

    name: str
    kind: str
    """`counter` or `gauge`."""
    meaning: str


METRICS: tuple[Metric, ...] = (
    Metric("recoup_requests_total", "counter", "Requests answered, by transport, signal and answer"),
    Metric("recoup_records_received_total", "counter", "Records that came in requests that could be read"),
    Metric("recoup_records_accepted_total", "counter", "Records on disk before the answer; metrics are only counted"),
    Metric("recoup_records_rejected_total", "counter", "Records not taken, by reason"),
    Metric("recoup_records_repaired_total", "counter", "Records with invalid UTF-8 or ill-typed values put right"),
    Metric("recoup_records_drained_total", "counter", "Records read back from the spool, by what became of them"),
    Metric("recoup_records_noticed_total", "counter", "Oddities of drained records, by kind"),
    Metric("recoup_spool_bytes", "gauge", "Bytes in the spool that the store does not hold yet"),
    Metric("recoup_spool_age_seconds", "gauge", "Age of the oldest record that the store does not hold yet"),
    Metric("recoup_spool_limit_bytes", "gauge", "Size at which the spool is full"),
    Metric("recoup_commits_total", "counter", "Transactions of the writer"),
    Metric("recoup_commit_seconds_total", "counter", "Time that they took, opening the store included"),
    Metric("recoup_drain_failures_total", "counter", "Times the writer could not write, by error code"),
)

Labels = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class Counts:
    """Figures by metric and labels; may be added to from any thread."""

    _values: Counter[tuple[str, Labels]] = field(default_factory=Counter)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, amount: float = 1, **labels: str) -> None:
        """Add to a counter."""
        with self._lock:
            self._values[name, tuple(labels.items())] += amount  # type: ignore[assignment]  # seconds are no integers

    def set(self, name: str, value: float, **labels: str) -> None:
        """Set a gauge, or a counter that is kept elsewhere."""
        with self._lock:
            self._values[name, tuple(labels.items())] = value  # type: ignore[assignment]  # as above

    def get(self, name: str, **labels: str) -> float:
        """Return one figure; 0 where nothing was counted."""
        return self._values[name, tuple(labels.items())]

    def snapshot(self) -> Mapping[tuple[str, Labels], float]:
        """Return a copy of all figures."""
        with self._lock:
            return dict(self._values)


def exposition(values: Mapping[tuple[str, Labels], float]) -> str:
    """Return the figures as Prometheus reads them; a metric without a value is shown as 0 or, with labels, left out."""
    return "\n".join(_lines(values)) + "\n"


def _lines(values: Mapping[tuple[str, Labels], float]) -> Iterable[str]:
    for metric in METRICS:
        yield f"# HELP {metric.name} {metric.meaning}"
        yield f"# TYPE {metric.name} {metric.kind}"
        for (name, labels), value in sorted(values.items()):
            if name == metric.name:
                inner = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels)
                yield f"{name}{{{inner}}} {_number(value)}" if inner else f"{name} {_number(value)}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
