"""What a trial says about truth: rows lost or out of order, stale reads, diverged nodes; over many trials.

Ages and latencies are summarised by trial, as response times are: the percentile is taken in each trial, and
the table shows the mean over the trials. Counts are added up.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fivenines.analysis import execution, staleness
from fivenines.analysis.consistency import primary_check
from fivenines.analysis.execution import Execution
from fivenines.analysis.staleness import Ages, EndpointAges, StaleFigures
from fivenines.analysis.statistics import Summary, summaries
from fivenines.errors import FiveninesError
from fivenines.results.records import TrialRecord
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
        """Stale reads among all."""
        return self.stale / self.reads if self.reads else 0.0


@dataclass(frozen=True)
class CellTruth:
    """What the trials of a cell say together.

    Rows are judged on the primary of record. `diverged` trials of `compared` had a table that differs
    between nodes; `anomalies` counts violations of isolation by source and kind, in `judged` trials.
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


def trial_truths(trials: Sequence[StoredTrial], notes: Mapping[Path, list[str]]) -> list[TrialTruth]:
    """Read the ledgers of trials; what is damaged becomes a note, and costs its own trial only."""
    try:
        return [
            TrialTruth(stale, execution.measure(trial.folder, trial.record))
            for trial, stale in zip(trials, staleness.measure_each(trials), strict=True)
        ]
    except FiveninesError as error:
        if len(trials) == 1:
            notes[trials[0].folder].append(str(error))
            return [TrialTruth(None, None)]
    return [one for trial in trials for one in trial_truths([trial], notes)]


def cell_truth(records: Sequence[TrialRecord], truths: Sequence[TrialTruth]) -> CellTruth:
    """Summarise the complete trials of a cell."""
    nodes = [node for r in records if r.check and (node := primary_check(r.check))]
    measured = [truth.staleness for truth in truths if truth.staleness]
    executions = [truth.execution for truth in truths if truth.execution]
    compared = [r.divergence for r in records if r.divergence and r.divergence.tables]
    judged = [one for r in records for one in r.isolation]
    anomalies: Counter[tuple[str, str]] = Counter()
    for one in judged:
        anomalies.update({(one.source, kind): n for kind, n in one.counts.items()})
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
        executed=sum(one.n for one in executions),
        compared=len(compared),
        diverged=sum(bool(one.differences) for one in compared),
        differing=sum(one.differing for each in compared for one in each.differences),
        judged=sum(bool(r.isolation) for r in records),
        transactions=sum(one.transactions for one in judged),
        anomalies=dict(anomalies),
    )


def _endpoints(measured: Sequence[StaleFigures]) -> list[Shown]:
    reads: dict[str, list[EndpointAges]] = {}
    for one in (one for each in measured for one in each.endpoints):
        reads.setdefault(one.endpoint, []).append(one)
    return [
        _shown(
            name,
            [one.ages for one in some],
            sum(one.own_missed for one in some),
            sum(one.backwards for one in some),
            sum(one.backwards_lost for one in some),
        )
        for name, some in sorted(reads.items())
    ]


def _nodes(measured: Sequence[StaleFigures]) -> list[Shown]:
    names = sorted({one.node for each in measured for one in each.nodes})
    return [
        _shown(name, [one.ages for each in measured for one in each.nodes if one.node == name])
        for name in names
    ]


def _shown(name: str, ages: Sequence[Ages], own: int = 0, back: int = 0, back_lost: int = 0) -> Shown:
    return Shown(
        name=name,
        reads=sum(one.reads for one in ages),
        stale=sum(one.stale for one in ages),
        missed_lost=sum(one.missed_lost for one in ages),
        ages=summaries(ages, PERCENTILES),
        own_missed=own,
        backwards=back,
        backwards_lost=back_lost,
    )
