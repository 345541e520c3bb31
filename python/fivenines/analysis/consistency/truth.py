"""Correctness over many trials: rows lost or out of order, stale reads, diverged nodes.

Ages and latencies are summarised by trial, as response times are: the percentile is taken in each trial, and
the table shows the mean over the trials. Counts are added up.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.analysis.consistency import staleness
from fivenines.analysis.consistency.consistency import primary_check
from fivenines.analysis.consistency.staleness import Ages, EndpointAges, StaleFigures
from fivenines.analysis.replication import execution
from fivenines.analysis.replication.execution import Execution
from fivenines.analysis.statistics.means import Summary, summaries
from fivenines.base.errors import FiveninesError
from fivenines.results.records import Isolation, TrialRecord
from fivenines.results.store import StoredTrial

PERCENTILES = ("p50", "p95", "p99", "max")


@dataclass(frozen=True)
class TrialTruth:
    """Staleness and execution latency of one trial; None: not measured."""

    staleness: StaleFigures | None
    execution: Execution | None


@dataclass(frozen=True)
class Shown:
    """Reads of one endpoint, or views of one node, over the trials of a cell."""

    name: str
    reads: int
    stale: int
    missed_lost: int
    ages: dict[str, Summary]
    own_missed: int
    backwards: int
    backwards_lost: int

    @property
    def share(self) -> float:
        """Return the share of stale reads."""
        return self.stale / self.reads if self.reads else 0.0


@dataclass(frozen=True)
class CellTruth:
    """Correctness over the trials of a cell.

    Rows are judged on the primary of record. `diverged` trials of `compared` had a table that differs
    between nodes; `anomalies` counts violations of isolation by source and kind, in `judged` trials;
    `in_time` counts what contradicts only the order of time, by source and kind (None: a trial was not
    judged in time); `searched`: all cycles were searched.
    """

    acknowledged: int
    lost: int
    phantom: int
    duplicate: int
    disordered: int
    applied: int
    absent: int
    endpoints: list[Shown]
    nodes: list[Shown]
    execution: dict[str, Summary]
    executed: int
    compared: int
    diverged: int
    differing: int
    judged: int
    transactions: int
    anomalies: dict[tuple[str, str], int]
    in_time: dict[str, dict[str, int] | None]
    searched: bool

    def of(self, source: str) -> dict[str, int]:
        """Return the violations of isolation that one checker has found, by kind."""
        return {kind: n for (checker, kind), n in self.anomalies.items() if checker == source}

    def late(self, source: str) -> dict[str, int] | None:
        """Return what one checker has found against the order of time, by kind; None: not judged."""
        return self.in_time.get(source)

    def found(self, source: str) -> dict[str, int]:
        """Return all that one checker has found, also against the order of time, by kind."""
        return self.of(source) | (self.late(source) or {})


def trial_truths(trials: Sequence[StoredTrial], notes: Mapping[Path, list[str]]) -> list[TrialTruth]:
    """Read the ledgers of trials; a damaged table becomes a note, and affects its trial only."""
    try:
        return [
            TrialTruth(stale, execution.measure(trial.folder, trial.record))
            for trial, stale in zip(trials, staleness.measure_each(trials), strict=True)
        ]
    except FiveninesError as error:
        if len(trials) == 1:
            notes[trials[0].folder].append(str(error))
            return [TrialTruth(None, None)]
    return [trial_truth for trial in trials for trial_truth in trial_truths([trial], notes)]


def cell_truth(records: Sequence[TrialRecord], truths: Sequence[TrialTruth]) -> CellTruth:
    """Summarise the complete trials of a cell."""
    nodes = [node for r in records if r.check and (node := primary_check(r.check))]
    measured = [truth.staleness for truth in truths if truth.staleness]
    executions = [truth.execution for truth in truths if truth.execution]
    compared = [r.divergence for r in records if r.divergence and r.divergence.tables]
    judged = [item for r in records for item in r.isolation]
    anomalies: Counter[tuple[str, str]] = Counter()
    for item in judged:
        anomalies.update({(item.source, kind): n for kind, n in item.counts.items()})
    return CellTruth(
        acknowledged=sum(r.check.acknowledged for r in records if r.check),
        lost=sum(node.lost for node in nodes),
        phantom=sum(node.phantom for node in nodes),
        duplicate=sum(node.duplicate for node in nodes),
        disordered=sum(node.disordered for node in nodes),
        applied=sum(node.in_doubt_applied for node in nodes),
        absent=sum(node.in_doubt_absent for node in nodes),
        endpoints=_endpoints(measured),
        nodes=_nodes(measured),
        execution=summaries(executions, ("mean", *PERCENTILES)),
        executed=sum(execution.n for execution in executions),
        compared=len(compared),
        diverged=sum(bool(item.differences) for item in compared),
        differing=sum(difference.differing for each in compared for difference in each.differences),
        judged=sum(bool(r.isolation) for r in records),
        transactions=sum(item.transactions for item in judged),
        anomalies=dict(anomalies),
        in_time={source: _in_time(judged, source) for source in sorted({item.source for item in judged})},
        searched=all(item.complete for item in judged),
    )


def _in_time(judged: Sequence[Isolation], source: str) -> dict[str, int] | None:
    counts: Counter[str] = Counter()
    for item in judged:
        if item.source == source:
            if item.in_time is None:
                return None
            counts.update(item.in_time)
    return dict(counts)


def _endpoints(measured: Sequence[StaleFigures]) -> list[Shown]:
    reads: dict[str, list[EndpointAges]] = {}
    for item in (endpoint for each in measured for endpoint in each.endpoints):
        reads.setdefault(item.endpoint, []).append(item)
    return [
        _shown(
            name,
            [item.ages for item in some],
            sum(item.own_missed for item in some),
            sum(item.backwards for item in some),
            sum(item.backwards_lost for item in some),
        )
        for name, some in sorted(reads.items())
    ]


def _nodes(measured: Sequence[StaleFigures]) -> list[Shown]:
    names = sorted({node.node for each in measured for node in each.nodes})
    return [
        _shown(name, [node.ages for each in measured for node in each.nodes if node.node == name])
        for name in names
    ]


def _shown(name: str, ages: Sequence[Ages], own: int = 0, back: int = 0, back_lost: int = 0) -> Shown:
    return Shown(
        name=name,
        reads=sum(age.reads for age in ages),
        stale=sum(age.stale for age in ages),
        missed_lost=sum(age.missed_lost for age in ages),
        ages=summaries(ages, PERCENTILES),
        own_missed=own,
        backwards=back,
        backwards_lost=back_lost,
    )
