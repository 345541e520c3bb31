"""Sweeps: settings of a solution that are tried out, so that its best case can be compared."""

from typing import Any, Literal

from pydantic import Field

from fivenines.settings import Settings

SweepMeasure = Literal[
    "throughput",
    "latency_mean",
    "latency_p95",
    "latency_p99",
    "outage_writes",
    "outage_reads",
    "failover",
]
"""What a sweep may choose by. Of throughput more is better, of all others less."""

NEED_FAULTS: frozenset[str] = frozenset({"outage_writes", "outage_reads", "failover"})
"""Measures that only a trial with a fault has."""

BestFor = Literal["each", "all"]


class SweepSettings(Settings):
    """Settings with lists of values, of which every combination becomes a variant of the solution.

    `sweep: {KEY: [VALUE, ...]}` is short for `sweep: {settings: {KEY: [VALUE, ...]}}`. Keys inside others
    are written with dots, as `server.innodb_io_capacity` or `manager.misses`. The best variant is chosen
    on one half of the trials, and compared with other solutions on the other half.
    """

    settings: dict[str, list[Any]] = Field(
        description="settings of the solution, each with the values to try; several make the product"
    )
    by: SweepMeasure = Field(
        "throughput", description="what the best is chosen by: the highest throughput, or the least"
    )
    best_for: BestFor = Field(
        "each",
        description="each: every workload, number of connections and network has a best case of its "
        "own; all: one for all of them, by the geometric mean of ratios",
    )


class VariantSettings(Settings):
    """What a sweep made of a solution: one combination of values, already set in the solution."""

    of: str = Field(min_length=1, description="name of the solution that is swept")
    settings: dict[str, Any] = Field(description="the swept settings with the values of this one")
    by: SweepMeasure = Field("throughput", description="as in the sweep")
    best_for: BestFor = Field("each", description="as in the sweep")
