"""The receiver's own figures as OpenTelemetry metrics and as Prometheus reads them."""

from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from collectors.otlp.counts import METRICS, Counts, exposition
from collectors.otlp.telemetry import exported


def test_the_figures_are_exported():
    """Counters and gauges come with their labels; nothing is exported that was never counted."""
    counts, reader = Counts(), InMemoryMetricReader()
    counts.add("recoup_records_accepted_total", 5, signal="logs")
    refreshed = []
    with exported(counts, lambda: refreshed.append(counts.set("recoup_spool_bytes", 7)), reader):
        metrics = reader.get_metrics_data().resource_metrics[0].scope_metrics[0].metrics
    points = {metric.name: metric.data.data_points for metric in metrics}
    (accepted,) = points["recoup.records_accepted"]
    assert (accepted.value, dict(accepted.attributes)) == (5, {"signal": "logs"})
    assert [point.value for point in points["recoup.spool_bytes"]] == [7]
    assert refreshed


def test_without_an_endpoint_nothing_is_exported(monkeypatch):
    """Self-telemetry is off unless the environment names where it goes."""
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with exported(Counts(), lambda: None):
        pass


def test_prometheus_can_read_the_figures():
    """Each metric has its help and type, labels are escaped, and every counter ends in `_total`."""
    counts = Counts()
    counts.add("recoup_records_rejected_total", 2, reason='a "quoted"\nline \\')
    counts.add("recoup_commit_seconds_total", 0.25)
    text = exposition(counts.snapshot())
    assert 'recoup_records_rejected_total{reason="a \\"quoted\\"\\nline \\\\"} 2' in text.splitlines()
    assert "recoup_commit_seconds_total 0.25" in text.splitlines()
    assert sum(line.startswith("# TYPE") for line in text.splitlines()) == len(METRICS)
    assert all(metric.name.endswith("_total") == (metric.kind == "counter") for metric in METRICS)
