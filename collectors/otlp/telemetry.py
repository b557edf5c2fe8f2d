"""The receiver's figures as OpenTelemetry metrics, sent where the standard environment variables say.

Off unless `OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT` is set. Names and labels are those of
`/metrics`, without the suffix that Prometheus wants.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from collectors.otlp.counts import METRICS, Counts, Metric

if TYPE_CHECKING:
    from opentelemetry.metrics import CallbackOptions, Meter, Observation
    from opentelemetry.sdk.metrics.export import MetricReader

_VARIABLES = ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_SUFFIX = "_total"


@contextmanager
def exported(counts: Counts, refresh: Callable[[], None], reader: "MetricReader | None" = None) -> Iterator[None]:
    """Export the figures while the block runs, and once more at its end.

    Args:
        counts: The figures.
        refresh: Brings gauges up to date.
        reader: Where they go; by default an OTLP exporter, where the environment names an endpoint.
    """
    if reader is None and not any(os.environ.get(name) for name in _VARIABLES):
        yield
        return
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.resources import Resource

    resource = Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "recoup-collector")})
    provider = MeterProvider([reader or _otlp_reader()], resource=resource, shutdown_on_exit=False)
    meter = provider.get_meter("recoup")
    for metric in METRICS:
        _observe(meter, metric, counts, refresh)
    try:
        yield
    finally:
        provider.shutdown()


def _otlp_reader() -> "MetricReader":
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader

    return PeriodicExportingMetricReader(OTLPMetricExporter())


def _observe(meter: "Meter", metric: Metric, counts: Counts, refresh: Callable[[], None]) -> None:
    from opentelemetry.metrics import Observation

    def observed(_: "CallbackOptions") -> Iterable["Observation"]:
        refresh()
        found = counts.snapshot().items()
        return [Observation(value, dict(labels)) for (name, labels), value in found if name == metric.name]

    create = meter.create_observable_gauge if metric.kind == "gauge" else meter.create_observable_counter
    create(metric.name.removesuffix(_SUFFIX).replace("_", ".", 1), [observed], description=metric.meaning)
