"""The results of a load: its summary, and response times from latency.hlog."""

import math
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fivenines.analysis.performance.latency import Latency, read_latencies
from fivenines.analysis.performance.load import errors_of
from fivenines.load.workloads.mix import Mix
from fivenines.load.workloads.settings import WorkloadSettings
from fivenines.results.layout import LATENCY
from fivenines.results.load_parts import ErrorEntry, TypeCounts
from fivenines.results.load_summary import LoadSummary

# The tag of all transactions in the log of response times.
ALL = "transaction"


@dataclass(frozen=True)
class Outcome:
    """The results of a load.

    Attributes:
        record: the load's summary.
        latencies: response times of all transactions under "", and of each type if there are
            several, without `expected` failures.
        connect: times of connecting, if any.
        throughput: the workload's rates, by their unit.
        interrupted: whether the load was interrupted.
    """

    record: LoadSummary
    latencies: dict[str, Latency] = field(default_factory=dict)
    connect: Latency | None = None
    throughput: dict[str, float] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def types(self) -> list[TypeCounts]:
        """Return the counts of each type of transaction."""
        return list(self.record.types or ())

    @property
    def total(self) -> TypeCounts:
        """Return the counts of all transactions."""
        counts = self.record.transactions
        return TypeCounts(
            name="all",
            ok=counts.ok,
            failed=counts.failed,
            in_doubt=counts.in_doubt,
            expected=self.record.expected,
            retries=self.record.retries,
        )

    @property
    def seconds(self) -> float:
        """Return the duration of the load, in seconds."""
        return self.record.duration_s

    @property
    def errors(self) -> list[ErrorEntry]:
        """Return failures by class and engine code, the most frequent first."""
        return errors_of(self.record, "load", scripts=False)

    @property
    def cpu_us_per_query(self) -> float | None:
        """Return the load generator's CPU time per query, in microseconds."""
        client, queries = self.record.client, self.record.queries
        if not queries or client is None or client.cpu_s is None:
            return None
        return client.cpu_s / queries * 1e6

    @property
    def limit(self) -> str | None:
        """Return how the load generator limited the result, or None."""
        client = self.record.client
        if client is not None and client.limit:
            return client.limit
        if client is not None and client.bottleneck:
            return "this machine's load generator may have been the bottleneck"
        return None

    @property
    def nothing_worked(self) -> str | None:
        """Return the most frequent error of a load without success; None if any transaction succeeded."""
        if self.total.ok or self.total.expected or not self.errors:
            return None
        return self.errors[0].message

    def as_json(self) -> dict[str, Any]:
        """Return all results for scripts."""
        by_type = {name: asdict(found) for name, found in self.latencies.items() if name}
        return {
            "interrupted": self.interrupted,
            "throughput": self.throughput,
            "latency_ms": asdict(self.latencies[""]) if "" in self.latencies else None,
            "latency_by_type_ms": by_type,
            "connect_ms": asdict(self.connect) if self.connect else None,
            "client": {"cpu_us_per_query": self.cpu_us_per_query, "limit": self.limit},
            "load": dict(self.record.document),
        }


def read_outcome(folder: Path, record: LoadSummary, workload: WorkloadSettings, interrupted: bool) -> Outcome:
    """Read the results of a load from its folder.

    Raises:
        FiveninesError: the log of response times is missing or damaged.
    """
    log = folder / LATENCY
    found = read_latencies(log, ALL, 0, math.inf)
    named = {tag.removeprefix(ALL).removeprefix("."): one for tag, one in found.items()}
    connect = read_latencies(log, "connect", 0, math.inf).get("connect")
    return Outcome(record, named, connect, _throughput(record, workload), interrupted)


def _throughput(record: LoadSummary, workload: WorkloadSettings) -> dict[str, float]:
    """Return transactions and queries per second, and the rates of the workload's specification.

    Completed fixed work counts over its own time, which is some ms shorter than the load.
    """
    work = record.work
    seconds = work.total_s if work and work.completed else record.duration_s
    if seconds <= 0:
        return {}
    found = {"transactions/s": record.transactions.ok / seconds, "queries/s": record.queries / seconds}
    counts = {one.name: one.ok for one in record.types or ()}
    for part in _parts(workload):
        if part.workload == "tpcc":
            orders = counts.get("new_order", counts.get("tpcc.new_order", 0))
            found["tpmC"] = 60 * orders / seconds
        elif part.workload == "tatp" and part is workload:
            found["MQTh"] = found["transactions/s"]  # mean qualified throughput: of all seven types
    if record.rows is not None:
        found["rows/s"] = record.rows.inserted / seconds
    return found


def _parts(workload: WorkloadSettings) -> list[WorkloadSettings]:
    if isinstance(workload, Mix):
        return [part.workload for part in workload.parts]
    return [workload]
