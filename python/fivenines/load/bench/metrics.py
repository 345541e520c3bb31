"""Serve the live figures of a load to Prometheus.

Counters and gauges come from the live lines; the histogram of response times from the HdrHistogram log,
which grows by one line per second and type.
"""

import errno
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from fivenines.analysis.performance.latency import Merged, interval_of
from fivenines.base.errors import FiveninesError
from fivenines.lab.processes.process import whole_lines
from fivenines.load.bench.generator import Second
from fivenines.results.layout import LATENCY

# Upper bounds of the histogram's buckets in microseconds.
BUCKETS_US = (
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    5_000_000,
    10_000_000,
    30_000_000,
)

_TRANSACTION = "transaction"
_ANY = 2**62


class LoadCollector(Collector):
    """Collects the metrics of a load; a scrape calls it in a separate thread."""

    def __init__(self, out: Path, labels: dict[str, str]) -> None:
        self._tail = _Tail(out / LATENCY)
        self._labels = labels
        self._lock = threading.Lock()
        self._last: Second | None = None
        self._queries = 0.0

    def feed(self, event: Second) -> None:
        """Record a second."""
        with self._lock:
            # The program reports rates with one decimal, which limits the precision of the sum.
            self._queries += event.qps * (event.t - (self._last.t if self._last else 0.0))
            self._last = event

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics of the last completed second."""
        with self._lock:
            self._tail.read()
            names, values = list(self._labels), list(self._labels.values())
            yield from self._counters(names, values)
            yield from self._gauges(names, values)
            yield self._times(names, values)

    def _counters(self, names: list[str], values: list[str]) -> Iterator[Metric]:
        ended = CounterMetricFamily(
            "fivenines_transactions",
            "Transactions by outcome; failed ones are counted as errors.",
            labels=[*names, "outcome"],
        )
        last = self._last
        ok = self._tail.tags.get(_TRANSACTION, Merged())
        ended.add_metric([*values, "ok"], ok.cumulated([_ANY])[0][0])
        ended.add_metric([*values, "in_doubt"], last.in_doubt if last else 0)
        yield ended
        for name, text, value in (
            ("fivenines_queries", "Answered statements.", self._queries),
            ("fivenines_errors", "Errors of any kind.", last.errors if last else 0),
        ):
            counter = CounterMetricFamily(name, text, labels=names)
            counter.add_metric(values, value)
            yield counter

    def _gauges(self, names: list[str], values: list[str]) -> Iterator[Metric]:
        last = self._last
        if last is None:
            return
        found: dict[str, tuple[str, float | None]] = {
            "fivenines_elapsed_seconds": ("Time since the start of the load.", last.t),
            "fivenines_connections": ("Usable connections.", last.connected),
            "fivenines_transaction_p95_seconds": (
                "95th percentile of the response times of the last second.",
                last.p95_ms / 1000,
            ),
            "fivenines_offered_rate": ("Intended transactions per second (open loop).", last.offered),
            "fivenines_backlog": (
                "Due transactions that wait for a connection.",
                None if last.offered is None else last.backlog,
            ),
        }
        for name, (text, value) in found.items():
            if value is not None:
                gauge = GaugeMetricFamily(name, text, labels=names)
                gauge.add_metric(values, value)
                yield gauge

    def _times(self, names: list[str], values: list[str]) -> Metric:
        times = HistogramMetricFamily(
            "fivenines_transaction_seconds",
            "Response times of successful transactions.",
            labels=[*names, "type"],
        )
        for tag, merged in sorted(self._tail.tags.items()):
            counts, total_us = merged.cumulated([*BUCKETS_US, _ANY])
            bounds = [*(f"{bound / 1e6:g}" for bound in BUCKETS_US), "+Inf"]
            kind = tag.removeprefix(_TRANSACTION).removeprefix(".") or "all"
            buckets = list(zip(bounds, map(float, counts), strict=True))
            times.add_metric([*values, kind], buckets, total_us / 1e6)
        return times


class _Tail:
    """The merged intervals of a growing log, by tag."""

    def __init__(self, log: Path) -> None:
        self.tags: dict[str, Merged] = {}
        self._log = log
        self._at = 0

    def read(self) -> None:
        """Read the new lines."""
        part = self._log.with_name(f"{self._log.name}.part")
        # Neither file exists before the load has started to write.
        lines, self._at = whole_lines(part if part.exists() else self._log, self._at)
        for line in lines:
            interval = interval_of(line)
            if interval is not None and interval.tag.split(".")[0] == _TRANSACTION:
                self.tags.setdefault(interval.tag, Merged()).add(self._log, interval)


@contextmanager
def offered(collector: Collector, host: str, port: int) -> Iterator[str]:
    """Serve metrics, and return their URL.

    Raises:
        FiveninesError: the port is not available.
    """
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    try:
        server: Any
        server, thread = start_http_server(port, addr=host or "0.0.0.0", registry=registry)
    except OSError as error:
        why = "it is in use" if error.errno == errno.EADDRINUSE else error.strerror or str(error)
        raise FiveninesError(f"--metrics: cannot listen on port {port}: {why}") from None
    try:
        yield f"http://{host or 'localhost'}:{port}/metrics"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
