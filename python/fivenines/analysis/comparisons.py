"""Comparisons between the cells of a run."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations

from fivenines.analysis.availability.outages import Outages
from fivenines.analysis.cells import CellResult
from fivenines.analysis.measures.measures import noun
from fivenines.analysis.statistics.means import Difference, Summary, compare
from fivenines.analysis.wording import DURATION, SPEED, Words, sentence
from fivenines.results.records import CellKey


@dataclass(frozen=True)
class Metric:
    """A measure that cells are compared by. `get` is None where a comparison makes no sense."""

    name: str
    words: Words
    get: Callable[[CellResult], Summary | None]


# The metrics that blocks compare better than trials.
SPEED_METRICS = ("throughput", "95th percentile of the response time")

METRICS = (
    Metric("throughput", SPEED, lambda cell: None if cell.kept else cell.tps),
    Metric("95th percentile of the response time", DURATION, lambda cell: cell.latency["p95"]),
    Metric(noun("outage_writes"), DURATION, lambda cell: cell.writes.summary),
    Metric(f"{noun('outage_writes')}, all interruptions", DURATION, lambda cell: _total(cell.writes)),
    Metric(noun("outage_reads"), DURATION, lambda cell: cell.reads.summary),
    Metric(noun("outage_connections"), DURATION, lambda cell: cell.connections.summary),
    Metric("time until the load writes again", DURATION, lambda cell: _failover_by(cell, "")),
    Metric("failover: detect", DURATION, lambda cell: _failover_by(cell, "detect")),
    Metric("failover: promote", DURATION, lambda cell: _failover_by(cell, "promote")),
)


@dataclass(frozen=True)
class Comparison:
    """Two solutions under the same workload, connections, network and fault."""

    metric: str
    a: CellKey
    b: CellKey
    difference: Difference
    text: str


def comparisons(cells: Iterable[CellResult], *, speed: bool = True) -> list[Comparison]:
    """Return all pairs of solutions under the same conditions, by every metric that both have.

    Without `speed`, leave out the metrics that blocks of the same run compare better.
    """
    result = [
        compare_cells(metric, a, b)
        for members in groups(cells)
        for metric in METRICS
        if speed or metric.name not in SPEED_METRICS
        for a, b in combinations(members, 2)
    ]
    return [item for item in result if item is not None]


def groups(cells: Iterable[CellResult]) -> list[list[CellResult]]:
    """Return groups of cells that differ only in the solution."""
    result: dict[CellKey, list[CellResult]] = {}
    for cell in cells:
        result.setdefault(cell.key.model_copy(update={"solution": ""}), []).append(cell)
    return list(result.values())


def compare_cells(metric: Metric, a: CellResult, b: CellResult) -> Comparison | None:
    """Compare a with b by one metric; return None if either was not measured."""
    left, right = metric.get(a), metric.get(b)
    if left is None or right is None or not left.n or not right.n:
        return None
    difference = compare(left, right)
    names = (a.key.solution, b.key.solution)
    text = sentence(*names, difference, metric.words)
    return Comparison(metric.name, a.key, b.key, difference, text)


def _failover_by(cell: CellResult, phase: str) -> Summary | None:
    """Return a phase of a cell's only fault, or all phases until the load writes; lower bounds if it does
    not.
    """
    if len(cell.faults) != 1 or not (cell.faults[0].interrupted or cell.faults[0].not_recovered):
        return None
    fault = cell.faults[0]
    if not phase:
        return fault.returned
    result = fault.phase(phase)
    # The phase is unknown in a trial that ended in an earlier one.
    return result.summary if result.seen and not fault.not_recovered else None


def _total(outages: Outages) -> Summary | None:
    """Return the total of all interruptions, where it exceeds the longest."""
    return outages.total if outages.several else None
