"""The measures by the names that needs, thresholds and comparisons have for them."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["rate", "time", "event", "number"]
"""Of a measure: per second; milliseconds; whether a trial has it; one number of a solution."""


@dataclass(frozen=True)
class Measure:
    """What can be asked of a solution.

    Attributes:
        name: as people write it.
        title: for the head of a column.
        noun: in a sentence, after a number or after "the".
        kind: what its values are.
        more: whether more of it is better.
        fault: whether only a trial with a fault has it.
    """

    name: str
    title: str
    noun: str
    kind: Kind
    more: bool = False
    fault: bool = False


_LATENCIES = (
    ("mean", "mean"), ("p50", "median"), ("p95", "95th percentile"), ("p99", "99th percentile"),
)  # fmt: skip

_ALL = (
    Measure("tps", "Transactions/s", "transactions per second", "rate", more=True),
    *(
        Measure(f"latency_{key}", f"{key} response", f"response time ({words})", "time")
        for key, words in _LATENCIES
    ),
    Measure("outage_writes", "Outage, writes", "outage of writes", "time", fault=True),
    Measure("outage_reads", "Outage, reads", "outage of reads", "time", fault=True),
    Measure(
        "outage_connections", "Outage, new connections", "outage of new connections", "time",
        fault=True,
    ),
    Measure("failover", "Failover time", "failover time", "time", fault=True),
    Measure("not_back", "Writes not back", "writes not back before the end", "event", fault=True),
    Measure("lost", "Lost rows", "acknowledged rows lost", "event"),
    Measure("phantom", "Phantom rows", "refused rows found", "event"),
    Measure("duplicate", "Duplicate rows", "rows found twice", "event"),
    Measure("stale", "Stale reads", "reads that missed an acknowledged row", "event"),
    Measure("split_brain", "Split brain", "split brain", "event"),
    Measure("violated", "Invariants violated", "invariants of the workload violated", "event"),
    Measure("diverged", "Nodes differ", "nodes with different rows at the end", "event"),
    Measure("hosts", "Hosts", "hosts", "number"),
    Measure("cost", "Price of an hour", "price of an hour", "number"),
)  # fmt: skip

MEASURES = {one.name: one for one in _ALL}
"""By name, in the order in which they are shown."""
