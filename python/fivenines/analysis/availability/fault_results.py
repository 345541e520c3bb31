"""The faults of a cell over its trials: phases, outages, brown-out, failures and work lost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fivenines.analysis.availability.failovers import FaultMeasures
from fivenines.analysis.availability.outages import Outages, Service, outages_of
from fivenines.analysis.availability.phases import PHASES, Failover
from fivenines.analysis.statistics.means import Summary, summarise, summarise_known


@dataclass(frozen=True)
class PhaseResult:
    """One phase over the trials whose load wrote again, in ms; `absent` is the number of trials without it.

    An absent phase counts as 0, so that the means add up. Trials in which it did not end (only catch up may
    not end) are lower bounds of the summary.
    """

    name: str
    summary: Summary
    absent: int
    values: tuple[float, ...]

    @property
    def seen(self) -> bool:
        """Return whether any trial has this phase."""
        return self.absent < self.summary.n


@dataclass(frozen=True)
class FaultResult:
    """One fault of a cell over its trials. Times in ms, `work_lost` in transactions.

    Attributes:
        number: number of the fault within the trial, from 1.
        label: fault and target, as "kill primary".
        kind: the class of the fault.
        mtbf: seconds between two such faults, if the experiment gives it.
        trials: number of trials in which it was injected.
        interrupted: number of these in which writes were noticeably unavailable.
        not_recovered: number of these in which the load did not write again: they are in no phase.
        stuck: phases in which the trials that did not recover were at the end, with their number.
        phases: phases of the trials whose load wrote again.
        back: time from the fault to the first write of the load, in these trials: the sum of their phases
            except catch up.
        returned: `back` over all trials; trials that did not recover are lower bounds.
        whole: time from the fault until caught up, over all trials; lower bounds where that did not end.
        writes, reads, connections: outages of established sessions and of new connections.
        steady_below: mean share of the steady window that would be a brown-out by chance.
        work_lost: lost transactions; lower bounds where not final.
    """

    number: int
    label: str
    kind: str
    mtbf: float | None
    trials: int
    interrupted: int
    not_recovered: int
    stuck: dict[str, int]
    phases: tuple[PhaseResult, ...]
    back: Summary
    returned: Summary
    whole: Summary
    writes: Outages
    reads: Outages
    connections: Outages
    brownout: Summary
    steady_below: Summary
    failed: Summary
    in_doubt: Summary
    work_lost: Summary
    notes: tuple[str, ...]

    def phase(self, name: str) -> PhaseResult:
        """Return the phase of this name."""
        return next(phase for phase in self.phases if phase.name == name)


def fault_results(trials: Sequence[tuple[str, Sequence[FaultMeasures]]]) -> list[FaultResult]:
    """Return the first, second, ... fault of all trials (id, faults) together; [] without any fault."""
    most = max((len(faults) for _, faults in trials), default=0)
    return [
        _result(number, [(trial, faults[number]) for trial, faults in trials if number < len(faults)])
        for number in range(most)
    ]


def _result(number: int, values: list[tuple[str, FaultMeasures]]) -> FaultResult:
    measures = [item for _, item in values]
    back = [measure for measure in measures if measure.failover.returned]
    not_recovered = [measure for measure in measures if not measure.failover.returned]
    labels = Counter(measure.fault_window.label for measure in measures)
    return FaultResult(
        number=number + 1,
        label=labels.most_common(1)[0][0],
        kind=measures[0].fault_window.kind,
        mtbf=measures[0].fault_window.mtbf,
        trials=len(measures),
        interrupted=sum(measure.failover.interrupted for measure in measures),
        not_recovered=len(not_recovered),
        stuck=dict(Counter(item.failover.phases[-1].name for item in not_recovered)),
        phases=tuple(_phase(name, back) for name in PHASES),
        back=summarise([item.failover.return_ms for item in back]),
        returned=summarise(
            [_returned_ms(measure.failover) for measure in measures], bounds=len(not_recovered)
        ),
        whole=summarise(
            [measure.failover.ms for measure in measures],
            bounds=sum(not measure.failover.ended for measure in measures),
        ),
        writes=_outages(values, "writes"),
        reads=_outages(values, "reads"),
        connections=_outages(values, "connections"),
        brownout=summarise_known(measure.brownout_ms for measure in measures),
        steady_below=summarise_known(measure.steady_below for measure in measures),
        failed=summarise([measure.failed for measure in measures]),
        in_doubt=summarise([measure.in_doubt for measure in measures]),
        work_lost=summarise(
            [measure.work_lost for measure in measures if measure.work_lost is not None],
            bounds=sum(measure.work_lost is not None and not measure.caught_up for measure in measures),
        ),
        notes=tuple(f"{trial}: {note}" for trial, item in values for note in item.failover.notes),
    )


def _phase(name: str, measures: Sequence[FaultMeasures]) -> PhaseResult:
    phases = [measure.failover.phase(name) for measure in measures]
    values = tuple(phase.ms if phase else 0.0 for phase in phases)
    return PhaseResult(
        name,
        summarise(values, bounds=sum(phase is not None and not phase.closed for phase in phases)),
        sum(phase is None for phase in phases),
        values,
    )


def _returned_ms(failover: Failover) -> float:
    """Return the time from the fault to the first write of the load, or to the end without one."""
    return failover.return_ms if failover.returned else failover.ms


def _outages(values: Sequence[tuple[str, FaultMeasures]], of: Service) -> Outages:
    return outages_of([(trial, getattr(item.availability, of), ()) for trial, item in values])
